"""Two runs over the same questions: is one better, or are these questions an accident?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engrain.evaluation.fields import as_record, as_text, parse_json, reject
from engrain.evaluation.resampling import Difference, Resampling
from engrain.evaluation.summary import Report
from engrain.model.errors import UsageError

Rows: TypeAlias = "dict[str, dict[str, dict[str, float]]]"
"""Part of a run (a unit, or a way to put questions) -> question id -> metric -> value."""


_EXPECTED = "a run that `engrain eval` saved"


@dataclass(slots=True, eq=False)
class Run:
    """A measured run, as it is compared: its name and what each question got."""

    name: str
    rows: Rows


@dataclass(slots=True, eq=False)
class Comparison:
    """Two runs compared by part and metric; `shared` is the number of questions that both were
    asked, `alone` of those that only one was."""

    before: str
    after: str
    parts: dict[str, dict[str, Difference]] = field(default_factory=dict, init=False)
    shared: dict[str, int] = field(default_factory=dict, init=False)
    alone: dict[str, int] = field(default_factory=dict, init=False)


def collect_rows(report: Report) -> Rows:
    """Return what each question of a measurement got, in the form that is saved and compared."""
    measured = report.measured
    served = {f"{unit} as served": rankings for unit, rankings in measured.served.items()}
    rows: Rows = {
        unit: {ranking.question.id: ranking.scores for ranking in rankings}
        for unit, rankings in (measured.rankings | served).items()
        if rankings
    }
    for condition, estimates in measured.estimates.items():
        for estimate in estimates:
            part = f"{'own' if estimate.own else 'foreign'} {condition}"
            metric = "answered" if estimate.own else "silenced"
            right = estimate.silent != estimate.own
            rows.setdefault(part, {})[estimate.question] = {metric: float(right)}
    return rows


def read_run(raw: bytes, name: str) -> Run:
    """A saved run. Raises MalformedError."""
    saved = as_record(parse_json(raw, _EXPECTED), "the run", _EXPECTED)
    rows: Rows = {}
    for part, questions in as_record(saved.get("rows"), "rows", _EXPECTED).items():
        rows[part] = {}
        for id_, scores in as_record(questions, f"rows of {part}", _EXPECTED).items():
            record = as_record(scores, f"{part} of {id_}", _EXPECTED)
            rows[part][id_] = {
                metric: _as_number(value, f"{metric} of {id_}") for metric, value in record.items()
            }
    return Run(as_text(saved.get("name", name), "name", _EXPECTED), rows)


def compare_runs(before: Run, after: Run) -> Comparison:
    """Compare every metric of the questions that both runs were asked, by paired bootstrap.

    Raises UsageError where they share none.
    """
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
        found.parts[part] = {
            metric: Difference(
                _column(first, ids, metric), _column(second, ids, metric), resampling
            )
            for metric in metrics
        }
    if not found.parts:
        raise UsageError(
            f"{before.name} and {after.name} have no question in common",
            remedy="compare two runs of one question set",
        )
    return found


def _column(
    rows: Mapping[str, Mapping[str, float]], ids: Sequence[str], metric: str
) -> list[float]:
    return [rows[id_][metric] for id_ in ids]


def _as_number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        reject(f"{where} is no number", _EXPECTED)
    return float(value)
