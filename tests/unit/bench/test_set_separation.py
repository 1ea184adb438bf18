from __future__ import annotations

import random

import pytest
from bench.sets.separation import (
    area_interval,
    area_under_curve,
    silence_curve,
    silenced_at,
    threshold_losing,
)
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_curve_tells_what_each_threshold_would_do() -> None:
    curve = silence_curve([0.4, 0.6, 0.8, 0.8], [0.1, 0.5, 0.7, 0.9])
    assert curve == [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (1.0, 1.0)]
    assert [silenced_at(curve, lost) for lost in (0, 0.24, 0.25, 0.5, 1)] == [
        0.25, 0.25, 0.5, 0.75, 1.0,
    ]  # fmt: skip


@given(_ESTIMATES, _ESTIMATES)
def test_a_curve_rises_from_nothing_lost_to_everything_silenced(
    own: list[float], foreign: list[float]
) -> None:
    curve = silence_curve(own, foreign)
    assert curve == sorted(curve)
    assert curve[0][0] == 0
    assert curve[-1][1] == 1
    assert len({silenced for _, silenced in curve}) == len(curve), "no point says what another did"


@given(_ESTIMATES, _ESTIMATES, st.sampled_from([0.0, 0.03, 0.2, 0.5]))
def test_a_curve_agrees_with_the_threshold_that_loses_as_much(
    own: list[float], foreign: list[float], share: float
) -> None:
    threshold = threshold_losing(own, share)
    silenced = sum(value < threshold for value in foreign) / len(foreign)
    assert silenced_at(silence_curve(own, foreign), share) == silenced
