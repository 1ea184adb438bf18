"""Asking a whole question set, of temporary vaults or of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import Profile
from engrain.evaluation.asking import (
    Answer,
    MakeSearch,
    Respondent,
    fill,
    ranking_profile,
    read_texts,
    take_notes,
)
from engrain.evaluation.haystack import Haystack, Question, QuestionSet
from engrain.evaluation.metrics import score
from engrain.seam.derived import Progress

Opened = TypeVar("Opened", bound=Memory)
OpenTemporary: TypeAlias = "Callable[[str], AbstractContextManager[Opened]]"
"""Gives a memory over a copy of a folder, or over an empty vault for "", that is removed at the
end of the block."""


ENTRY = "entry"
"""The unit of the user's own vault."""
PLAIN = "plain"
NAMELESS = "without_names"
FOREIGN_NAMELESS = "foreign_without_names"
"""Own questions as they are, foreign ones without names."""


class Ranking:
    """What one question got, and its scores."""

    __slots__ = ("answer", "question", "scores")

    def __init__(self, question: Question, answer: Answer) -> None:
        self.question = question
        self.answer = answer
        self.scores = score(answer.ids, question.gold)


class Estimate:
    """The relevance that recall estimated for one question; `own` if the memory it was asked of
    answers it."""

    __slots__ = ("group", "own", "question", "relevance", "silent")

    def __init__(self, question: Question, own: bool, answer: Answer) -> None:
        self.question = question.id
        self.group = question.group
        self.own = own
        self.relevance = answer.relevance
        self.silent = answer.silent


@dataclass(slots=True, eq=False)
class Measured:
    """Everything that was asked: `rankings` by unit, with nothing withheld; `served` likewise as
    the profile answers, for the unit on which silence was measured; `baselines` by name and unit;
    `estimates` by how the questions were put (as they are, or without names).

    `embedder` is the link of the chain that ran, "" for none; `degraded` is why some recall was
    degraded.
    """

    profile: Profile
    rankings: dict[str, list[Ranking]] = field(default_factory=dict, init=False)
    served: dict[str, list[Ranking]] = field(default_factory=dict, init=False)
    baselines: dict[str, dict[str, list[Ranking]]] = field(default_factory=dict, init=False)
    estimates: dict[str, list[Estimate]] = field(default_factory=dict, init=False)
    embedder: str = field(default="", init=False)
    degraded: str | None = field(default=None, init=False)


class _Measurement:
    """What is being measured. With `make_search` baselines are asked too."""

    def __init__(
        self,
        profile: Profile,
        make_search: MakeSearch | None,
        total: int,
        progress: Progress | None,
    ) -> None:
        self.measured = Measured(profile)
        self._make_search = make_search
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
        if self._make_search:
            self._ask_baselines(unit, haystack, respondent, self._make_search)
        if withhold:
            served = measured.served.setdefault(unit, [])
            for question in haystack.questions:
                served.append(Ranking(question, self._estimate(question, True, respondent)))
            for question in haystack.foreign:
                self._estimate(question, False, respondent)

    def _ask_baselines(
        self, unit: str, haystack: Haystack, respondent: Respondent, make_search: MakeSearch
    ) -> None:
        measured = self.measured
        asked = respondent.baselines(measured.profile, measured.embedder, make_search)
        for name, ask in asked.items():
            ask("warm up")
            rankings = measured.baselines.setdefault(name, {}).setdefault(unit, [])
            rankings += [Ranking(question, ask(question.text)) for question in haystack.questions]

    def _estimate(self, question: Question, own: bool, respondent: Respondent) -> Answer:
        """What the profile answers to a question as it is; what it thinks of it is kept, and of
        the question without names."""
        answers = []
        for condition, text in ((PLAIN, question.text), (NAMELESS, question.nameless)):
            if text:
                answers.append(respondent.answer(text, self.measured.profile))
                estimates = self.measured.estimates.setdefault(condition, [])
                estimates.append(Estimate(question, own, answers[-1]))
        self._advance()
        return answers[0]

    def _advance(self) -> None:
        self._done += 1
        if self._progress:
            self._progress(self._done, self._total)


def measure_set(
    asked: QuestionSet,
    profile: Profile,
    open_temporary: OpenTemporary[Opened],
    *,
    units: Sequence[str],
    settle: Callable[[Opened], object] = lambda _: None,
    make_search: MakeSearch | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Ask a question set, one temporary vault per haystack and unit.

    What is withheld is measured on the first of `units`; with `make_search` baselines are asked.
    `settle` does what is done to a vault that is filled, before silence is measured on it.
    `progress` is of what is being done: passages filed, embedded, questions asked.
    """
    total = sum(
        _count(haystack, unit == units[0]) for unit in units for haystack in asked.haystacks[unit]
    )
    measurement = _Measurement(profile, make_search, total, progress)
    for unit in units:
        for haystack in asked.haystacks[unit]:
            with open_temporary(haystack.folder) as memory:
                if haystack.folder:
                    respondent = take_notes(memory, progress)
                else:
                    respondent = fill(memory, haystack.passages, progress)
                if unit == units[0]:
                    settle(memory)
                measurement.ask(unit, haystack, respondent, unit == units[0])
    return measurement.measured


def measure_vault(
    memory: Memory,
    questions: Sequence[Question],
    profile: Profile,
    *,
    all_projects: bool = False,
    make_search: MakeSearch | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Ask questions of a memory that is there; those without gold ought to get nothing."""
    own = [question for question in questions if question.gold]
    foreign = [question for question in questions if not question.gold]
    haystack = Haystack("", [], own, foreign)
    measurement = _Measurement(profile, make_search, _count(haystack, True), progress)
    scope = Scope(all_projects=all_projects)
    texts: Iterable[tuple[str, str]] = ()
    if make_search:
        texts = read_texts(memory, {row.id: row.id for row in memory.list(scope=scope).rows})
    measurement.ask(ENTRY, haystack, Respondent(memory, scope=scope, texts=texts), True)
    return measurement.measured


def _count(haystack: Haystack, withhold: bool) -> int:
    """How often something is asked of a haystack, baselines apart."""
    own = len(haystack.questions)
    return own + (own + len(haystack.foreign) if withhold else 0)
