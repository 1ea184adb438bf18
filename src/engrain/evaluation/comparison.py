"""Read the saved runs of an evaluation, and compare two of them question by question."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TypeAlias

from engrain.evaluation.metrics import MetricDifference, Resampling
from engrain.evaluation.questions import reject
from engrain.model.errors import UsageError

Rows: TypeAlias = "dict[str, dict[str, dict[str, float]]]"
"""Part of a run (the ranking, or own or foreign questions) -> question id -> metric -> value."""


@dataclass(slots=True, eq=False)
class ComparedRun:
    """A run to compare: its name and the scores of each question."""

    name: str
    rows: Rows


@dataclass(slots=True, eq=False)
class Comparison:
    """Two runs compared by part and metric; `shared` is the number of questions of both, `alone`
    the number of questions of only one."""

    before: str
    after: str
    parts: dict[str, dict[str, MetricDifference]] = field(default_factory=dict, init=False)
    shared: dict[str, int] = field(default_factory=dict, init=False)
    alone: dict[str, int] = field(default_factory=dict, init=False)


def read_run(raw: bytes, name: str) -> ComparedRun:
    """Read a saved run. Raises MalformedError."""
    try:
        saved = json.loads(raw)
        rows = {
            part: {
                id_: {metric: float(value) for metric, value in scores.items()}
                for id_, scores in asked.items()
            }
            for part, asked in saved["rows"].items()
        }
        return ComparedRun(str(saved.get("name", name)), rows)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        reject(f"{name} is no saved run", expected="a run that `engrain eval` saved")


def compare_runs(before: ComparedRun, after: ComparedRun) -> Comparison:
    """Compare every metric of the questions of both runs, by paired bootstrap. Raises UsageError
    if they share none."""
    found = Comparison(before.name, after.name)
    for part, first in before.rows.items():
        second = after.rows.get(part, {})
        ids = [id_ for id_ in first if id_ in second]
        if not ids:
            continue
        resampling = Resampling(len(ids))
        found.shared[part] = len(ids)
        found.alone[part] = len(first) + len(second) - 2 * len(ids)
        metrics = [
            metric
            for metric in first[ids[0]]
            if all(metric in first[id_] and metric in second[id_] for id_ in ids)
        ]
        found.parts[part] = {}
        for metric in metrics:
            earlier, later = ([rows[id_][metric] for id_ in ids] for rows in (first, second))
            found.parts[part][metric] = MetricDifference(earlier, later, resampling)
    if not found.parts:
        raise UsageError(
            f"{before.name} and {after.name} have no question in common",
            remedy="compare two runs of one question set",
        )
    return found
