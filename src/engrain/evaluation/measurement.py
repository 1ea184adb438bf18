"""Ask a memory its user's own questions, and compute figures from the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES, Profile
from engrain.evaluation.comparison import Rows
from engrain.evaluation.metrics import CUTOFF, METRICS, Resampling, mean, percentile, score
from engrain.evaluation.questions import OwnQuestion
from engrain.model.errors import UsageError
from engrain.seam.derived import Progress

ENTRY = "entry"
"""The name of the part of a run with the scores of the ranking."""


def choose_profile(name: str | None) -> Profile:
    """Return a profile by its name, the default one for None. Raises UsageError."""
    try:
        return PROFILES[name or DEFAULT_PROFILE]
    except KeyError:
        raise UsageError(
            f"no profile {name!r}", remedy="use one of " + ", ".join(PROFILES)
        ) from None


@dataclass(slots=True, eq=False)
class Ranking:
    """The ids that answered one question, best first, their scores, and the milliseconds that the
    recall took."""

    question: OwnQuestion
    ids: Sequence[str]
    milliseconds: float
    scores: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        gold = self.question.gold
        self.scores = score(self.ids, gold) if gold else {}


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
        started = time.perf_counter()
        recall = memory.recall(question.text, limit=CUTOFF, scope=scope, scan=False, profile=by)
        milliseconds = (time.perf_counter() - started) * 1000
        measured.embedder = measured.embedder or recall.embedder
        measured.degraded = measured.degraded or recall.degraded
        return Ranking(question, [found.row.id for found in recall.results], milliseconds)

    # The index is opened and read into memory before anything is timed.
    memory.recall("warm up", limit=CUTOFF, scope=scope, scan=False, profile=ranking)
    for number, question in enumerate(questions, 1):
        if question.gold:
            measured.ranked.append(ask(question, ranking))
            measured.served.append(ask(question, profile))
        else:
            measured.foreign.append(ask(question, profile))
        if progress:
            progress(number, len(questions))
    return measured


class Figures:
    """The means of every metric over `n` questions, with 95 % intervals and latencies in
    milliseconds (p50, p95)."""

    def __init__(self, rankings: Sequence[Ranking]) -> None:
        self.n = len(rankings)
        self.means: dict[str, float] = {}
        self.intervals: dict[str, tuple[float, float]] = {}
        resampling = Resampling(self.n)
        for metric in METRICS:
            values = [ranking.scores[metric] for ranking in rankings]
            self.means[metric] = mean(values)
            self.intervals[metric] = resampling.interval(values)
        times = [ranking.milliseconds for ranking in rankings]
        self.latency = {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}


def figures_by_category(rankings: Iterable[Ranking]) -> dict[str, Figures]:
    """Return the figures of each category, in order."""
    parts: dict[str, list[Ranking]] = {}
    for ranking in rankings:
        if ranking.question.category:
            parts.setdefault(ranking.question.category, []).append(ranking)
    return {name: Figures(parts[name]) for name in sorted(parts)}


def silenced_share(answers: Sequence[Ranking]) -> float:
    """Return the share of answers without any entry, 0 for no answers."""
    return sum(not answer.ids for answer in answers) / len(answers) if answers else 0.0


def collect_rows(measured: Measured) -> Rows:
    """Return the scores of each question, in the form that is saved and compared."""
    parts: Rows = {
        ENTRY: {one.question.id: one.scores for one in measured.ranked},
        f"{ENTRY} as served": {one.question.id: one.scores for one in measured.served},
        "own plain": _score_each(measured.served, "answered", lambda one: bool(one.ids)),
        "foreign plain": _score_each(measured.foreign, "silenced", lambda one: not one.ids),
    }
    return {part: rows for part, rows in parts.items() if rows}


def _score_each(
    answers: Sequence[Ranking], metric: str, is_right: Callable[[Ranking], bool]
) -> dict[str, dict[str, float]]:
    return {one.question.id: {metric: float(is_right(one))} for one in answers}
