"""Compute figures from answers: means with intervals, by category and conversation, and silence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bench.sets.measurement import FOREIGN_NAMELESS, NAMELESS, PLAIN, Estimate, Measured, Ranking
from bench.sets.metrics import METRICS, MetricDifference, Resampling, mean, percentile
from bench.sets.question_set import GoldQuestion
from bench.sets.separation import area_interval, area_under_curve, silence_curve, threshold_losing
from engrain.evaluation.measurement import Rows

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
