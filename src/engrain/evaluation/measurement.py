"""Ask a memory its user's own questions, score the answers, and compare two saved runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from typing import TypeAlias

from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import Profile
from engrain.evaluation.questions import OwnQuestion, reject
from engrain.model.errors import UsageError
from engrain.seam.derived import Progress

METRICS = ("recall@5", "recall@10", "hit@1", "mrr")
"""The keys of `score`; all values are between 0 and 1, greater is better."""
CUTOFF = 10
"""The last rank that counts."""
ENTRY, SERVED = "entry", "entry as served"
OWN, FOREIGN = "own plain", "foreign plain"
"""The parts of a run: the ranking, the ranking as served, and whether silence was right."""

Rows: TypeAlias = "dict[str, dict[str, dict[str, float]]]"
"""Part of a run -> question id -> metric -> value."""


def score(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """Score one ranking by every metric; `gold` has the ids that answer, at least one."""
    ranks = [rank for rank, id_ in enumerate(dict.fromkeys(ranked[:CUTOFF]), 1) if id_ in gold]
    return {
        "recall@5": sum(rank <= 5 for rank in ranks) / len(gold),
        "recall@10": len(ranks) / len(gold),
        "hit@1": float(ranks[:1] == [1]),
        "mrr": 1 / ranks[0] if ranks else 0.0,
    }


@dataclass(slots=True, eq=False)
class Ranking:
    """The ids that answered one question, best first."""

    question: OwnQuestion
    ids: Sequence[str]

    @property
    def scores(self) -> dict[str, float]:
        """The values of every metric, none for a foreign question."""
        return score(self.ids, self.question.gold) if self.question.gold else {}


@dataclass(slots=True, eq=False)
class Measured:
    """All answers: `ranked` to own questions without silence; `served` to the same questions as
    the profile gives them, and `foreign` to questions that should get nothing. `embedder` is the
    embedder that ran, "" for none; `degraded` is why a recall was degraded."""

    profile: Profile
    ranked: list[Ranking] = field(default_factory=list, init=False)
    served: list[Ranking] = field(default_factory=list, init=False)
    foreign: list[Ranking] = field(default_factory=list, init=False)
    embedder: str = field(default="", init=False)
    degraded: str | None = field(default=None, init=False)


def measure_vault(
    memory: Memory,
    questions: Sequence[OwnQuestion],
    profile: Profile,
    *,
    all_projects: bool = False,
    progress: Progress | None = None,
) -> Measured:
    """Ask questions of a memory; those without gold should get nothing."""
    measured = Measured(profile)
    scope = Scope(all_projects=all_projects)
    ranking = replace(profile, reject=False, budget=None)

    def ask(question: OwnQuestion, by: Profile) -> Ranking:
        recall = memory.recall(question.text, limit=CUTOFF, scope=scope, scan=False, profile=by)
        measured.embedder = measured.embedder or recall.embedder
        measured.degraded = measured.degraded or recall.degraded
        return Ranking(question, [found.row.id for found in recall.results])

    for number, question in enumerate(questions, 1):
        if question.gold:
            measured.ranked.append(ask(question, ranking))
            measured.served.append(ask(question, profile))
        else:
            measured.foreign.append(ask(question, profile))
        if progress:
            progress(number, len(questions))
    return measured


def mean_scores(rankings: Sequence[Ranking]) -> dict[str, float]:
    """Return the mean of every metric over at least one ranking."""
    each = [ranking.scores for ranking in rankings]
    return {metric: sum(one[metric] for one in each) / len(each) for metric in METRICS}


def silenced_share(answers: Sequence[Ranking]) -> float:
    """Return the share of answers without any entry, 0 for no answers."""
    return sum(not answer.ids for answer in answers) / len(answers) if answers else 0.0


def collect_rows(measured: Measured) -> Rows:
    """Return the scores of each question, in the form that is saved and compared."""
    served, foreign = measured.served, measured.foreign
    parts: Rows = {
        ENTRY: {one.question.id: one.scores for one in measured.ranked},
        SERVED: {one.question.id: one.scores for one in served},
        OWN: {one.question.id: {"answered": float(bool(one.ids))} for one in served},
        FOREIGN: {one.question.id: {"silenced": float(not one.ids)} for one in foreign},
    }
    return {part: rows for part, rows in parts.items() if rows}


@dataclass(slots=True, eq=False)
class ComparedRun:
    """A run to compare: its name and the scores of each question."""

    name: str
    rows: Rows


class MetricChange:
    """One metric of two runs: the means and their difference, the numbers of questions that are
    `better` and `worse`, and how often chance alone would part as many so (a two-sided sign
    test)."""

    def __init__(self, before: Sequence[float], after: Sequence[float]) -> None:
        self.before = sum(before) / len(before)
        self.after = sum(after) / len(after)
        self.difference = self.after - self.before
        self.better = sum(b > a for a, b in zip(before, after, strict=True))
        self.worse = sum(b < a for a, b in zip(before, after, strict=True))
        moved = self.better + self.worse
        fewest = range(min(self.better, self.worse) + 1)
        self.chance = min(1.0, 2 * sum(comb(moved, few) for few in fewest) / 2**moved)


@dataclass(slots=True, eq=False)
class Comparison:
    """Two runs compared by part and metric; `shared` is the number of questions of both, `alone`
    the number of questions of only one."""

    before: str
    after: str
    parts: dict[str, dict[str, MetricChange]] = field(default_factory=dict, init=False)
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
    """Compare every metric of the questions of both runs. Raises UsageError if they share none."""
    found = Comparison(before.name, after.name)
    for part, first in before.rows.items():
        second = after.rows.get(part, {})
        ids = [id_ for id_ in first if id_ in second]
        if not ids:
            continue
        found.shared[part] = len(ids)
        found.alone[part] = len(first) + len(second) - 2 * len(ids)
        found.parts[part] = {
            metric: MetricChange(*([rows[id_][metric] for id_ in ids] for rows in (first, second)))
            for metric in first[ids[0]]
            if all(metric in first[id_] and metric in second[id_] for id_ in ids)
        }
    if not found.parts:
        raise UsageError(
            f"{before.name} and {after.name} have no question in common",
            remedy="compare two runs of one question set",
        )
    return found
