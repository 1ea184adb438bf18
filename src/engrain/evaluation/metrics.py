"""What a ranking is worth, as pure functions of the ids in it and of the gold, the ids that answer.

Binary relevance throughout. A repeated id counts once and keeps its slot, so that repeating what
is right gains nothing. Definitions as in trec_eval and in the LoCoMo and LongMemEval papers
(arXiv 2402.17753, 2410.10813).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2

CUTOFF = 10
"""Nothing behind this rank counts."""
CUTOFFS = (1, 5, CUTOFF)
METRICS = (
    *(f"recall@{k}" for k in CUTOFFS),
    *(f"hit@{k}" for k in CUTOFFS),
    f"ndcg@{CUTOFF}",
    "mrr",
)
"""The names under which `score` answers, all between 0 and 1, greater is better."""


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """|gold ∩ first k| / |gold|. `gold` is not empty, here and below."""
    return len(set(ranked[:k]).intersection(gold)) / len(gold)


def hit_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 when any of the first k is gold, else 0."""
    return float(not set(ranked[:k]).isdisjoint(gold))


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Σ 1/log2(p + 1) over the ranks p ≤ k that hold gold, over that of the best possible order
    (Järvelin and Kekäläinen 2002)."""
    best = sum(1 / log2(rank + 1) for rank in range(1, min(len(gold), k) + 1))
    return sum(1 / log2(rank + 1) for rank in _gold_ranks(ranked[:k], gold)) / best


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str], k: int = CUTOFF) -> float:
    """1 / the rank of the first that is gold, 0 when none of the first k is; its mean is MRR."""
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
    """The arithmetic mean of at least one value."""
    return sum(values) / len(values)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of at least one value lies: of the ordered ones that
    at `share` of the way, rounded down, and between two for the median."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    if share == 0.5:
        return (ordered[int(place)] + ordered[-int(place) - 1]) / 2
    return ordered[int(place)]


def _gold_ranks(ranked: Sequence[str], gold: Collection[str]) -> list[int]:
    """The ranks, from 1, at which a gold id is met for the first time."""
    first = {id_: rank for rank, id_ in reversed(list(enumerate(ranked, 1))) if id_ in gold}
    return sorted(first.values())
