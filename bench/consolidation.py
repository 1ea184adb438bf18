"""Consolidation: clusters against known answers, and what it costs at each size.

The weights and the threshold were chosen by `TUNED`; what is published is of `UNSEEN` seeds. Cost
is of a fresh process over a vault of so many episodes: the first consolidation, which writes
everything, and the next, which finds nothing new.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bench.consolidation_tasks import Labelled, make_tasks
from bench.measure import in_child
from engrain.language.text.clustering import ClusterItem, find_clusters
from engrain.model.experience.traces import WEIGHTS, Trace, features_of

TUNED = 1
UNSEEN = range(101, 106)

ROWS = (
    ("clusters, goals and files: pairwise precision / recall", "{quality[files][pairwise]}"),
    ("… B-cubed precision / recall", "{quality[files][b_cubed]}"),
    ("clusters, goals alone: pairwise precision / recall", "{quality[goals][pairwise]}"),
    ("… B-cubed precision / recall", "{quality[goals][b_cubed]}"),
    ("clustering by itself", "{clustering[seconds]} s, peak {clustering[peak_mib]} MiB"),
    ("`consolidate`, all new", "{first[seconds]} s, peak {first[peak_mib]} MiB"),
    ("… patterns, anti-patterns", "{first[patterns]}, {first[anti-patterns]}"),
    ("`consolidate` again", "{again[seconds]} s, peak {again[peak_mib]} MiB"),
    ("the job, where nothing changed", "{idle[seconds]} s"),
)

_CLUSTERING = """
from bench.consolidation_tasks import make_tasks
from engrain.language.text.clustering import ClusterItem, find_clusters
from engrain.model.experience.traces import WEIGHTS, features_of
from engrain.model.experience.traces import Trace
traces = [Trace(one.document["id"], one.document) for one in make_tasks(int(sys.argv[1]), 101)]
items = [ClusterItem(trace.id, features_of(trace)) for trace in traces]
began = time.perf_counter()
clusters = find_clusters(items, WEIGHTS)
result = {"seconds": round(time.perf_counter() - began, 2), "clusters": len(clusters)}
"""

_CONSOLIDATE = """
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], create=True) as memory:
    memory.list(limit=1)
    began = time.perf_counter()
    report = memory.episodes.consolidate(since=0)
    result = {"seconds": round(time.perf_counter() - began, 2), **report.counts}
"""

_JOB = """
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], create=True) as memory:
    memory.list(limit=1)
    memory.jobs.run(["consolidate"])
    began = time.perf_counter()
    [run] = memory.jobs.run(["consolidate"])
    result = {"seconds": round(time.perf_counter() - began, 2), **run.counts}
"""


def run(sizes: Sequence[int], folder: Path) -> list[dict[str, object]]:
    """The figures of each size."""
    found = []
    for size in sizes:
        place = folder / f"consolidation-{size}"
        fill(place / "vault", size)
        paths = (str(place / "vault"), str(place / "state"))
        quality = {
            name: measure_quality(size, files=files)
            for name, files in (("files", True), ("goals", False))
        }
        found.append(
            {
                "entries": size,
                "quality": quality,
                "clustering": in_child(_CLUSTERING, str(size)),
                "first": in_child(_CONSOLIDATE, *paths),
                "again": in_child(_CONSOLIDATE, *paths),
                "idle": in_child(_JOB, *paths),
            }
        )
    return found


def fill(vault: Path, size: int) -> None:
    """A vault of so many episodes, as files that the index takes in."""
    for one in make_tasks(size, UNSEEN[0]):
        document = one.document
        place = vault / "Memory/episodic" / document["timestamp"][:10] / f"{document['id']}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(document, indent=2) + "\n")


def measure_quality(
    size: int, *, files: bool, seeds: Sequence[int] = UNSEEN
) -> dict[str, tuple[float, float]]:
    """Precision and recall of the clusters, the mean over some seeds: of the pairs in one cluster,
    and B-cubed (Bagga and Baldwin 1998), which is of each episode's own cluster."""
    pairs, cubes = [], []
    for seed in seeds:
        tasks = make_tasks(size, seed, files=files)
        traces = [Trace(one.document["id"], one.document) for one in tasks]
        items = [ClusterItem(trace.id, features_of(trace)) for trace in traces]
        pair, cube = compare(find_clusters(items, WEIGHTS), tasks)
        pairs.append(pair)
        cubes.append(cube)
    return {"pairwise": _mean(pairs), "b_cubed": _mean(cubes)}


def compare(
    clusters: Sequence[Sequence[str]], tasks: Sequence[Labelled]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Precision and recall by pairs, and B-cubed; whatever is in no cluster is one by itself."""
    truth = {
        one.document["id"]: one.document["id"] if one.label is None else str(one.label)
        for one in tasks
    }
    found = {id_: f"single {id_}" for id_ in truth}
    found |= {id_: str(at) for at, cluster in enumerate(clusters) for id_ in cluster}
    both = Counter((found[id_], truth[id_]) for id_ in truth)
    by_found, by_truth = Counter(found.values()), Counter(truth.values())
    hits = sum(map(_pairs, both.values()))
    pairwise = (
        hits / max(1, sum(map(_pairs, by_found.values()))),
        hits / max(1, sum(map(_pairs, by_truth.values()))),
    )
    b_cubed = (
        mean(both[found[id_], truth[id_]] / by_found[found[id_]] for id_ in truth),
        mean(both[found[id_], truth[id_]] / by_truth[truth[id_]] for id_ in truth),
    )
    return pairwise, b_cubed


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def _mean(values: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return round(mean(one for one, _ in values), 3), round(mean(other for _, other in values), 3)
