"""Recall: warm beside bare searches of the same index, cold beside a bare interpreter, and memory.

The vectors are static ones of the text, given by `engrain jobs embed`. Above `EMBEDDED_UP_TO`
entries they are those of other entries with noise added, so that none is a copy.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import sys
import time
from functools import partial
from hashlib import blake2b
from pathlib import Path

import apsw

from bench import corpus, tasks
from bench.measure import in_child, spread, time_processes, timed
from bench.vault import HISTORY_UP_TO, make_vault, open_store
from engrain import Memory, open_memory
from engrain.engine.core.scope import Scope, make_filter
from engrain.engine.core.store import Store
from engrain.engine.core.vectors import context_key, own_key
from engrain.index.vectors.file import open_file
from engrain.model.note.vectors import pack_unit, unpack

QUESTIONS = 200
SCANNED = 40
"""Questions asked of the bare scan of all vectors, which takes longest."""
COLD_RUNS = 20
EMBEDDED_UP_TO = 100_000
EXPERIENCED_UP_TO = 10_000
"""Entries up to which the recall before a task is measured too, in a vault of its own."""
_SPREAD_FROM = 20_000
"""Entries with vectors of their own from which those of a larger vault are made."""
_NOISE = 0.02
"""Standard deviation of what is added to each dimension of a unit vector."""
_PAGE = 2048

_COLD = """
from engrain import open_memory
memory = open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local")
memory.recall(sys.argv[3], scan=False)
"""
_WARM = """
from bench import corpus
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    for question in corpus.real_questions(200):
        memory.recall(question, scan=False)
result = {}
"""


def run(sizes: list[int], folder: Path, static_folder: str | None) -> list[dict[str, object]]:
    """The figures of every size, without vectors and, given token vectors, with them."""
    results = []
    for size in sizes:
        below = folder / f"recall-{size}"
        shutil.rmtree(below, ignore_errors=True)
        below.mkdir(parents=True)
        print(f"recall among {size} entries …", file=sys.stderr)
        results.append(measure(size, below, static_folder))
        shutil.rmtree(below)
    return results


def measure(size: int, folder: Path, static_folder: str | None) -> dict[str, object]:
    """Every figure at one size."""
    vault, state = folder / "vault", folder / "state"
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    seconds = timed(partial(make_vault, vault, state, size))
    figures: dict[str, object] = {
        "entries": size,
        "text": corpus.sentences()[0],
        "made_in_s": round(seconds, 1),
        "index_bytes_per_entry": _bytes(state, "index") // size,
        "words": _measure_words(vault, state),
    }
    if size <= EXPERIENCED_UP_TO:
        figures["task"] = tasks.measure(size, folder)
    if static_folder:
        os.environ["ENGRAIN_EMBEDDER"] = "static"
        figures["embedding"] = _embed(vault, state, size)
        figures["vector_bytes_per_entry"] = _bytes(state, "vectors") // size
        figures["vectors"] = {**_warm_with_vectors(vault, state), **_processes(vault, state, size)}
    return figures


def _bytes(state: Path, part: str) -> int:
    return sum(path.stat().st_size for path in state.rglob(f"{part}/*") if path.is_file())


def _measure_words(vault: Path, state: Path) -> dict[str, object]:
    return {**_warm(vault, state), **_processes(vault, state, len(list(vault.rglob("*.md"))))}


def _warm(vault: Path, state: Path) -> dict[str, object]:
    """Recalls and bare full-text queries in turn."""
    store = open_store(vault, state)
    only = make_filter(Scope(), None)
    recalls, searches = [], []
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        for question in _questions(memory):
            recalls.append(timed(partial(memory.recall, question, scan=False)))
            searches.append(timed(partial(store.index.search, question, only, 10)))
    return _compare(recalls, searches, [0.0])


def _questions(memory: Memory) -> list[str]:
    """The questions, after some others have warmed what is to be warm."""
    for question in corpus.real_questions(20, seed=7):
        memory.recall(question, scan=False)
    return corpus.real_questions(QUESTIONS)


def _warm_with_vectors(vault: Path, state: Path) -> dict[str, object]:
    """Recalls, bare full-text queries and, now and then, bare scans of all vectors in turn."""
    store = open_store(vault, state)
    only = make_filter(Scope(), None)
    embedder = next(link for link in store.models.vectors.links if link.missing() is None).open()
    connection = open_file(str(next(state.rglob("vectors.sqlite"))))
    assert connection is not None
    recalls, searches, scans, agreed = [], [], [], []
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        for number, question in enumerate(_questions(memory)):
            recalls.append(timed(partial(memory.recall, question, scan=False)))
            searches.append(timed(partial(store.index.search, question, only, 10)))
            if number % (QUESTIONS // SCANNED) == 0:
                [vector] = embedder.embed([question])
                started = time.perf_counter()
                exact = _scan_all(connection, vector)
                scans.append(time.perf_counter() - started)
                found = store.models.vectors.index.nearest(embedder.model, vector, 10)
                agreed.append(len(exact & {key for key, _ in found}) / max(1, len(exact)))
    connection.close()
    return {
        **_compare(recalls, searches, scans),
        "scan": spread(scans),
        "nearest_in_exact_ten": round(statistics.mean(agreed), 3),
    }


def _scan_all(connection: apsw.Connection, vector: bytes) -> set[bytes]:
    """The keys of the ten nearest, by comparing all."""
    rows = connection.execute(
        "SELECT key FROM vectors ORDER BY vec_distance_cosine(vector, ?) LIMIT 10", (vector,)
    )
    return {key for (key,) in rows}


def _compare(recalls: list[float], searches: list[float], scans: list[float]) -> dict[str, object]:
    floor = statistics.median(searches) + statistics.median(scans)
    return {
        **spread(recalls),
        "full_text": spread(searches),
        "ratio": round(statistics.median(recalls) / floor, 2),
    }


def _processes(vault: Path, state: Path, size: int) -> dict[str, object]:
    """Cold processes, and the peak memory of one that has recalled often."""
    environment = dict(os.environ, ENGRAIN_VAULT=str(vault), ENGRAIN_STATE_DIR=str(state))
    question = corpus.real_questions(1)[0]
    commands = {
        "pass": [sys.executable, "-c", "pass"],
        "recall": [sys.executable, "-c", f"import sys{_COLD}", str(vault), str(state), question],
    }
    if size <= HISTORY_UP_TO:
        commands["cli"] = [sys.executable, "-m", "engrain", "recall", question, "--json"]
    took = time_processes(commands, COLD_RUNS, environment)
    floor = statistics.median(took.pop("pass"))
    cold = {
        name: {**spread(seconds), "ratio": round(statistics.median(seconds) / floor, 2)}
        for name, seconds in took.items()
    }
    peak = in_child(_WARM, str(vault), str(state))["peak_mib"]
    return {"cold": cold, "cold_floor_ms": round(floor * 1000, 2), "peak_mib": peak}


def _embed(vault: Path, state: Path, size: int) -> dict[str, object]:
    """Give every passage its vectors."""
    if size > EMBEDDED_UP_TO:
        seconds, count = _spread_vectors(open_store(vault, state))
        return {"vectors": count, "origin": "static, perturbed", "per_s": round(count / seconds)}
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        started = time.perf_counter()
        added = sum(outcome.added for outcome in memory.embed())
        seconds = time.perf_counter() - started
        again = timed(memory.embed)
    return {
        "vectors": added,
        "origin": "static",
        "per_s": round(added / seconds),
        "none_missing_s": round(again, 2),
    }


def _spread_vectors(store: Store) -> tuple[float, int]:
    """Vectors of all passages, out of those that some texts of the corpus have, with noise."""
    embedder = next(link for link in store.models.vectors.links if link.missing() is None).open()
    texts = corpus.mixed_texts(_SPREAD_FROM)
    real = [list(unpack(vector)) for vector in embedder.embed(texts)]
    chance = random.Random(8)
    noise = [[chance.gauss(0, _NOISE) for _ in real[0]] for _ in range(997)]
    started, count, before = time.perf_counter(), 0, None
    while True:
        with store.index.view() as view:
            numbers = view.newest_passages(before, _PAGE)
            found = view.details(numbers).values()
        if not numbers:
            return time.perf_counter() - started, count
        before = numbers[-1]
        keys = {key for passage in found for key in (own_key(passage.key), context_key(passage))}
        made = []
        for key in sorted(keys):
            drawn = int.from_bytes(blake2b(key, digest_size=8).digest(), "little")
            base, moved = real[drawn % len(real)], noise[drawn // len(real) % len(noise)]
            made.append((key, pack_unit([a + b for a, b in zip(base, moved, strict=True)])))
        store.models.vectors.index.add(embedder.model, embedder.size, made)
        count += len(made)
