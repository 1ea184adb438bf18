"""Rejection: how likely it is that anything found is relevant at all (DESIGN section 9).

A logistic model of a few signals that can each be named. Its coefficients were fitted to questions
asked of the memory they are about and of another one; docs/recall.md tells how well it separates
them, and how the threshold was chosen.
"""

from __future__ import annotations

from math import exp

THRESHOLD = 0.5

SIGNALS: dict[str, str] = {
    "coverage": "share of the query's rare words that the best passage and its neighbours have",
    "own": "share that the best passage has by itself",
    "thread": "share that the best thread or note has",
    "named": "capitalised words of the query that are in the vault, at most two",
    "unknown": "capitalised words of the query that are not in the vault, at most two",
    "nearness": "standard deviations by which the nearest passage is nearer than chance",
}

_WORDS_ALONE = {
    "": -2.0,
    "coverage": 4.0,
    "own": 2.0,
    "thread": 1.0,
    "named": 1.0,
    "unknown": -2.0,
}
_WITH_VECTORS = {**_WORDS_ALONE, "nearness": 1.0}


def estimate_relevance(signals: dict[str, float]) -> float:
    """The probability, from 0 to 1, that something in the vault answers the query."""
    model = _WITH_VECTORS if "nearness" in signals else _WORDS_ALONE
    score = model[""] + sum(
        coefficient * signals[name] for name, coefficient in model.items() if name
    )
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))
