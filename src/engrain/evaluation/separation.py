"""How well an estimate of relevance tells questions that memory can answer from foreign ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from engrain.evaluation.resampling import Resampling, percentile_interval


def area_under_curve(own: Sequence[float], foreign: Sequence[float]) -> float:
    """The chance that an own question's estimate is above a foreign one's, ties counting half:
    the area under the ROC curve (Hanley and McNeil 1982). Neither is empty."""
    ordered = sorted(foreign)
    wins = sum(
        bisect_left(ordered, value) + bisect_right(ordered, value) for value in own
    )  # twice the number of wins
    return wins / (2 * len(own) * len(ordered))


def area_interval(own: Sequence[float], foreign: Sequence[float]) -> tuple[float, float]:
    """The bootstrap interval of `area_under_curve`, both sides drawn anew."""
    ordered = sorted(foreign)
    below = [(bisect_left(ordered, value), bisect_right(ordered, value)) for value in own]
    size = len(ordered)
    areas = []
    for mine, theirs in zip(Resampling(len(own)).draws(), Resampling(size).draws(), strict=True):
        drawn = Counter(theirs)
        under = list(accumulate((drawn[place] for place in range(size)), initial=0))
        wins = sum(under[below[place][0]] + under[below[place][1]] for place in mine)
        areas.append(wins / (2 * len(own) * size))
    return percentile_interval(areas)


def threshold_losing(own: Sequence[float], share: float) -> float:
    """The greatest threshold below which at most `share` of the own estimates lie."""
    ordered = sorted(own)
    return ordered[int(share * len(ordered))]


def silence_curve(own: Sequence[float], foreign: Sequence[float]) -> list[tuple[float, float]]:
    """Return what every threshold would do, as (share of own questions lost, greatest share of
    foreign ones silenced at that price), from nothing lost to everything. Neither input is
    empty."""
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
    """The share of foreign questions that a threshold silences which loses at most `lost`."""
    return max((silenced for price, silenced in curve if price <= lost), default=0.0)
