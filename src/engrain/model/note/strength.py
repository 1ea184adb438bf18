"""The strength of a memory: its weight, what increases it, and when it has faded (S3.3, S3.4,
S3.6).

These are pure policies; `lifecycle` applies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FACTORS = {"surprise": 0.20, "goal": 0.35, "social": 0.20, "utility": 0.25}
"""The four factors of the weight and their shares (S3.3)."""

REINFORCEMENT = 0.04
"""The share of the distance to 1 that a weight gains by a session that recalled the entry
(S3.5)."""
USE = 0.45
"""The same for a session that also used it: read it by its id, or built on it. One use lifts a
plain memory over the weight from which it does not fade."""

SLOWER = 4
"""In the retention class slow, sessions count for a quarter (DESIGN section 10)."""
DOUBTED = 0.5
"""The confidence below which a pattern that nobody recalled fades (DESIGN section 10)."""

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class DecayRule:
    """The conditions under which an entry has faded: `sessions` without a recall, a weight under
    `weight`, fewer than `recalls` recalls, and `min_days` without one (DESIGN section 10)."""

    sessions: int
    weight: float
    recalls: int
    min_days: float


@dataclass(slots=True)
class EntryUse:
    """The use of an entry: its recalls, and the sessions and days since the last (or its
    creation)."""

    recalls: int
    sessions: int
    days: float


def weigh(factors: Mapping[str, float]) -> float:
    """Return the weight of four factors from 0 to 1; a missing one counts as 0. Raises ValueError
    for an unknown factor, or a value outside of 0 to 1."""
    for name, value in factors.items():
        if name not in FACTORS:
            raise ValueError(f"no factor named {name!r}; there are {', '.join(FACTORS)}")
        if not 0 <= value <= 1:
            raise ValueError(f"{name} {value} is not between 0 and 1")
    return round(sum(share * factors.get(name, 0.0) for name, share in FACTORS.items()), 4)


def reinforce(weight: float, *, used: bool = False) -> float:
    """Return the weight after a session that recalled the entry, at most 1 (S3.5)."""
    gain = USE if used else REINFORCEMENT
    return min(1.0, round(weight + gain * (1.0 - weight), 4))


def may_fade(
    use: EntryUse, rule: DecayRule, retention: str, confidence: float | None = None
) -> bool:
    """Whether an entry of a retention class has faded, apart from its weight (S3.6)."""
    if retention not in ("normal", "slow", "confidence"):
        return False
    if retention == "confidence" and (use.recalls or confidence is None or confidence >= DOUBTED):
        return False
    sessions = rule.sessions * (SLOWER if retention == "slow" else 1)
    return use.sessions >= sessions and use.recalls < rule.recalls and use.days >= rule.min_days


def has_faded(
    use: EntryUse, weight: float, rule: DecayRule, retention: str, confidence: float | None = None
) -> bool:
    """Whether an entry is a candidate for the archive."""
    return weight < rule.weight and may_fade(use, rule, retention, confidence)
