"""Ask questions of a memory, and of the searches that recall is compared with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import TypeAlias

from bench.sets.metrics import CUTOFF, score
from bench.sets.question_set import GoldQuestion
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import Profile
from engrain.language.text.chunks import split_chunks
from engrain.model.note.passages import MOST
from engrain.model.note.tiers import STATUSES
from engrain.seam.derived import Progress
from engrain.seam.rows import Row

Search: TypeAlias = "Callable[[str, int, bool], Sequence[str]]"
"""(question, limit, with English stop words) -> the ids of texts with a word of it, best first."""
MakeSearch: TypeAlias = "Callable[[Iterable[tuple[str, str]]], Search]"
"""(id, text) pairs, whose ids may repeat -> a search over them."""
Ask: TypeAlias = "Callable[[str], 'Answer']"

FULL_TEXT = "FTS5"
VECTORS_ONLY = "vectors only"
_NEARNESS = {"meaning": 1.0}


@dataclass(slots=True, eq=False)
class Answer:
    """The answer to one question: the ids of the question set, best first, and the wall time of the
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
    """A memory to ask, and the names of its entries in the question set; without `names` these are
    their ids. `texts` are the entries' texts by these names, for baselines."""

    _memory: Memory
    _names: Mapping[str, str] | None = None
    scope: Scope = field(default_factory=Scope)
    _: KW_ONLY
    texts: Iterable[tuple[str, str]] = ()

    def answer(self, question: str, profile: Profile) -> Answer:
        """Recall as any caller, but without scanning the store for edits."""
        started = time.perf_counter()
        recall = self._memory.recall(
            question, limit=CUTOFF, scope=self.scope, scan=False, profile=profile
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
        """Return the baselines of `profile` by name: full text over entries and over passages, each
        with and without stop words, and vectors alone if an embedder ran."""
        whole = list(self.texts)
        passages = (
            (id_, text[chunk.start : chunk.end])
            for id_, text in whole
            for chunk in split_chunks(text, MOST)
        )
        found: dict[str, Ask] = {}
        for name, texts in ((FULL_TEXT, whole), (f"{FULL_TEXT} passages", passages)):
            search = make_search(texts)
            found[f"{name}, all words"] = partial(_answer_plainly, search, True)
            found[f"{name}, content words"] = partial(_answer_plainly, search, False)
        if embedder:
            near = replace(ranking_profile(profile), weights=_NEARNESS, half_life=None)
            found[VECTORS_ONLY] = partial(self.answer, profile=near)
        return found


def list_everything(memory: Memory) -> Sequence[Row]:
    """List every entry, of any status and project."""
    return memory.list(scope=Scope(statuses=STATUSES, all_projects=True)).rows


def read_texts(memory: Memory, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (name, title and text) of each entry."""
    for id_, name in names.items():
        entry = memory.show(id_).entry
        yield name, f"{entry.title}\n{entry.text}"


def ranking_profile(profile: Profile) -> Profile:
    """Return `profile` for measuring its ranking: without silence and without a budget."""
    return replace(profile, reject=False, budget=None)


def _answer_plainly(search: Search, stop_words: bool, question: str) -> Answer:
    started = time.perf_counter()
    ids = search(question, CUTOFF, stop_words)
    milliseconds = (time.perf_counter() - started) * 1000
    return Answer(tuple(ids), relevance=0.0, embedder="", degraded=None, milliseconds=milliseconds)


PLAIN = "plain"
NAMELESS = "without_names"
FOREIGN_NAMELESS = "foreign_without_names"
"""Own questions as they are, foreign ones without names."""


@dataclass(slots=True, eq=False)
class Ranking:
    """The answer to one question, and its scores."""

    question: GoldQuestion
    answer: Answer
    scores: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        self.scores = score(self.answer.ids, self.question.gold)


class Estimate:
    """The relevance that recall estimated for one question; `own`: the memory can answer it."""

    __slots__ = ("group", "own", "question", "relevance", "silent")

    def __init__(self, question: GoldQuestion, own: bool, answer: Answer) -> None:
        self.question = question.id
        self.group = question.group
        self.own = own
        self.relevance = answer.relevance
        self.silent = answer.silent


@dataclass(slots=True, eq=False)
class Measured:
    """All answers: `rankings` by unit, without silence; `served` likewise with the profile's
    silence, for the unit on which it was measured; `baselines` by name and unit; `estimates` by
    condition (questions as they are, or without names).

    `embedder` is the embedder that ran, "" for none; `degraded` is why a recall was degraded.
    """

    profile: Profile
    rankings: dict[str, list[Ranking]] = field(default_factory=dict, init=False)
    served: dict[str, list[Ranking]] = field(default_factory=dict, init=False)
    baselines: dict[str, dict[str, list[Ranking]]] = field(default_factory=dict, init=False)
    estimates: dict[str, list[Estimate]] = field(default_factory=dict, init=False)
    embedder: str = field(default="", init=False)
    degraded: str | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Measurement:
    """A running measurement. With `make_search` baselines are asked too."""

    measured: Measured
    _make_search: MakeSearch | None
    _total: int
    _progress: Progress | None
    _done: int = field(default=0, init=False)

    def ask(
        self,
        unit: str,
        respondent: Respondent,
        questions: Sequence[GoldQuestion],
        foreign: Sequence[GoldQuestion],
        *,
        withhold: bool,
    ) -> None:
        """Ask one memory its questions; with `withhold` measure its silence too, on these and on
        `foreign` ones that it can't answer."""
        measured = self.measured
        plain = ranking_profile(measured.profile)
        # The index is opened and read into memory before anything is timed.
        first = respondent.answer("warm up", plain)
        measured.embedder = measured.embedder or first.embedder
        rankings = measured.rankings.setdefault(unit, [])
        for question in questions:
            answer = respondent.answer(question.text, plain)
            measured.degraded = measured.degraded or answer.degraded
            rankings.append(Ranking(question, answer))
            self._advance()
        if self._make_search:
            self._ask_baselines(unit, questions, respondent, self._make_search)
        if withhold:
            served = measured.served.setdefault(unit, [])
            for question in questions:
                served.append(Ranking(question, self._estimate(question, True, respondent)))
            for question in foreign:
                self._estimate(question, False, respondent)

    def _ask_baselines(
        self,
        unit: str,
        questions: Sequence[GoldQuestion],
        respondent: Respondent,
        make_search: MakeSearch,
    ) -> None:
        measured = self.measured
        asked = respondent.baselines(measured.profile, measured.embedder, make_search)
        for name, ask in asked.items():
            ask("warm up")
            rankings = measured.baselines.setdefault(name, {}).setdefault(unit, [])
            rankings += [Ranking(question, ask(question.text)) for question in questions]

    def _estimate(self, question: GoldQuestion, own: bool, respondent: Respondent) -> Answer:
        """Return the profile's answer to a question as it is; keep the estimates of it and of the
        question without names."""
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
