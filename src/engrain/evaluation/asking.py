"""Asking a memory: the one place where an evaluation meets `Memory.recall`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TypeAlias

from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES, Profile
from engrain.evaluation.haystack import Passage
from engrain.evaluation.metrics import CUTOFF
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


class Respondent:
    """A memory that is asked, and what the question set calls its entries; without `names` they
    are called by their own ids. `texts` are those of the entries under these names, for
    baselines."""

    __slots__ = ("_memory", "_names", "_scope", "texts")

    def __init__(
        self,
        memory: Memory,
        names: Mapping[str, str] | None = None,
        scope: Scope | None = None,
        *,
        texts: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._memory = memory
        self._names = names
        self._scope = scope or Scope()
        self.texts = texts

    def answer(self, question: str, profile: Profile) -> Answer:
        """Recall as everyone does; the store is not scanned for edits each time."""
        started = time.perf_counter()
        recall = self._memory.recall(
            question, limit=CUTOFF, scope=self._scope, scan=False, profile=profile
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
    names: dict[str, str] = {}
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
