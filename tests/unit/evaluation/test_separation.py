from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.evaluation.separation import area_interval, area_under_curve, threshold_losing

_ESTIMATES = st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=1, max_size=30)


def test_estimates_that_never_overlap_separate_entirely() -> None:
    assert area_under_curve([0.8, 0.9], [0.1, 0.2, 0.3]) == 1
    assert area_under_curve([0.1], [0.8, 0.9]) == 0


def test_equal_estimates_separate_nothing() -> None:
    assert area_under_curve([0.5, 0.5], [0.5]) == 0.5


@given(_ESTIMATES, _ESTIMATES)
def test_the_area_is_the_share_of_pairs_in_the_right_order(
    own: list[float], foreign: list[float]
) -> None:
    wins = sum((a > b) + (a == b) / 2 for a in own for b in foreign)
    assert area_under_curve(own, foreign) == pytest.approx(wins / (len(own) * len(foreign)))


@given(_ESTIMATES, _ESTIMATES)
def test_exchanging_the_sides_turns_the_area_over(own: list[float], foreign: list[float]) -> None:
    both = area_under_curve(own, foreign) + area_under_curve(foreign, own)
    assert both == pytest.approx(1)


def test_the_interval_holds_the_area() -> None:
    draw = random.Random(3)
    own = [draw.gauss(1, 1) for _ in range(120)]
    foreign = [draw.gauss(0, 1) for _ in range(90)]
    low, high = area_interval(own, foreign)
    assert low < area_under_curve(own, foreign) < high
    # Hanley and McNeil's standard error for two normals a deviation apart is about 0.032 here.
    assert high - low == pytest.approx(4 * 0.032, rel=0.25)


@given(_ESTIMATES, st.sampled_from([0.0, 0.03, 0.2, 0.5]))
def test_a_threshold_loses_no_more_than_it_may(own: list[float], share: float) -> None:
    threshold = threshold_losing(own, share)
    assert sum(value < threshold for value in own) <= share * len(own)


@given(_ESTIMATES, st.sampled_from([0.0, 0.03, 0.2, 0.5]))
def test_a_greater_threshold_would_lose_too_many(own: list[float], share: float) -> None:
    threshold = threshold_losing(own, share) + 0.001
    assert sum(value < threshold for value in own) > share * len(own)
