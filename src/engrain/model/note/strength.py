"""How strong a memory is: its weight, what strengthens it and when it has faded (S3.3, S3.4, S3.6).

Pure policies; `lifecycle` applies them.
"""

from __future__ import annotations

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FACTORS = {"surprise": 0.20, "goal": 0.35, "social": 0.20, "utility": 0.25}
"""The four factors of the weight and what each counts for (S3.3)."""

REINFORCEMENT = 0.04
"""Of what its weight lacks of 1, so much an entry gains by a session that recalled it (S3.5)."""
USE = 0.45
"""And so much where the session also used it: read it by its id, or built on it. One use carries a
plain memory over the weight from which it does not fade."""

SLOWER = 4
"""Sessions count for a quarter where the retention class is slow (DESIGN section 10)."""
DOUBTED = 0.5
"""Confidence under which a pattern nobody recalled fades (DESIGN section 10)."""

DAY = 86_400.0


class DecayRule(Struct):
    """When an entry has faded: `sessions` without a recall, a weight under `weight`, fewer than
    `recalls` recalls, and `min_days` without one (DESIGN section 10)."""

    sessions: int
    weight: float
    recalls: int
    min_days: float


class Use:
    """How an entry was used: times recalled, sessions and days since (or since it was made)."""

    __slots__ = ("days", "recalls", "sessions")

    def __init__(self, recalls: int, sessions: int, days: float) -> None:
        self.recalls = recalls
        self.sessions = sessions
        self.days = days


def weigh(factors: Mapping[str, float]) -> float:
    """The weight of four factors from 0 to 1; one that is missing counts as 0.

    Raises ValueError for a factor there is not, or a value outside of 0 to 1.
    """
    for name, value in factors.items():
        if name not in FACTORS:
            raise ValueError(f"no factor named {name!r}; there are {', '.join(FACTORS)}")
        if not 0 <= value <= 1:
            raise ValueError(f"{name} {value} is not between 0 and 1")
    return round(sum(share * factors.get(name, 0.0) for name, share in FACTORS.items()), 4)


def reinforce(weight: float, *, used: bool = False) -> float:
    """The weight after a session that recalled it: slightly more, never over 1 (S3.5)."""
    gain = USE if used else REINFORCEMENT
    return min(1.0, round(weight + gain * (1.0 - weight), 4))


def may_fade(use: Use, rule: DecayRule, retention: str, confidence: float | None = None) -> bool:
    """Whether an entry of a retention class has faded, if its weight is low enough: the part of
    the rule that needs no weight (S3.6)."""
    if retention not in ("normal", "slow", "confidence"):
        return False
    if retention == "confidence" and (use.recalls or confidence is None or confidence >= DOUBTED):
        return False
    sessions = rule.sessions * (SLOWER if retention == "slow" else 1)
    return use.sessions >= sessions and use.recalls < rule.recalls and use.days >= rule.min_days


def has_faded(
    use: Use, weight: float, rule: DecayRule, retention: str, confidence: float | None = None
) -> bool:
    """Whether an entry is a candidate for the archive."""
    return weight < rule.weight and may_fade(use, rule, retention, confidence)
