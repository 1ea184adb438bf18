"""Scores of rankings, and the bootstrap intervals of their means.

Scores are pure functions of the ranked ids and of the gold, the ids that answer. Relevance is
binary. A repeated id counts once but keeps its rank, so that repetition gains nothing. Definitions
are those of trec_eval and of the LoCoMo and LongMemEval papers (arXiv 2402.17753, 2410.10813). The
bootstrap (Efron 1979) has a fixed seed, so equal scores give equal intervals on every machine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2
from random import Random

CUTOFF = 10
"""The last rank that counts."""
CUTOFFS = (1, 5, CUTOFF)
METRICS = (
    *(f"recall@{k}" for k in CUTOFFS),
    *(f"hit@{k}" for k in CUTOFFS),
    f"ndcg@{CUTOFF}",
    "mrr",
)
"""The keys of `score`; all values are between 0 and 1, greater is better."""


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return |gold ∩ first k| / |gold|. `gold` is not empty, here and below."""
    return len(set(ranked[:k]).intersection(gold)) / len(gold)


def hit_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if any of the first k is gold, else 0."""
    return float(not set(ranked[:k]).isdisjoint(gold))


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return Σ 1/log2(p + 1) over the ranks p ≤ k with gold, divided by that of the best order
    (Järvelin and Kekäläinen 2002)."""
    best = sum(1 / log2(rank + 1) for rank in range(1, min(len(gold), k) + 1))
    return sum(1 / log2(rank + 1) for rank in _gold_ranks(ranked[:k], gold)) / best


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str], k: int = CUTOFF) -> float:
    """Return 1 / the first rank with gold, 0 if none of the first k has it; its mean is MRR."""
    ranks = _gold_ranks(ranked[:k], gold)
    return 1 / ranks[0] if ranks else 0.0


def score(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """Score one ranking by every metric in `METRICS`."""
    scores = {f"recall@{k}": recall_at(ranked, gold, k) for k in CUTOFFS}
    scores |= {f"hit@{k}": hit_at(ranked, gold, k) for k in CUTOFFS}
    scores[f"ndcg@{CUTOFF}"] = ndcg_at(ranked, gold, CUTOFF)
    scores["mrr"] = reciprocal_rank(ranked, gold)
    return scores


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean of at least one value."""
    return sum(values) / len(values)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value at `share` (0 to 1) of at least one ordered value, rounded down; for the
    median the mean of the two in the middle."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    if share == 0.5:
        return (ordered[int(place)] + ordered[-int(place) - 1]) / 2
    return ordered[int(place)]


def _gold_ranks(ranked: Sequence[str], gold: Collection[str]) -> list[int]:
    """Return the ranks, from 1, at which each gold id occurs for the first time."""
    first = {id_: rank for rank, id_ in reversed(list(enumerate(ranked, 1))) if id_ in gold}
    return sorted(first.values())


RESAMPLES = 1000
CONFIDENCE = 0.95
_SEED = 20_260_921


class Resampling:
    """`RESAMPLES` samples of the places of at least one question, drawn with replacement (`draws`).
    One object serves all metrics of the same questions, so that they use the same samples."""

    def __init__(self, size: int) -> None:
        random = Random(_SEED)
        places = list(range(size))
        self.draws = [random.choices(places, k=size) for _ in range(RESAMPLES)]

    def interval(self, values: Sequence[float]) -> tuple[float, float]:
        """Return (low, high) that contain 95 % of the resampled means of `values`."""
        return percentile_interval(self._means(values))

    def improbability(self, differences: Sequence[float]) -> float:
        """Return twice the share of resampled mean differences without the sign of the measured
        one, at most 1: the smaller, the less likely the difference is by chance."""
        means = self._means(differences)
        if not any(differences):
            return 1.0
        total = sum(differences)
        contrary = sum(mean <= 0 if total > 0 else mean >= 0 for mean in means)
        return min(1.0, 2 * contrary / len(means))

    def _means(self, values: Sequence[float]) -> list[float]:
        look = values.__getitem__
        return [sum(map(look, draw)) / len(draw) for draw in self.draws]


class MetricDifference:
    """One metric of two runs: the means, the mean of the paired differences with its 95 % interval,
    and the two-sided probability of such a difference by chance."""

    def __init__(
        self, before: Sequence[float], after: Sequence[float], resampling: Resampling
    ) -> None:
        differences = [b - a for a, b in zip(before, after, strict=True)]
        self.before = mean(before)
        self.after = mean(after)
        self.difference = mean(differences)
        self.interval = resampling.interval(differences)
        self.chance = resampling.improbability(differences)


def percentile_interval(estimates: Sequence[float]) -> tuple[float, float]:
    """Return (low, high) that cut off 2.5 % of resampled estimates on either side."""
    ordered = sorted(estimates)
    outside = (1 - CONFIDENCE) / 2
    last = len(ordered) - 1
    return ordered[round(outside * last)], ordered[round((1 - outside) * last)]
