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
from functools import partial
from pathlib import Path

from bench import corpus, linked
from bench.measure import in_child, spread, time_processes, timed
from bench.report import Rows
from bench.vault import open_store
from engrain import open_memory
from engrain.engine.recall.profiles import PROFILES, Profile
from engrain.engine.recall.walking import walk
from engrain.engine.scope import Scope, make_filter
from engrain.engine.store import Store
from engrain.seam.search import Batch
from engrain.seam.view import IndexView

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
    ("… of the same notes without links", "{build[floor][seconds]} s, peak {build[floor][peak_mib]} MiB"),
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
    ("recall of a prompt, warm, p50 / p95", "{recall[without][p50_ms]} / {recall[without][p95_ms]} ms"),
    ("… with the channel", "{recall[with][p50_ms]} / {recall[with][p95_ms]} ms"),
    ("… **ratio**", "**{recall[ratio]}**"),
    ("cold process: neighbours, p50 / p95", "{cold[neighbours][p50_ms]} / {cold[neighbours][p95_ms]} ms"),
    ("… walk", "{cold[walk][p50_ms]} / {cold[walk][p95_ms]} ms"),
    ("… prompt", "{cold[prompt][p50_ms]} / {cold[prompt][p95_ms]} ms"),
    ("… prompt with the channel", "{cold[prompt_with][p50_ms]} / {cold[prompt_with][p95_ms]} ms"),
    ("… `python -c pass`, p50", "{cold[pass][p50_ms]} ms"),
    ("peak memory after 150 recalls with the channel", "{peak_mib} MiB"),
)  # fmt: skip

_BUILD = """
from pathlib import Path
from bench import linked
from bench.vault import open_store
began = time.perf_counter()
batches = list(linked.batches(int(sys.argv[3]), links=sys.argv[4] == "links"))
read = time.perf_counter() - began
store = open_store(Path(sys.argv[1]), Path(sys.argv[2]))
began = time.perf_counter()
store.index.rebuild(iter(batches) if sys.argv[5] == "held" else linked.batches(int(sys.argv[3]), links=sys.argv[4] == "links"))
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
_FAR = f"""{_WALK}    from engrain.engine.recall.walking import walk
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
