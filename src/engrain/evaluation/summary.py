"""Compute figures from answers: means with intervals, by category and conversation, silence, and
the comparison of two runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engrain.evaluation.measurement import (
    FOREIGN_NAMELESS,
    NAMELESS,
    PLAIN,
    Estimate,
    Measured,
    Ranking,
)
from engrain.evaluation.metrics import (
    METRICS,
    MetricDifference,
    Resampling,
    area_interval,
    area_under_curve,
    mean,
    percentile,
    silence_curve,
    threshold_losing,
)
from engrain.evaluation.question_set import (
    GoldQuestion,
    QuestionRecord,
    as_record,
    parse_json,
    reject,
)
from engrain.model.errors import UsageError

Interval: TypeAlias = "tuple[float, float]"

LOST = 0.03
"""The share of own questions that a threshold may silence by mistake."""


class Figures:
    """The means of every metric over `n` questions, with 95 % intervals and latencies in
    milliseconds (p50, p95)."""

    def __init__(self, rankings: Sequence[Ranking]) -> None:
        self.n = len(rankings)
        self.means: dict[str, float] = {}
        self.intervals: dict[str, Interval] = {}
        resampling = Resampling(self.n)
        for metric in METRICS:
            values = [ranking.scores[metric] for ranking in rankings]
            self.means[metric] = mean(values)
            self.intervals[metric] = resampling.interval(values)
        times = [ranking.answer.milliseconds for ranking in rankings]
        self.latency = {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}


class UnitReport:
    """The figures of one unit: of all questions, by category and, if the set has conversations, by
    conversation."""

    def __init__(self, rankings: Sequence[Ranking]) -> None:
        self.whole = Figures(rankings)
        self.by_category = _split(rankings, lambda asked: asked.category)
        self.by_group = _split(
            rankings, lambda asked: "" if asked.group == asked.category else asked.group
        )


@dataclass(slots=True, eq=False)
class HeldOut:
    """The shares silenced by a threshold for each conversation, chosen on the other conversations
    so that at most `LOST` of their own questions are lost."""

    own_silenced: float
    foreign_silenced: float
    thresholds: dict[str, float]


class SilenceFigures:
    """Own and foreign questions: the area under the ROC curve of their estimated relevance
    (`area`), the shares silenced by the profile's threshold, and the effects of other thresholds
    (`curve`, see `silence_curve`). `held_out` is None for fewer than two conversations."""

    def __init__(self, own: Sequence[Estimate], foreign: Sequence[Estimate]) -> None:
        self.own, self.foreign = len(own), len(foreign)
        silent = [float(estimate.silent) for estimate in own]
        silent_foreign = [float(estimate.silent) for estimate in foreign]
        self.own_silenced, self.foreign_silenced = mean(silent), mean(silent_foreign)
        estimated = [estimate.relevance for estimate in own]
        estimated_foreign = [estimate.relevance for estimate in foreign]
        self.area = area_under_curve(estimated, estimated_foreign)
        self.curve = silence_curve(estimated, estimated_foreign)
        self.intervals: dict[str, Interval] = {
            "auc": area_interval(estimated, estimated_foreign),
            "own_silenced": Resampling(self.own).interval(silent),
            "foreign_silenced": Resampling(self.foreign).interval(silent_foreign),
        }
        self.held_out = _hold_out(own, foreign)


@dataclass(slots=True, eq=False)
class Lead:
    """The difference between recall and the best baseline in one metric, paired by question."""

    baseline: str
    difference: MetricDifference


class MeasurementReport:
    """All figures of one measurement, and the measurement. `served` are the figures of the
    profile's answers with silence, if that was measured."""

    def __init__(self, name: str, measured: Measured, skipped: int = 0) -> None:
        self.name = name
        self.measured = measured
        self.skipped = skipped
        self.units = {
            unit: UnitReport(rankings) for unit, rankings in measured.rankings.items() if rankings
        }
        self.served = {
            unit: Figures(rankings) for unit, rankings in measured.served.items() if rankings
        }
        self.baselines = {
            baseline: {unit: Figures(rankings) for unit, rankings in units.items() if rankings}
            for baseline, units in measured.baselines.items()
        }
        self.silence = _compare_silences(measured)

    def leads(self, unit: str, metrics: Sequence[str]) -> dict[str, Lead]:
        """Return for each metric the difference between the served answers (the ranked ones if
        silence was not measured) and the best baseline; empty without baselines."""
        rankings = self.measured.served.get(unit) or self.measured.rankings[unit]
        resampling = Resampling(len(rankings))
        found = {}
        for metric in metrics:
            rivals = {name: units[unit].means[metric] for name, units in self.baselines.items()}
            if rivals:
                best = max(rivals, key=lambda name: rivals[name])
                before, after = (
                    [ranking.scores[metric] for ranking in each]
                    for each in (self.measured.baselines[best][unit], rankings)
                )
                found[metric] = Lead(best, MetricDifference(before, after, resampling))
        return found


def _compare_silences(measured: Measured) -> dict[str, SilenceFigures]:
    """Return silence by condition. Foreign questions without names are compared with own questions
    as they are, and also with own ones without names if there are any."""
    asked = {
        (condition, own): [estimate for estimate in estimates if estimate.own == own]
        for condition, estimates in measured.estimates.items()
        for own in (True, False)
    }
    plain, nameless = ((condition, True) for condition in (PLAIN, NAMELESS))
    pairs = {PLAIN: (plain, PLAIN), FOREIGN_NAMELESS: (plain, NAMELESS)}
    pairs[NAMELESS] = (nameless, NAMELESS)
    if not asked.get(nameless):
        pairs[NAMELESS] = pairs.pop(FOREIGN_NAMELESS)
    return {
        name: SilenceFigures(asked[own], asked[condition, False])
        for name, (own, condition) in pairs.items()
        if asked.get(own) and asked.get((condition, False))
    }


def _split(rankings: Sequence[Ranking], key: Callable[[GoldQuestion], str]) -> dict[str, Figures]:
    """Return figures by the key of questions, in its order, without the key ""."""
    parts: dict[str, list[Ranking]] = {}
    for ranking in rankings:
        if name := key(ranking.question):
            parts.setdefault(name, []).append(ranking)
    return {name: Figures(parts[name]) for name in sorted(parts)}


def _hold_out(own: Sequence[Estimate], foreign: Sequence[Estimate]) -> HeldOut | None:
    groups = sorted({estimate.group for estimate in own})
    if len(groups) < 2:
        return None
    thresholds = {
        group: threshold_losing(
            [estimate.relevance for estimate in own if estimate.group != group], LOST
        )
        for group in groups
    }
    lost = [float(each.relevance < thresholds[each.group]) for each in own]
    # A foreign question of a group without own ones was not used to choose any threshold.
    loosest = min(thresholds.values())
    silenced = [float(each.relevance < thresholds.get(each.group, loosest)) for each in foreign]
    return HeldOut(mean(lost), mean(silenced), thresholds)


Rows: TypeAlias = "dict[str, dict[str, dict[str, float]]]"
"""Part of a run (a unit, or a condition of questions) -> question id -> metric -> value."""

_EXPECTED = "a run that `engrain eval` saved"


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


def collect_rows(report: MeasurementReport) -> Rows:
    """Return the scores of each question, in the form that is saved and compared."""
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


def read_run(raw: bytes, name: str) -> ComparedRun:
    """Read a saved run. Raises MalformedError."""
    saved = as_record(parse_json(raw, _EXPECTED), "the run", _EXPECTED)
    parts = saved.record("rows")
    rows = {}
    for part in parts.fields:
        questions = parts.record(part)
        rows[part] = {id_: _read_scores(questions.record(id_)) for id_ in questions.fields}
    return ComparedRun(saved.as_text(saved.fields.get("name", name), "name of the run"), rows)


def _read_scores(record: QuestionRecord) -> dict[str, float]:
    scores = {}
    for metric, value in record.fields.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            reject(f"{metric} of {record.where} is no number", _EXPECTED)
        scores[metric] = float(value)
    return scores


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
