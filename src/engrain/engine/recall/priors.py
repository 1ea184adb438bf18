"""Defines priors, factors of an entry's score that do not depend on the question (S1.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

from engrain.model.errors import UsageError

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
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
