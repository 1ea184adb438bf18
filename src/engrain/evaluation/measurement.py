"""Asks a whole question set, of temporary vaults or of the user's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TypeAlias, TypeVar

from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES, Profile
from engrain.evaluation.haystack import Haystack, Passage, Question, QuestionSet
from engrain.evaluation.metrics import CUTOFF, score
from engrain.language.text.chunks import split_chunks
from engrain.model.errors import UsageError
from engrain.model.note.passages import MOST
from engrain.model.note.tiers import STATUSES
from engrain.seam.derived import Progress
from engrain.seam.rows import Row

Search: TypeAlias = "Callable[[str, int, bool], Sequence[str]]"
"""Gives the ids of the texts that have a word of a question, best first, at most so many;
whether English stop words are looked for too is the last argument."""
MakeSearch: TypeAlias = "Callable[[Iterable[tuple[str, str]]], Search]"
"""Makes such a search over texts, each under an id; several may share one."""
Ask: TypeAlias = "Callable[[str], 'Answer']"


FULL_TEXT = "FTS5"
VECTORS_ONLY = "vectors only"
_NEARNESS = {"meaning": 1.0}


@dataclass(slots=True, eq=False)
class Answer:
    """What one question got: the ids of the question set, best first, and the wall time of the
    recall in `milliseconds`."""

    ids: Sequence[str]
    _: KW_ONLY
    relevance: float
    embedder: str
    degraded: str | None
    milliseconds: float

    @property
    def silent(self) -> bool:
        """Whether nothing was returned."""
        return not self.ids


@dataclass(slots=True, eq=False)
class Respondent:
    """A memory that is asked, and what the question set calls its entries; without `names` they are
    called by their own ids. `texts` are those of the entries under these names, for baselines."""

    _memory: Memory
    _names: Mapping[str, str] | None = None
    scope: Scope = field(default_factory=Scope)
    _: KW_ONLY
    texts: Iterable[tuple[str, str]] = ()

    def answer(self, question: str, profile: Profile) -> Answer:
        """Recall as everyone does; the store is not scanned for edits each time."""
        started = time.perf_counter()
        recall = self._memory.recall(
            question, limit=CUTOFF, scope=self.scope, scan=False, profile=profile, alone=True
        )
        milliseconds = (time.perf_counter() - started) * 1000
        ids = [found.row.id for found in recall.results]
        if self._names is not None:
            ids = [self._names[id_] for id_ in ids]
        return Answer(
            tuple(ids),
            relevance=recall.relevance,
            embedder=recall.embedder,
            degraded=recall.degraded,
            milliseconds=milliseconds,
        )

    def baselines(self, profile: Profile, embedder: str, make_search: MakeSearch) -> dict[str, Ask]:
        """Return the baselines of `profile` by name: full text over whole entries and over
        passages, asked for all words and without stop words, and vectors alone where an embedder
        ran."""
        whole = list(self.texts)
        passages = (
            (id_, text[chunk.start : chunk.end])
            for id_, text in whole
            for chunk in split_chunks(text, target=MOST, most=MOST)
        )
        found: dict[str, Ask] = {}
        for name, texts in ((FULL_TEXT, whole), (f"{FULL_TEXT} passages", passages)):
            search = make_search(texts)
            found[f"{name}, all words"] = partial(_answer_plainly, search, True)
            found[f"{name}, content words"] = partial(_answer_plainly, search, False)
        if embedder:
            near = ranking_profile(profile).replace(weights=_NEARNESS, half_life=None)
            found[VECTORS_ONLY] = partial(self.answer, profile=near)
        return found


def fill(
    memory: Memory, passages: Sequence[Passage], progress: Progress | None = None
) -> Respondent:
    """File every passage as a session's hook would, and make the memory ready to answer."""
    names = {}
    for number, passage in enumerate(passages, 1):
        saved = memory.save(
            passage.text,
            title=passage.title,
            kind="memory",
            status="active",
            # The same words said twice are two entries, as they are two in the question set.
            slug=f"passage-{number}",
            created=passage.created,
            source="session",
            ref=passage.thread,
        )
        names[saved.id] = passage.id
        if progress:
            progress(number, len(passages))
    memory.scan()
    memory.embed(progress)
    return Respondent(memory, names, texts=[(each.id, each.text) for each in passages])


def take_notes(memory: Memory, progress: Progress | None = None) -> Respondent:
    """Make a memory over a folder of notes ready to answer; a note is called by its file's name."""
    memory.scan(progress)
    memory.embed(progress)
    names = {
        row.id: str(row.locator).rpartition("/")[2].removesuffix(".md")
        for row in list_everything(memory)
    }
    return Respondent(memory, names, texts=read_texts(memory, names))


def list_everything(memory: Memory) -> Sequence[Row]:
    """List every entry, of any status and project."""
    return memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows


def read_texts(memory: Memory, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Title and text of each entry, under its name."""
    for id_, name in names.items():
        entry = memory.show(id_).entry
        yield name, f"{entry.title}\n{entry.text}"


def choose_profile(name: str | None) -> Profile:
    """A profile by its name, the default one for None. Raises UsageError."""
    try:
        return PROFILES[name or DEFAULT_PROFILE]
    except KeyError:
        raise UsageError(
            f"no profile {name!r}", remedy="use one of " + ", ".join(PROFILES)
        ) from None


def ranking_profile(profile: Profile) -> Profile:
    """`profile` as its ranking is measured: nothing is withheld, and nothing cut to a budget."""
    return profile.replace(reject=False, budget=None)


def _answer_plainly(search: Search, stop_words: bool, question: str) -> Answer:
    started = time.perf_counter()
    ids = search(question, CUTOFF, stop_words)
    milliseconds = (time.perf_counter() - started) * 1000
    return Answer(tuple(ids), relevance=0.0, embedder="", degraded=None, milliseconds=milliseconds)


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


@dataclass(slots=True, eq=False)
class _Measurement:
    """What is being measured. With `make_search` baselines are asked too."""

    measured: Measured
    _make_search: MakeSearch | None
    _total: int
    _progress: Progress | None
    _done: int = field(default=0, init=False)

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
    measurement = _Measurement(Measured(profile), make_search, total, progress)
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
    measurement = _Measurement(Measured(profile), make_search, _count(haystack, True), progress)
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
