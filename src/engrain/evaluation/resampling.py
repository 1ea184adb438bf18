"""The bootstrap: how far a mean would move with other questions of the same sort (Efron 1979).

The seed is fixed, so that the same scores give the same interval on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engrain.evaluation.metrics import mean

RESAMPLES = 1000
CONFIDENCE = 0.95
_SEED = 20_260_921


class Resampling:
    """`RESAMPLES` times as many draws, with replacement, as there are questions (one at least).

    One object serves every metric of the same questions, so that they are drawn alike.
    """

    __slots__ = ("_draws",)

    def __init__(self, size: int) -> None:
        random = Random(_SEED)
        places = list(range(size))
        self._draws = [random.choices(places, k=size) for _ in range(RESAMPLES)]

    def draws(self) -> list[list[int]]:
        """The places drawn, one list a resample."""
        return self._draws

    def interval(self, values: Sequence[float]) -> tuple[float, float]:
        """(low, high) between which 95 % of the resampled means of `values` lie."""
        return percentile_interval(self._means(values))

    def improbability(self, differences: Sequence[float]) -> float:
        """Return twice the share of resampled mean differences that have not the sign of the
        measured one: near 0 the difference is no accident of these questions, at 1 it may as well
        be one."""
        means = self._means(differences)
        if not any(differences):
            return 1.0
        total = sum(differences)
        contrary = sum(mean <= 0 if total > 0 else mean >= 0 for mean in means)
        return min(1.0, 2 * contrary / len(means))

    def _means(self, values: Sequence[float]) -> list[float]:
        look = values.__getitem__
        return [sum(map(look, draw)) / len(draw) for draw in self._draws]


class Difference:
    """One metric of two runs: the means, the mean of the paired differences with its 95 %
    interval, and the chance to see as much with no difference there (two-sided)."""

    __slots__ = ("after", "before", "chance", "difference", "interval")

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
    """(low, high) that cut off the outer 5 % of resampled estimates, half on either side."""
    ordered = sorted(estimates)
    outside = (1 - CONFIDENCE) / 2
    last = len(ordered) - 1
    return ordered[round(outside * last)], ordered[round((1 - outside) * last)]
