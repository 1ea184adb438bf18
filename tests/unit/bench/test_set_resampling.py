from __future__ import annotations

import pytest
from bench.sets.metrics import RESAMPLES, Resampling
from hypothesis import given, settings
from hypothesis import strategies as st

_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@settings(max_examples=20)
@given(_VALUES)
def test_an_interval_lies_within_what_was_measured(values: list[float]) -> None:
    low, high = Resampling(len(values)).interval(values)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


@settings(max_examples=10)
@given(_VALUES)
def test_the_same_values_give_the_same_interval(values: list[float]) -> None:
    assert Resampling(len(values)).interval(values) == Resampling(len(values)).interval(values)


def test_equal_values_leave_no_doubt() -> None:
    assert Resampling(7).interval([0.5] * 7) == (0.5, 0.5)


def test_an_interval_has_the_width_that_theory_gives() -> None:
    # Of 400 fair coins the mean has the standard error 0.5 / 20: 95 % lie within 1.96 of them.
    low, high = Resampling(400).interval([0.0, 1.0] * 200)
    assert low == pytest.approx(0.451, abs=0.006)
    assert high == pytest.approx(0.549, abs=0.006)


def test_more_questions_narrow_the_interval() -> None:
    narrow, wide = Resampling(400), Resampling(40)
    low, high = narrow.interval([0.0, 1.0] * 200)
    lower, higher = wide.interval([0.0, 1.0] * 20)
    assert high - low < higher - lower


def test_every_resample_is_as_large_as_the_set() -> None:
    draws = Resampling(3).draws
    assert len(draws) == RESAMPLES
    assert {len(draw) for draw in draws} == {3}
    assert {place for draw in draws for place in draw} == {0, 1, 2}


def test_a_steady_gain_is_no_accident() -> None:
    assert Resampling(50).improbability([0.1] * 49 + [-0.1]) == 0


def test_gains_and_losses_alike_may_be_one() -> None:
    assert Resampling(100).improbability([0.1, -0.1] * 50) > 0.5
    assert Resampling(51).improbability([0.1, -0.1] * 25 + [0.1]) > 0.5


def test_no_difference_at_all_is_nothing_to_wonder_at() -> None:
    assert Resampling(10).improbability([0.0] * 10) == 1
