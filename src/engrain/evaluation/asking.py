"""Asking a memory: the one place where an evaluation meets `Memory.recall`."""

from __future__ import annotations

import time

from engrain.engine.recall.profiles import BARE, DEFAULT_PROFILE, PROFILES
from engrain.engine.scope import Scope
from engrain.evaluation.metrics import CUTOFF
from engrain.model.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engrain.engine.memory import Memory
    from engrain.engine.recall.profiles import Profile
    from engrain.evaluation.haystack import Passage

TEXT_ONLY = "full text only"
VECTORS_ONLY = "vectors only"
_NEARNESS = {"meaning": 1.0}


class Answer:
    """What one question got. `ids` are those of the question set, best first; `silent` tells that
    nothing was returned; `milliseconds` is the wall time of the recall."""

    __slots__ = ("degraded", "embedder", "ids", "milliseconds", "relevance", "silent")

    def __init__(
        self,
        ids: Sequence[str],
        *,
        relevance: float,
        embedder: str,
        degraded: str | None,
        milliseconds: float,
    ) -> None:
        self.ids = tuple(ids)
        self.relevance = relevance
        self.embedder = embedder
        self.degraded = degraded
        self.milliseconds = milliseconds
        self.silent = not self.ids


class Respondent:
    """A memory that is asked, and what the question set calls its entries; without `names` they
    are called by their own ids."""

    __slots__ = ("_memory", "_names", "_scope")

    def __init__(
        self, memory: Memory, names: Mapping[str, str] | None = None, scope: Scope | None = None
    ) -> None:
        self._memory = memory
        self._names = names
        self._scope = scope or Scope()

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
            ids,
            relevance=recall.relevance,
            embedder=recall.embedder,
            degraded=recall.degraded,
            milliseconds=milliseconds,
        )


def fill(memory: Memory, passages: Sequence[Passage]) -> Respondent:
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
    memory.scan()
    memory.embed()
    return Respondent(memory, names)


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


def baseline_profiles(profile: Profile, embedder: str) -> dict[str, Profile]:
    """The single channels that `profile` is to be better than; vectors only where an embedder
    ran."""
    plain = ranking_profile(profile)
    baselines = {TEXT_ONLY: plain.replace(weights=BARE, context=False, half_life=None)}
    if embedder:
        baselines[VECTORS_ONLY] = plain.replace(weights=_NEARNESS, context=False, half_life=None)
    return baselines
