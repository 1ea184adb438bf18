"""The separation of own questions from foreign ones by their estimated relevance."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from bench.sets.metrics import Resampling, percentile_interval


def area_under_curve(own: Sequence[float], foreign: Sequence[float]) -> float:
    """Return the probability that an own question's estimate is above a foreign one's, where ties
    count half: the area under the ROC curve (Hanley and McNeil 1982). Neither is empty."""
    ordered = sorted(foreign)
    # Each win counts twice here, and a tie once.
    wins = sum(bisect_left(ordered, value) + bisect_right(ordered, value) for value in own)
    return wins / (2 * len(own) * len(ordered))


def area_interval(own: Sequence[float], foreign: Sequence[float]) -> tuple[float, float]:
    """Return the bootstrap interval of `area_under_curve`, with both sides resampled."""
    ordered = sorted(foreign)
    below = [(bisect_left(ordered, value), bisect_right(ordered, value)) for value in own]
    size = len(ordered)
    areas = []
    for mine, theirs in zip(Resampling(len(own)).draws, Resampling(size).draws, strict=True):
        drawn = Counter(theirs)
        under = list(accumulate((drawn[place] for place in range(size)), initial=0))
        wins = sum(under[below[place][0]] + under[below[place][1]] for place in mine)
        areas.append(wins / (2 * len(own) * size))
    return percentile_interval(areas)


def threshold_losing(own: Sequence[float], share: float) -> float:
    """Return the greatest threshold with at most `share` of the own estimates below it."""
    return sorted(own)[int(share * len(own))]


def silence_curve(own: Sequence[float], foreign: Sequence[float]) -> list[tuple[float, float]]:
    """Return the effect of every threshold as (share of own questions lost, greatest share of
    foreign ones silenced at that loss), ordered by loss. Neither input is empty."""
    mine, theirs = sorted(own), sorted(foreign)
    points: list[tuple[float, float]] = []
    for threshold in dict.fromkeys(mine):
        point = (
            bisect_left(mine, threshold) / len(mine),
            bisect_left(theirs, threshold) / len(theirs),
        )
        if not points or point[1] > points[-1][1]:
            points.append(point)
    if points[-1][1] < 1:
        points.append((1.0, 1.0))
    return points


def silenced_at(curve: Sequence[tuple[float, float]], lost: float) -> float:
    """Return the share of foreign questions silenced by a threshold that loses at most `lost`."""
    return max((silenced for price, silenced in curve if price <= lost), default=0.0)
