"""The graph: what links add to building and updating an index, neighbours, walks, and the channel.

Links are held against the same notes without any; the channel against the same recall without it.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench import corpus, linked
from bench.measure import in_child, spread, time_processes, timed
from bench.report import Rows
from bench.vault import open_store
from engrain import open_memory
from engrain.engine.core.scope import Scope, make_filter
from engrain.engine.core.store import Store
from engrain.engine.recall.gathering import walk
from engrain.engine.recall.profiles import PROFILES, Profile
from engrain.index.view import IndexView
from engrain.seam.batches import Batch

CHANGED = 200
"""Notes that are changed one by one."""
WALKS = 500
QUESTIONS = 150
COLD_RUNS = 15
WEIGHT = 1.0
"""What the channel counts in the recall that is measured."""
_NOW = 1_800_000_000.0

ROWS: Rows = (
    ("edges", "{edges}"),
    ("index built", "{build[seconds]} s, peak {build[peak_mib]} MiB"),
    (
        "… of the same notes without links",
        "{build[floor][seconds]} s, peak {build[floor][peak_mib]} MiB",
    ),
    ("… **ratio**", "**{build[ratio]}**"),
    ("index, bytes a note; an edge", "{index_bytes_per_note}; {index_bytes_per_edge}"),
    ("a note changed, p50 / p95", "{update[p50_ms]} / {update[p95_ms]} ms"),
    ("… without links, p50", "{update[floor][p50_ms]} ms"),
    ("… **ratio**", "**{update[ratio]}**"),
    ("a note given another name, p50 / p95", "{rename[p50_ms]} / {rename[p95_ms]} ms"),
    ("neighbours of a note, p50 / p95", "{neighbours[p50_ms]} / {neighbours[p95_ms]} ms"),
    ("walk of three hops, p50 / p95", "{walk[p50_ms]} / {walk[p95_ms]} ms"),
    ("… entries reached, p50 / most", "{walk[reached]} / {walk[most_reached]}"),
    ("… from the best known notes, p95", "{walk_from_hubs[p95_ms]} ms"),
    (
        "recall of a prompt, warm, p50 / p95",
        "{recall[without][p50_ms]} / {recall[without][p95_ms]} ms",
    ),
    ("… with the channel", "{recall[with][p50_ms]} / {recall[with][p95_ms]} ms"),
    ("… **ratio**", "**{recall[ratio]}**"),
    (
        "cold process: neighbours, p50 / p95",
        "{cold[neighbours][p50_ms]} / {cold[neighbours][p95_ms]} ms",
    ),
    ("… walk", "{cold[walk][p50_ms]} / {cold[walk][p95_ms]} ms"),
    ("… prompt", "{cold[prompt][p50_ms]} / {cold[prompt][p95_ms]} ms"),
    ("… prompt with the channel", "{cold[prompt_with][p50_ms]} / {cold[prompt_with][p95_ms]} ms"),
    ("… `python -c pass`, p50", "{cold[pass][p50_ms]} ms"),
    ("peak memory after 150 recalls with the channel", "{peak_mib} MiB"),
)

_BUILD = """
from pathlib import Path
from bench import linked
from bench.vault import open_store
store = open_store(Path(sys.argv[1]), Path(sys.argv[2]))
began = time.perf_counter()
store.index.rebuild(linked.batches(int(sys.argv[3]), links=sys.argv[4] == "links"))
result = {"seconds": round(time.perf_counter() - began, 1)}
"""
_OPEN = """
import sys
from engrain import open_memory
from engrain.engine.recall.profiles import PROFILES
"""
_WALK = """
import sys
from pathlib import Path
from bench.vault import open_store
store = open_store(Path(sys.argv[1]), Path(sys.argv[2]))
with store.index.view() as view:
    start = view.number(sys.argv[3])
"""
_NEIGHBOURS = f"{_WALK}    view.edges_from([start]), view.edges_to([start])\n"
_FAR = f"""{_WALK}    from engrain.engine.recall.gathering import walk
    walk(view, {{start: 1.0}}, set, {_NOW})
"""
_PROMPT = f"""{_OPEN}
profile = PROFILES["prompt"]
profile = profile.replace(weights={{**profile.weights, "graph": float(sys.argv[4])}})
memory = open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", cold=True)
memory.recall(sys.argv[3], profile=profile, scan=False)
"""
_WARM = f"""
from bench import corpus
{_OPEN}
profile = PROFILES["prompt"]
profile = profile.replace(weights={{**profile.weights, "graph": {WEIGHT}}})
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    for question in corpus.real_questions({QUESTIONS}):
        memory.recall(question, profile=profile, scan=False)
result = {{}}
"""


def run(sizes: list[int], folder: Path) -> list[dict[str, object]]:
    """The figures of every size."""
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    results = []
    for size in sizes:
        below = folder / f"graph-{size}"
        shutil.rmtree(below, ignore_errors=True)
        below.mkdir(parents=True)
        print(f"a graph of {size} notes …", file=sys.stderr)
        results.append(measure(size, below))
        shutil.rmtree(below)
    return results


def measure(size: int, folder: Path) -> dict[str, object]:
    """Every figure at one size."""
    vault, state, bare = folder / "vault", folder / "state", folder / "bare"
    for place in (state, bare):
        with open_memory(vault, state_dir=place, backend="device-local", create=True):
            pass
    for path, raw in linked.make_notes(size, links=True):
        note = vault / path
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_bytes(raw)
    figures: dict[str, object] = {"entries": size, "text": corpus.sentences()[0]}
    figures |= _build(vault, state, bare, size)
    store, floor = open_store(vault, state), open_store(vault, bare)
    with store.index.view() as view:
        edges = sum(1 for _ in view.edges())
        figures["edges"] = edges
        figures |= _walks(view, size)
    held = [_bytes(place) for place in (state, bare)]
    figures["index_bytes_per_note"] = held[0] // size
    figures["index_bytes_per_edge"] = (held[0] - held[1]) // max(1, edges)
    figures["recall"] = _recalls(vault, state)
    figures["cold"] = _processes(vault, state)
    figures["peak_mib"] = in_child(_WARM, str(vault), str(state))["peak_mib"]
    return figures | _changes(store, floor, size)


def _bytes(state: Path) -> int:
    return sum(path.stat().st_size for path in state.rglob("index/*") if path.is_file())


def _build(vault: Path, state: Path, bare: Path, size: int) -> dict[str, object]:
    """Both indexes, each in a process of its own."""
    told = {
        links: in_child(_BUILD, str(vault), str(place), str(size), links)
        for links, place in (("none", bare), ("links", state))
    }
    ratio = round(told["links"]["seconds"] / told["none"]["seconds"], 2)
    return {"build": {**told["links"], "floor": told["none"], "ratio": ratio}}


def _walks(view: IndexView, size: int) -> dict[str, object]:
    """Neighbours and walks from notes picked at random, and from those that most link to."""
    chance = random.Random(3)
    picked = [chance.randrange(size) for _ in range(WALKS)]
    known = [number * (size // linked.KNOWN or 1) for number in range(min(50, size))]
    starts, hubs = _numbers(view, picked), _numbers(view, known)
    only = make_filter(Scope(), None)
    reached: list[int] = []

    def admit(entries: object) -> list[int]:
        return [place[1] for place in view.firsts(entries, only)]  # type: ignore[arg-type]

    def go(start: int) -> None:
        reached.append(len(walk(view, {start: 1.0}, admit, _NOW)))

    def look(start: int) -> None:
        view.edges_from([start])
        view.edges_to([start])

    for start in starts[:50]:  # what is warm is measured warm
        go(start)
    reached.clear()
    walked = _times(go, starts)
    told = {"reached": int(statistics.median(reached)), "most_reached": max(reached)}
    return {
        "neighbours": _times(look, starts),
        "walk": walked | told,
        "walk_from_hubs": _times(go, hubs),
    }


def _times(action: Callable[[int], None], starts: list[int]) -> dict[str, float]:
    return spread([timed(partial(action, start)) for start in starts])


def _numbers(view: IndexView, notes: list[int]) -> list[int]:
    found = [view.number(linked.path_of(note)) for note in notes]
    return [number for number in found if number is not None]


def _with_channel(weight: float) -> Profile:
    prompt = PROFILES["prompt"]
    return replace(prompt, weights={**prompt.weights, "graph": weight})


def _recalls(vault: Path, state: Path) -> dict[str, object]:
    """Recalls with the channel and without it in turn."""
    took: dict[str, list[float]] = {"without": [], "with": []}
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        for question in corpus.real_questions(20, seed=7):
            memory.recall(question, profile=_with_channel(WEIGHT), scan=False)
        for question in corpus.real_questions(QUESTIONS):
            for name, weight in (("without", 0.0), ("with", WEIGHT)):
                ask = partial(memory.recall, question, profile=_with_channel(weight), scan=False)
                took[name].append(timed(ask))
    ratio = statistics.median(took["with"]) / statistics.median(took["without"])
    return {**{name: spread(each) for name, each in took.items()}, "ratio": round(ratio, 2)}


def _processes(vault: Path, state: Path) -> dict[str, object]:
    python, places = [sys.executable, "-c"], [str(vault), str(state)]
    start, question = linked.path_of(7), corpus.real_questions(1)[0]
    commands = {
        "pass": [*python, "pass"],
        "neighbours": [*python, _NEIGHBOURS, *places, start],
        "walk": [*python, _FAR, *places, start],
        "prompt": [*python, _PROMPT, *places, question, "0"],
        "prompt_with": [*python, _PROMPT, *places, question, str(WEIGHT)],
    }
    took = time_processes(commands, COLD_RUNS, dict(os.environ))
    return {name: spread(seconds) for name, seconds in took.items()}


def _changes(store: Store, floor: Store, size: int) -> dict[str, object]:
    """Notes that are changed, in both indexes, and notes that get another name."""
    chance = random.Random(4)
    picked = [chance.randrange(size) for _ in range(CHANGED)]
    took: dict[str, list[float]] = {"linked": [], "bare": [], "renamed": []}
    for number in picked:
        ends = [chance.randrange(size) for _ in range(10)]
        for name, index, links in (("linked", store.index, ends), ("bare", floor.index, [])):
            raw = linked.compose(number, [f"changed {number}", "a", "b"], links).encode()
            document = linked.read(linked.path_of(number), raw)
            took[name].append(timed(partial(index.apply, Batch(documents=[document]))))
        raw = linked.compose(number, [f"called otherwise {number}", "a", "b"], ends).encode()
        document = linked.read(linked.path_of(number), raw)
        took["renamed"].append(timed(partial(store.index.apply, Batch(documents=[document]))))
    ratio = statistics.median(took["linked"]) / statistics.median(took["bare"])
    return {
        "update": {
            **spread(took["linked"]), "floor": spread(took["bare"]), "ratio": round(ratio, 2),
        },
        "rename": spread(took["renamed"]),
    }  # fmt: skip
