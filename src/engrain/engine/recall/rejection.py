"""Rejection: how likely it is that anything found is relevant at all (DESIGN section 9).

A logistic model of a few signals that can each be named. Its coefficients were fitted to questions
asked of the memory they are about and of another one, without the names of who speaks in them;
docs/recall.md tells how well it separates them.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

THRESHOLD = 0.5
"""Below it nothing is returned. Of questions that memory could answer that lost fewer than 1 in
100, and of the same without their names, 4 in 100."""

TAIL = 0.5
"""With less than this share of the best one's score a result is withheld: on LoCoMo that costs 1 in
100 of the right ones, and a tenth of what is returned."""

SIGNALS: dict[str, str] = {
    "coverage": "share of the query's rare words that the best passage and its neighbours have",
    "own": "share that the best passage has by itself",
    "thread": "share that the best thread or note has",
    "speaker": "1 if the query names somebody who speaks in a memory",
    "unknown": "capitalised words of the query that no memory has, at most two",
    "similarity": "cosine of the passage nearest to the query by itself",
    "surroundings": "cosine of the one nearest with its neighbours",
    "agreement": "the best such cosine among the ten passages that have most of the words",
}

_NAMES = {"speaker": 1.5, "unknown": -0.5}
_WORDS_ALONE = {"": -1.5, "coverage": 2.8, "own": 1.9, "thread": 2.2, **_NAMES}
# By model, since the cosines of no two are alike. Of an unknown one the words alone count.
_WITH_VECTORS: dict[str, dict[str, float]] = {
    "all-MiniLM-L6-v2-onnx-int8": {
        "": -5.0,
        "coverage": 1.9,
        "own": 1.7,
        "thread": 1.1,
        "similarity": 5.0,
        "surroundings": 4.1,
        "agreement": 3.9,
        **_NAMES,
    },
    "all-MiniLM-L6-v2-static": {
        "": -12.0,
        "coverage": 2.7,
        "own": 2.3,
        "thread": 1.9,
        "similarity": 9.4,
        "agreement": 3.7,
        **_NAMES,
    },
}


def estimate_relevance(signals: Mapping[str, float], model: str) -> float:
    """How likely it is, from 0 to 1, that something in the vault answers the query; `model` is
    that of the vectors, "" for none."""
    coefficients = _WITH_VECTORS.get(model.partition("@")[0], _WORDS_ALONE)
    score = sum(
        coefficient * (signals.get(name, 0.0) if name else 1.0)
        for name, coefficient in coefficients.items()
    )
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))
