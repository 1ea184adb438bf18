"""Profiles: how recall works for each purpose, as data, and a recall as it is asked for (DESIGN
section 9, S1.18, S3.5, S1.9)."""

from __future__ import annotations

from engrain.engine.core.outcomes import SKILL
from engrain.engine.recall.priors import PHASES, Phase
from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from dataclasses import KW_ONLY

    from engrain.engine.core.scope import Scope

CALIBRATED = "calibrated"
RRF = "rrf"
LINEAR = "linear"

WEIGHTS: dict[str, float] = {
    "id": 4.0,
    "text": 1.0,
    "context": 1.0,
    "speaker": 0.7,
    "name": 0.2,
    "tag": 0.05,
    "period": 1.0,
    "meaning": 0.05,
    "surroundings": 0.08,
    "beyond": 2.0,
    "recency": 0.0,
    "graph": 0.0,
}
"""What a channel's score counts for, measured in unique words: a word that only one passage of the
vault has, and that is as surprising in English as a number, is worth 1. Scores of `text`, `context`
and `graph` are such words already; those of `id`, `speaker`, `name`, `tag` and `period` are at most
1; those of vectors are standard deviations above the mean of the query's cosines, but `beyond`,
which is at most 1.25. docs/recall.md shows what each is worth.
"""

BARE = {"bm25": 1.0}


class Collection(Struct):
    """A part of memory that is asked for by itself: entries of these `kinds`, and where `tag` is
    not "" with that tag, `limit` at most. The best of it counts `weight`, the others in
    proportion."""

    name: str
    kinds: Sequence[str]
    limit: int
    weight: float = 1.0
    tag: str = ""

    def __post_init__(self) -> None:
        self.kinds = tuple(self.kinds)


class Profile(Struct):
    """One way to recall.

    `weights` says which channels take part and how much each counts; `fusion` how they are joined.
    `kinds` says what each kind of entry counts for, and how many of it come at most, where no
    phase of work does. `limit` results and `budget` tokens at most (None: no bound). `half_life`
    of an entry's rank in days, None for no decay. `reject` returns nothing when nothing fits.
    `include_archive` and `include_inbox` widen the scope. `collections` are asked one by one and
    merged, where there are any (`recall.task`); with `stages` what is known of entities is, from
    summary to detail (`recall.tiered`).
    """

    name: str
    _: KW_ONLY
    weights: Mapping[str, float] = WEIGHTS
    fusion: str = CALIBRATED
    limit: int = 10
    budget: int | None = None
    half_life: float | None = None
    kinds: Phase | None = None
    reject: bool = True
    include_archive: bool = False
    include_inbox: bool = False
    collections: Sequence[Collection] = ()
    stages: bool = False

    def __post_init__(self) -> None:
        self.collections = tuple(self.collections)


_ASSOCIATIVE = {**WEIGHTS, "id": 4.0, "name": 2.0, "tag": 1.0, "graph": 2.0}
_DEEP = {**WEIGHTS, "graph": 1.0}
_PROMPT = {**WEIGHTS, "graph": 0.2}
"""Of links, as much as gained where notes have them and lost nowhere; see docs/recall.md."""

SKILLS = "skills"
"""The collection of them: what came from outside is not among them."""
_FEW_EPISODES = Phase({"episode": (0.7, 2)}, other=1.0, others=1000)

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        # What a prompt gets: few, whole, and none where none fits. A trace is what happened once;
        # what was learned from it is worth more.
        Profile("prompt", weights=_PROMPT, limit=10, budget=2000, kinds=_FEW_EPISODES),
        # What is known before a task: what usually works, what worked, how it is done (S2.10).
        Profile(
            "task",
            limit=5,
            budget=2000,
            collections=(
                Collection("patterns", ("pattern", "domain-reference"), 5, 0.5),
                Collection("episodes", ("episode",), 3, 0.3, tag="success"),
                Collection(SKILLS, (SKILL,), 5, 0.2),
            ),
        ),
        # By id, name, tags in common and links; what is archived comes too, and is marked (S3.5).
        Profile(
            "associative",
            weights=_ASSOCIATIVE,
            limit=10,
            budget=3000,
            reject=False,
            include_archive=True,
        ),
        # Of whom the query names: facts and summaries, then the last days' notes (S4.6).
        Profile("tiered", limit=20, budget=2000, stages=True),
        # Everything there is, and what is some links away from it (S1.9, S1.21).
        Profile(
            "deep",
            weights=_DEEP,
            limit=30,
            budget=8000,
            reject=False,
            include_archive=True,
            include_inbox=True,
        ),
    )
}
DEFAULT_PROFILE = "prompt"


class Request(Struct):
    """One recall: the words, the profile with all that overrides it applied, the scope, the phase
    and the type of action that is at hand (None for none), whether to scan first, to explain, and
    the ids of entries that the reader has in the context already."""

    query: str
    profile: Profile
    scope: Scope
    _: KW_ONLY
    phase: str | None = None
    action: str | None = None
    loaded: Sequence[str] = ()
    scan: bool = True
    explain: bool = False
    deadline: float | None = None

    @property
    def kinds(self) -> Phase | None:
        """The weight and the most results of each kind: the phase's, or the profile's."""
        return PHASES[self.phase] if self.phase else self.profile.kinds
