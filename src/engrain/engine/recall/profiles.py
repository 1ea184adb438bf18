"""Defines the profiles of recall, the request for one recall, and the factors of an entry's score
that do not depend on the question (DESIGN section 9, S1.6, S1.9, S1.18, S3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from math import exp, log
from typing import TYPE_CHECKING

from engrain.engine.core.recalled import SKILL
from engrain.model.errors import UsageError

if TYPE_CHECKING:
    from engrain.engine.core.scope import Scope
    from engrain.seam.rows import Row


DAY = 86_400.0

TRUST: dict[str, float] = {"operator": 1.05, "agent": 1.0, "tool": 0.97, "external": 0.8}
"""The factor for each origin of an entry."""
COLD = 0.8
"""The factor for an entry that is not active, in a recall that includes such entries."""
WEIGHT_RANGE = 0.2
"""The range of the factor for an entry's weight of 0 to 1: from 0.9 to 1.1."""
_PLAIN_WEIGHT = 0.5
_LENGTHY = 0.1
_LONG = 1000.0
"""The characters of a long entry, one of whose many passages is likely to match by chance."""


@dataclass(slots=True, eq=False)
class Phase:
    """How one phase of work weighs kinds of entries: `kinds` has for each kind its factor and the
    most entries of it in one recall (S1.6). Any other kind has the factor `other` and the maximum
    `others`."""

    kinds: Mapping[str, tuple[float, int]]
    other: float = 0.7
    others: int = 2

    def prior(self, kind: str) -> float:
        return self.kinds[kind][0] if kind in self.kinds else self.other

    def most(self, kind: str) -> int:
        return self.kinds[kind][1] if kind in self.kinds else self.others


_ALWAYS = {"preference": (1.0, 2), "feedback": (1.0, 2), "anti-pattern": (1.0, 2)}

PHASES: dict[str, Phase] = {
    "plan": Phase(_ALWAYS | {
        "decision": (1.3, 5), "design": (1.3, 3), "roadmap": (1.2, 2), "plan": (1.1, 2),
        "insight": (1.2, 3), "idea": (1.1, 3), "crystallized": (1.2, 3), "pattern": (1.2, 3),
        "domain-reference": (1.0, 3), "learning": (1.0, 2), "episode": (0.7, 1),
        "fix": (0.6, 1),
    }),
    "work": Phase(_ALWAYS | {
        "fix": (1.3, 5), "workflow": (1.2, 3), "procedural": (1.2, 3), "pattern": (1.2, 3),
        "domain-reference": (1.1, 4), "learning": (1.1, 3), "decision": (1.0, 2),
        "skill-pointer": (1.0, 2), "episode": (0.9, 2), "idea": (0.5, 1),
    }),
    "review": Phase(_ALWAYS | {
        "anti-pattern": (1.3, 4), "feedback": (1.3, 4), "decision": (1.2, 3),
        "learning": (1.2, 3), "pattern": (1.1, 3), "fix": (1.1, 3), "workflow": (1.0, 2),
        "procedural": (1.0, 2), "episode": (0.7, 1),
    }),
    "release": Phase(_ALWAYS | {
        "workflow": (1.3, 4), "procedural": (1.3, 4), "progress": (1.2, 2), "fix": (1.1, 3),
        "pattern": (1.1, 2), "learning": (1.0, 2), "decision": (1.0, 2),
        "skill-pointer": (1.0, 2), "episode": (0.7, 1), "idea": (0.5, 1),
    }),
    "document": Phase(_ALWAYS | {
        "domain-reference": (1.3, 5), "design": (1.2, 3), "decision": (1.2, 4),
        "crystallized": (1.2, 3), "insight": (1.1, 3), "pattern": (1.1, 3),
        "procedural": (1.0, 2), "fix": (0.7, 1), "learning": (0.7, 1), "episode": (0.6, 1),
    }),
}  # fmt: skip
"""The phases of work by name."""


def check_phase(phase: str | None) -> None:
    """Raise UsageError for an unknown phase; None is allowed."""
    if phase is not None and phase not in PHASES:
        raise UsageError(f"no phase named {phase[:60]!r}", remedy=f"there are {', '.join(PHASES)}")


def decay(days: float, half_life: float) -> float:
    """Return e^(-λ·days) with λ = ln 2 / `half_life` (S4.7): 1 today, .5 after one half-life."""
    return exp(-log(2) / half_life * max(days, 0.0))


def most_prior(phase: Phase | None) -> float:
    """Return the greatest product that the factors of an entry can have."""
    kinds = [phase.other, *(prior for prior, _ in phase.kinds.values())] if phase else [1.0]
    return max(TRUST.values()) * (1 + WEIGHT_RANGE * _PLAIN_WEIGHT) * max(1.0, *kinds)


def weigh_entry(
    row: Row, *, now: float, half_life: float | None, phase: Phase | None, length: int
) -> dict[str, float]:
    """Return by name the factors for the score of an entry of `length` characters, without those
    that are 1. `half_life` is in days, None for no factor for age."""
    factors = {"trust": TRUST.get(row.source, TRUST["external"])}
    if row.weight is not None:
        factors["weight"] = 1.0 + WEIGHT_RANGE * (row.weight - _PLAIN_WEIGHT)
    if row.status != "active":
        factors["status"] = COLD
    if phase:
        factors["phase"] = phase.prior(row.kind)
    if half_life and row.updated is not None:
        factors["age"] = decay((now - row.updated) / DAY, half_life)
    factors["length"] = 1 / (1 + _LENGTHY * log(1 + length / _LONG))
    return {name: factor for name, factor in factors.items() if factor != 1.0}


WEIGHTS: dict[str, float] = {
    "id": 4.0,
    "text": 1.0,
    "context": 1.0,
    "speaker": 0.7,
    "name": 0.2,
    "tag": 0.05,
    "period": 1.0,
    "meaning": 0.2,
    "surroundings": 0.2,
    "beyond": 2.0,
    "recency": 0.0,
    "graph": 0.0,
}
"""The weight of each channel's score. The sum is measured in unique words: a word that only one
passage of the vault has, and that is as surprising in English as a number, is worth 1. Scores of
`text`, `context` and `graph` are in this unit; those of `id`, `speaker`, `name`, `tag` and `period`
are at most 1; those of `meaning` and `surroundings` are standard deviations above the mean of the
query's cosines; `beyond` is at most 1.25. docs/recall.md shows the gain of each.
"""

BARE = {"bm25": 1.0}


@dataclass(slots=True, eq=False)
class Collection:
    """A part of memory that is searched by itself: at most `limit` entries of these `kinds`, and
    with `tag` unless it is "". Scores are scaled so that the best entry has `weight`."""

    name: str
    kinds: Sequence[str]
    limit: int
    weight: float = 1.0
    tag: str = ""

    def __post_init__(self) -> None:
        self.kinds = tuple(self.kinds)


@dataclass(slots=True)
class Profile:
    """One way to recall.

    `weights` says which channels take part and how much each counts. At most `limit` results and
    `budget` tokens are returned (None: no bound). `half_life` is the days in which an entry's score
    halves, None for no decay. With `reject`, nothing is returned if nothing fits. With `lessons`,
    episodes and learnings are left out unless the operator vouches for them or the scope names
    their kind. `include_archive` and `include_inbox` widen the scope. `collections`, if any, are
    searched one by one and merged (`recall.task`); `stages` selects the search of entities, from
    summary to detail (`recall.tiered`).
    """

    name: str
    _: KW_ONLY
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    limit: int = 10
    budget: int | None = None
    half_life: float | None = None
    reject: bool = True
    lessons: bool = False
    include_archive: bool = False
    include_inbox: bool = False
    collections: Sequence[Collection] = ()
    stages: bool = False

    def __post_init__(self) -> None:
        self.collections = tuple(self.collections)


_ASSOCIATIVE = {**WEIGHTS, "id": 4.0, "name": 2.0, "tag": 1.0, "graph": 2.0}
_DEEP = {**WEIGHTS, "graph": 1.0}
_PROMPT = {**WEIGHTS, "graph": 0.2}
"""The weights of `prompt`: `graph` has the value that gained for notes with links and lost nowhere;
see docs/recall.md."""

SKILLS = "skills"
"""The name of the collection of skills, which excludes those from outside."""

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        # For a prompt: few and whole entries, and none if none fits. What happened once is kept for
        # other jobs; a prompt gets what was learned from it (DESIGN 18).
        Profile("prompt", weights=_PROMPT, limit=10, budget=2000, lessons=True),
        # Before a task: what usually works, what worked, and how it is done (S2.10).
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
        # By id, name, common tags and links; includes archived entries, which are marked (S3.5).
        Profile(
            "associative",
            weights=_ASSOCIATIVE,
            limit=10,
            budget=3000,
            reject=False,
            include_archive=True,
        ),
        # About those whom the query names: facts and summaries, then recent daily notes (S4.6).
        Profile("tiered", limit=20, budget=2000, stages=True),
        # In the whole vault, and what is some links away from a result (S1.9, S1.21).
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

BRIEF_BUDGET = 700
"""The default size of the brief of a session's start in tokens."""
STANDING, PROMOTED, RECENT = "preferences", "promoted", "recent"
"""The parts of a brief with preferences and feedback, with entries that heat promoted, and with
those that were used or made last."""


@dataclass(slots=True, eq=False)
class RecallRequest:
    """One recall as it was asked for: the `query`, the `profile` with overrides applied, the
    `scope`, the `phase` of work and the type of the next `action` (None for none). `loaded` has the
    ids of entries that the reader already has in the context; `scan` looks for changed files first.
    `deadline` is a moment of `time.monotonic`, None for a caller that can wait."""

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
        """The factor and the most results of each kind in the phase of work, None without one."""
        return PHASES[self.phase] if self.phase else None


def choose_profile(
    profile: str | Profile | None,
    *,
    limit: int | None = None,
    budget: int | None = None,
    half_life: float | None = None,
) -> Profile:
    """Return a profile by name, the default one for None, with overrides. Raises UsageError."""
    profile = profile or DEFAULT_PROFILE
    if isinstance(profile, str):
        if profile not in PROFILES:
            names = ", ".join(PROFILES)
            raise UsageError(f"no profile named {profile[:60]!r}", remedy=f"there are {names}")
        profile = PROFILES[profile]
    if limit is not None:
        if limit < 1:
            raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
        profile = replace(profile, limit=limit)
    if budget is not None:
        if budget < 1:
            raise UsageError(
                f"a budget of {budget} tokens holds nothing", remedy="give --budget 1 or more"
            )
        profile = replace(profile, budget=budget)
    if half_life is not None:
        if not half_life > 0:
            raise UsageError(f"a half-life of {half_life} days makes no sense")
        profile = replace(profile, half_life=half_life)
    return profile
