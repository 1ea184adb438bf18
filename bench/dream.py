"""The dream over a seeded corpus: precision and recall of what it finds, and what it costs.

python tasks.py bench --dream                          5,000 and 10,000 notes
python tasks.py bench --dream --notes 10000,100000     other sizes; the exponent is between them
python tasks.py bench --dream --seed 1 --wrong         another corpus, with the ids of the misjudged

What is judged is what each stage finds, without what the dream passes over since an earlier stage
covers it, and before its cap. Cost is of a fresh process that dreams over the vault for the first
time, everything proposed. No model is used.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from bench import dream_corpus
from bench.measure import describe_machine, in_child
from bench.vault import open_store

KINDS = {"duplicate": "duplicates", "link": "links"}
"""The kinds of findings that are judged, and the labels of each."""

_INDEX = """
from engrain import open_memory
began = time.perf_counter()
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", create=True) as memory:
    memory.reindex()
result = {"seconds": round(time.perf_counter() - began, 1)}
"""

_FIND = """
from bench.dream import find_all
result = find_all(sys.argv[1], sys.argv[2])
"""

_DREAM = """
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    memory.list(limit=1)
    began = time.perf_counter()
    done = memory.jobs.dream(only=sys.argv[3].split(","))
    seconds = round(time.perf_counter() - began, 1)
    result = {"seconds": seconds, "found": done.count("found"), "errors": dict(done.problems)}
    result["proposed"] = done.count("proposed")
"""


class Score(NamedTuple):
    """What came of one kind: of the findings how many are right, wrong or neither, and of the
    labels how many are found; with the ids of what is wrong and what is missing."""

    kind: str
    findings: int
    right: int
    labels: int
    found: int
    wrong: list[list[str]]
    missed: list[list[str]]

    @property
    def precision(self) -> float | None:
        judged = self.right + len(self.wrong)
        return round(self.right / judged, 3) if judged else None

    @property
    def recall(self) -> float | None:
        return round(self.found / self.labels, 3) if self.labels else None

    def as_dict(self, *, ids: bool) -> dict[str, Any]:
        """The figures, with the ids if asked for."""
        said = {"findings": self.findings, "right": self.right, "wrong": len(self.wrong)}
        said |= {"labels": self.labels, "found": self.found}
        more = {"wrong_ids": self.wrong, "missed_ids": self.missed} if ids else {}
        return {**said, "precision": self.precision, "recall": self.recall, **more}


def find_all(vault: str, state: str) -> dict[str, Any]:
    """What the stages find in a vault whose index is there, by kind, and the seconds of each."""
    import time

    from engrain.engine.core.active_notes import ActiveNotes
    from engrain.lifecycle.dreaming.run import STAGES

    store = open_store(Path(vault), Path(state))
    store.require_index(scan=True)
    found: dict[str, list[tuple[str, ...]]] = {}
    seconds: dict[str, float] = {}
    for stage in STAGES:
        if stage.kind not in KINDS:
            continue
        began = time.perf_counter()
        entries = [
            one.entries for one in stage.load()(store, ActiveNotes(store), store.clock.now())
        ]
        seconds[stage.kind] = round(time.perf_counter() - began, 2)
        before = [set(ids) for kind in stage.behind for ids in found.get(kind, ())]
        found[stage.kind] = [
            ids for ids in entries if not any(one.issuperset(ids) for one in before)
        ]
    return {"found": found, "seconds": seconds}


def score(
    kind: str, findings: Iterable[Sequence[str]], labels: dict[str, list[dict[str, Any]]]
) -> Score:
    """What the findings of a kind are worth. A pair is found when a finding names both, of a link
    in their order."""
    truth = [tuple(one["entries"]) for one in labels[KINDS[kind]]]
    ordered = (lambda ids: ids) if kind == "link" else sorted
    known = {tuple(ordered(entries)): entries for entries in truth}
    let = [set(one["entries"]) for one in labels["tolerated"] if one["kind"] == kind]
    named, wrong, right, count = set(), [], 0, 0
    for ids in findings:
        count += 1
        if tuple(ordered(ids)) in known:
            right += 1
            named.add(tuple(ordered(ids)))
        elif not any(one.issuperset(ids) for one in let):
            wrong.append(list(ids))
    missed = [list(entries) for key, entries in known.items() if key not in named]
    return Score(kind, count, right, len(truth), len(truth) - len(missed), wrong, missed)


def run(sizes: Sequence[int], folder: Path, seed: int) -> list[dict[str, Any]]:
    """The figures of each size."""
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    results: list[dict[str, Any]] = []
    for size in sizes:
        vault, state = folder / f"dream-{size}", folder / f"state-{size}"
        labels = json.loads(dream_corpus.write(vault, size, seed).read_text(encoding="utf-8"))
        in_child(_INDEX, str(vault), str(state))
        found: dict[str, Any] = in_child(_FIND, str(vault), str(state))
        dreamt: dict[str, Any] = in_child(_DREAM, str(vault), str(state), ",".join(KINDS))
        results.append(
            {
                "notes": size,
                "scores": [score(kind, found["found"].get(kind, ()), labels) for kind in KINDS],
                "finding": {"seconds": found["seconds"], "peak_mib": found["peak_mib"]},
                "dream": dreamt,
            }
        )
    return results


def exponents(results: Sequence[dict[str, Any]]) -> list[float]:
    """By which power of the number of notes the time of a dream grows, from size to size."""
    return [
        round(
            math.log(more["dream"]["seconds"] / less["dream"]["seconds"])
            / math.log(more["notes"] / less["notes"]),
            2,
        )
        for less, more in pairwise(results)
    ]


def render(results: Sequence[dict[str, Any]], *, wrong: bool = False) -> str:
    """The figures as tables of Markdown."""
    lines = []
    for result in results:
        lines += [f"{result['notes']} notes", "", "| kind | labels | found | right | wrong |"]
        lines[-1] += " precision | recall |"
        lines.append("|---|---:|---:|---:|---:|---:|---:|")
        for one in result["scores"]:
            cells = (one.kind, one.labels, one.found, one.right, len(one.wrong))
            lines.append(f"| {' | '.join(map(str, (*cells, one.precision, one.recall)))} |")
        stages = ", ".join(f"{kind} {s} s" for kind, s in result["finding"]["seconds"].items())
        dreamt = result["dream"]
        lines += ["", f"finding: {stages}; peak {result['finding']['peak_mib']} MiB"]
        lines += [f"dream: {dreamt['seconds']} s, peak {dreamt['peak_mib']} MiB"]
        lines[-1] += f"; proposed {dreamt['proposed']}"
        lines += [f"failed: {name}: {why}" for name, why in dreamt["errors"].items()]
        if wrong:
            for one in result["scores"]:
                lines += [f"{one.kind} wrong: {' '.join(ids)}" for ids in one.wrong]
                lines += [f"{one.kind} missed: {' '.join(ids)}" for ids in one.missed]
        lines.append("")
    if len(results) > 1:
        lines.append(f"time grows with the notes to the power of {exponents(results)}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Dream over corpora of some sizes and print how well that went and what it cost."""
    parser = argparse.ArgumentParser(
        prog="bench --dream",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--notes", default="5000,10000", help="sizes, comma-separated")
    parser.add_argument("--seed", type=int, default=0, help="which corpus (default 0)")
    parser.add_argument("--wrong", action="store_true", help="the ids of the misjudged as well")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--folder", type=Path, help="work here instead of a temp folder")
    args = parser.parse_args(arguments)
    sizes = [int(size) for size in args.notes.split(",")]
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        results = run(sizes, args.folder or Path(temp), args.seed)
    if not args.json:
        print(render(results, wrong=args.wrong))
        return
    told = [
        {**one, "scores": {s.kind: s.as_dict(ids=args.wrong) for s in one["scores"]}}
        for one in results
    ]
    exponent = exponents(results)
    machine = describe_machine()
    print(json.dumps({"machine": machine, "dream": told, "exponents": exponent}, indent=2))
