"""Estimates whether anything found is relevant at all (DESIGN section 9).

One weighted sum of a few named signals is held against a threshold. docs/recall.md shows how the
weights were chosen, and how well they separate questions that a vault answers from others.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENOUGH = 0.5
"""The relevance below which nothing is returned."""

THRESHOLD = 0.9
"""The sum of weighted signals that has a relevance of `ENOUGH` in a vault that nobody calibrated;
`calibration` finds the one of each vault."""

FIRST_ENTRIES = range(150, 20_001)
"""Entries of a vault that is calibrated before the first recall that can wait: in a smaller one the
prior weighs nearly as much, and a larger one's index is not made within a recall either."""

UNCONFIRMED = 0.85
"""What evidence of an external entry counts that nobody confirmed. At .85 a vault that is external
as a whole loses 7 to 8 of 100 of its own questions, in the place of 2; docs/recall.md."""

TAIL = 0.5
"""With less than this share of the best one's score a result is withheld: on LoCoMo that costs 1 in
100 of the right ones, and a tenth of what is returned."""

SIGNALS: dict[str, str] = {
    "own": "share of the query's surprise that the best passage covers by itself",
    "near": "share that the best passage and its neighbours cover",
    "surprise": "surprise in general English of the words that the best passage covers",
    "similarity": "how far the greatest cosine is beyond those of foreign prompts in this vault",
    "trust": "what the evidence of the best passage counts in these, an unconfirmed external one",
}

WEIGHTS: dict[str, float] = {"own": 1.0, "near": 0.5, "surprise": 0.1, "similarity": 2.0}
_STEEPNESS = 8.0

CROWD = 0.3
"""The share of the mean cosine of the next ten passages that is taken off the nearest one's: where
many are as near, the query is about a field rather than about one of them."""
_LEAST_SPREAD = 0.02


def silence_key(model: str) -> str:
    """The prefix of the index's figures about silence in recalls with the vectors of a model; ""
    stands for none."""
    return f"silence:{model}:"


def stand_out(cosine: float, crowd: float) -> float:
    """How near a passage lies to a query, less what its neighbours are as near as."""
    return cosine - CROWD * crowd


def rise_beyond(nearness: float, bar: tuple[float, float] | None) -> float:
    """How far `nearness` is above what 95 of 100 foreign prompts reach, from 0 to 1. The unit is
    from their median to there; `bar` has both."""
    if bar is None:
        return 0.0
    usual, high = bar
    return min(1.0, max(0.0, nearness - high) / max(high - usual, _LEAST_SPREAD))


def weigh_signals(signals: Mapping[str, float]) -> float:
    """The sum that is held against the threshold."""
    return sum(weight * signals.get(name, 0.0) for name, weight in WEIGHTS.items())


def estimate_relevance(signals: Mapping[str, float], threshold: float = THRESHOLD) -> float:
    """How likely it is, from 0 to 1, that something in the vault answers the query."""
    value = weigh_signals(signals)
    return 1 / (1 + exp(-max(-30.0, min(30.0, _STEEPNESS * (value - threshold)))))
