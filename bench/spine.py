"""The spine: durable save, bulk import, warm and cold recall, rebuild, scan, many writers."""

from __future__ import annotations

import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from bench import corpus
from bench.measure import in_child, percentile, spread, time_processes, timed, write_durably
from engrain import Memory, open_memory

SAVES = 300
QUESTIONS = 200
COLD_RUNS = 30
WRITERS = 8
SAVES_EACH = 100

_REBUILD = """
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    started = time.perf_counter()
    memory.reindex()
    result = {"seconds": time.perf_counter() - started}
"""
_SCAN = """
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    memory.scan()
    started = time.perf_counter()
    memory.scan()
    result = {"seconds": time.perf_counter() - started}
"""
_READ_ALL = """
import hashlib, os
started = time.perf_counter()
for folder, _, names in os.walk(sys.argv[1] + "/Memory"):
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            hashlib.sha256(file.read()).digest()
result = {"seconds": time.perf_counter() - started}
"""
_STAT_ALL = """
import os
def walk(path):
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                walk(entry.path)
            else:
                entry.stat(follow_symlinks=False)
walk(sys.argv[1] + "/Memory")
started = time.perf_counter()
walk(sys.argv[1] + "/Memory")
result = {"seconds": time.perf_counter() - started}
"""
_WRITER = """
import sys, time
from engrain import open_memory
took = []
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    for number in range(int(sys.argv[4])):
        started = time.perf_counter()
        memory.save(f"Writer {sys.argv[3]} says {number}.", title=f"By {sys.argv[3]} no {number}")
        took.append(time.perf_counter() - started)
print(" ".join(map(str, took)))
"""


def measure(size: int, folder: Path) -> dict[str, object]:
    """Every figure at one size, in a folder of its own."""
    source, vault, state = folder / "source", folder / "vault", folder / "state"
    origin = corpus.write_folder(source, size)
    with open_memory(vault, state_dir=state, backend="device-local", create=True) as memory:
        figures: dict[str, object] = {"entries": size, "text": origin}
        figures["import"] = _import(memory, source, size)
        figures["save"] = _save(memory, folder / "bare")
        figures["recall"] = _recall(memory)
    figures["cold"] = _cold(vault, state)
    figures["rebuild"] = _against(_REBUILD, _READ_ALL, vault, state)
    figures["scan"] = _against(_SCAN, _STAT_ALL, vault, state)
    figures["writers"] = _writers(vault, state)
    index = sum(path.stat().st_size for path in state.rglob("index*") if path.is_file())
    figures["index_bytes_per_entry"] = round(index / size)
    return figures


def _import(memory: Memory, source: Path, size: int) -> dict[str, object]:
    def read_and_hash() -> None:
        for path in source.rglob("*.md"):
            hashlib.sha256(path.read_bytes()).digest()

    read_and_hash()
    floor = timed(read_and_hash)
    took = timed(partial(memory.import_folder, str(source), name="bench"))
    return {
        "entries_per_s": round(size / took),
        "floor_entries_per_s": round(size / floor),
        "ratio": round(took / floor, 1),
    }


def _save(memory: Memory, bare: Path) -> dict[str, object]:
    """Saves and bare durable writes of the same bytes, in turn."""
    bare.mkdir()
    _, pool = corpus.sentences()
    saves, floors = [], []
    for number, text in enumerate(corpus.make_notes(pool, SAVES, seed=3)):
        body = text.split("---\n", 2)[2]
        started = time.perf_counter()
        outcome = memory.save(body, title=f"Saved {number}", kind="fix")
        saves.append(time.perf_counter() - started)
        raw = memory.show(outcome.id).entry.note.raw if number == 0 else body.encode() + b"x" * 300
        floors.append(timed(partial(write_durably, bare, number, raw)))
    ratio = statistics.median(saves) / statistics.median(floors)
    return {**spread(saves), "floor": spread(floors), "ratio": round(ratio, 2)}


def _recall(memory: Memory) -> dict[str, object]:
    """Warm recalls with the scan for outside edits, and without it."""
    memory.recall("warm up")
    questions = corpus.make_questions(QUESTIONS)
    return {
        "with_scan": spread([timed(partial(memory.recall, text)) for text in questions[:50]]),
        "without": spread([timed(partial(memory.recall, text, scan=False)) for text in questions]),
    }


def _cold(vault: Path, state: Path) -> dict[str, object]:
    environment = dict(os.environ, ENGRAIN_VAULT=str(vault), ENGRAIN_STATE_DIR=str(state))
    question = corpus.make_questions(1)[0]
    took = time_processes(
        {
            "recall": [sys.executable, "-m", "engrain", "recall", question, "--json"],
            "pass": [sys.executable, "-c", "pass"],
        },
        COLD_RUNS,
        environment,
    )
    ratio = statistics.median(took["recall"]) / statistics.median(took["pass"])
    return {**spread(took["recall"]), "floor": spread(took["pass"]), "ratio": round(ratio, 2)}


def _against(code: str, floor: str, vault: Path, state: Path) -> dict[str, object]:
    taken = in_child(code, str(vault), str(state))
    base = in_child(floor, str(vault), str(state))
    return {
        "seconds": round(taken["seconds"], 3),
        "floor_seconds": round(base["seconds"], 3),
        "ratio": round(taken["seconds"] / base["seconds"], 1),
        "peak_mib": taken["peak_mib"],
    }


def _writers(vault: Path, state: Path) -> dict[str, object]:
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        before = memory.list().total
        started = time.perf_counter()
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", _WRITER, str(vault), str(state), str(n), str(SAVES_EACH)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for n in range(WRITERS)
        ]
        took = [float(word) for writer in writers for word in writer.communicate()[0].split()]
        seconds = time.perf_counter() - started
        lost = before + WRITERS * SAVES_EACH - memory.list().total
        broken = [report.wrong for report in memory.trust.survey().chains if report.wrong]
    return {
        "processes": WRITERS,
        "saves_per_s": round(len(took) / seconds),
        "p50_ms": spread(took)["p50_ms"],
        "p99_ms": round(percentile(took, 0.99) * 1000, 1),
        "lost": lost,
        "history": broken or "unbroken",
    }


def run(sizes: list[int], folder: Path) -> list[dict[str, object]]:
    """The figures of every size."""
    results = []
    for size in sizes:
        below = folder / str(size)
        shutil.rmtree(below, ignore_errors=True)
        below.mkdir(parents=True)
        print(f"{size} entries …", file=sys.stderr)
        results.append(measure(size, below))
        shutil.rmtree(below)
    return results
