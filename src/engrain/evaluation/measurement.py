"""Asking a whole question set, of temporary vaults or of the user's own."""

from __future__ import annotations

from engrain.evaluation.asking import (
    Respondent,
    baseline_profiles,
    fill,
    ranking_profile,
)
from engrain.evaluation.haystack import Haystack
from engrain.evaluation.metrics import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from engrain.engine.memory import Memory
    from engrain.engine.recall.profiles import Profile
    from engrain.evaluation.asking import Answer
    from engrain.evaluation.haystack import Question, QuestionSet
    from engrain.seam.derived import Progress

    OpenTemporary = Callable[[], AbstractContextManager[Memory]]
    """Gives a memory over an empty vault that is removed at the end of the block."""

ENTRY = "entry"
"""The unit of the user's own vault."""
PLAIN = "plain"
NAMELESS = "without_names"


class Ranking:
    """What one question got, and what that is worth."""

    __slots__ = ("answer", "question", "scores")

    def __init__(self, question: Question, answer: Answer) -> None:
        self.question = question
        self.answer = answer
        self.scores = score(answer.ids, question.gold)


class Estimate:
    """What recall thought of one question: `own` when the memory it was asked of answers it."""

    __slots__ = ("group", "own", "question", "relevance", "silent")

    def __init__(self, question: Question, own: bool, answer: Answer) -> None:
        self.question = question.id
        self.group = question.group
        self.own = own
        self.relevance = answer.relevance
        self.silent = answer.silent


class Measured:
    """Everything that was asked: `rankings` by unit, `baselines` by name and unit, `estimates` by
    the way the questions were put (as they are, or without names).

    `embedder` is the link of the chain that ran, "" for none; `degraded` why some recall was.
    """

    __slots__ = ("baselines", "degraded", "embedder", "estimates", "profile", "rankings")

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.rankings: dict[str, list[Ranking]] = {}
        self.baselines: dict[str, dict[str, list[Ranking]]] = {}
        self.estimates: dict[str, list[Estimate]] = {}
        self.embedder = ""
        self.degraded: str | None = None


class _Measurement:
    def __init__(
        self, profile: Profile, baselines: bool, total: int, progress: Progress | None
    ) -> None:
        self.measured = Measured(profile)
        self._baselines = baselines
        self._total = total
        self._done = 0
        self._progress = progress

    def ask(self, unit: str, haystack: Haystack, respondent: Respondent, withhold: bool) -> None:
        """Ask every question of one haystack; with `withhold` also what gets nothing."""
        measured = self.measured
        plain = ranking_profile(measured.profile)
        # The index is opened and read into memory before anything is timed.
        first = respondent.answer("warm up", plain)
        measured.embedder = measured.embedder or first.embedder
        rankings = measured.rankings.setdefault(unit, [])
        for question in haystack.questions:
            answer = respondent.answer(question.text, plain)
            measured.degraded = measured.degraded or answer.degraded
            rankings.append(Ranking(question, answer))
            self._advance()
        if self._baselines:
            self._ask_baselines(unit, haystack, respondent)
        if withhold:
            self._estimate(haystack.questions, True, respondent)
            self._estimate(haystack.foreign, False, respondent)

    def _ask_baselines(self, unit: str, haystack: Haystack, respondent: Respondent) -> None:
        measured = self.measured
        for name, profile in baseline_profiles(measured.profile, measured.embedder).items():
            respondent.answer("warm up", profile)
            rankings = measured.baselines.setdefault(name, {}).setdefault(unit, [])
            rankings += [
                Ranking(question, respondent.answer(question.text, profile))
                for question in haystack.questions
            ]

    def _estimate(self, questions: Sequence[Question], own: bool, respondent: Respondent) -> None:
        for question in questions:
            for condition, text in ((PLAIN, question.text), (NAMELESS, question.nameless)):
                if text:
                    answer = respondent.answer(text, self.measured.profile)
                    estimates = self.measured.estimates.setdefault(condition, [])
                    estimates.append(Estimate(question, own, answer))

    def _advance(self) -> None:
        self._done += 1
        if self._progress:
            self._progress(self._done, self._total)


def measure_set(
    asked: QuestionSet,
    profile: Profile,
    open_temporary: OpenTemporary,
    *,
    units: Sequence[str],
    baselines: bool = True,
    progress: Progress | None = None,
) -> Measured:
    """Ask a question set, one temporary vault per haystack and unit.

    What is withheld is measured on the first of `units`.
    """
    total = sum(len(haystack.questions) for unit in units for haystack in asked.haystacks[unit])
    measurement = _Measurement(profile, baselines, total, progress)
    for unit in units:
        for haystack in asked.haystacks[unit]:
            with open_temporary() as memory:
                respondent = fill(memory, haystack.passages)
                measurement.ask(unit, haystack, respondent, unit == units[0])
    return measurement.measured


def measure_vault(
    memory: Memory,
    questions: Sequence[Question],
    profile: Profile,
    *,
    all_projects: bool = False,
    baselines: bool = True,
    progress: Progress | None = None,
) -> Measured:
    """Ask questions of a memory that is there; those without gold ought to get nothing."""
    from engrain.engine.scope import Scope

    own = [question for question in questions if question.gold]
    foreign = [question for question in questions if not question.gold]
    measurement = _Measurement(profile, baselines, len(own), progress)
    respondent = Respondent(memory, scope=Scope(all_projects=all_projects))
    measurement.ask(ENTRY, Haystack("", [], own, foreign), respondent, True)
    return measurement.measured
