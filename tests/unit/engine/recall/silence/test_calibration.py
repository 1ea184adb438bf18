"""The threshold that fits one vault, found from two samples of values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.rejection import THRESHOLD
from engrain.engine.recall.silence.calibration import (
    FARTHEST,
    GROWTH,
    LEAST_QUESTIONS,
    LONGEST,
    LOST,
    PRIOR_ENTRIES,
    SILENCED,
    TOLD_APART,
    Calibration,
    choose_threshold,
    measure_area,
    tell_reason,
)

VALUES = st.lists(st.floats(0, 3), min_size=LEAST_QUESTIONS, max_size=60)
HIGH = st.lists(st.floats(1, 3), min_size=LEAST_QUESTIONS, max_size=60)
LOW = st.lists(st.floats(0, 0.9), min_size=LEAST_QUESTIONS, max_size=60)
ENTRIES = st.integers(0, 100_000)
PRIORS = st.floats(0.1, 3)
MANY = 10**9

OWN = [THRESHOLD + 0.2 + i / 100 for i in range(100)]
FOREIGN = [i / 100 for i in range(100)]


def share_below(values: list[float], threshold: float) -> float:
    return sum(value < threshold for value in values) / len(values)


def make(**changes: float) -> Calibration:
    values = {
        "threshold": 0.8, "own": 200, "foreign": 575, "entries": 100, "area": 0.97, "at": 1e9,
        "stamp": 7, "silent": 0.9,
    }  # fmt: skip
    return Calibration(**(values | changes))


class TestThreshold:
    @given(own=VALUES, foreign=VALUES, entries=ENTRIES, one=PRIORS, other=PRIORS)
    def test_a_greater_prior_never_makes_it_less(
        self, own: list[float], foreign: list[float], entries: int, one: float, other: float
    ) -> None:
        less, more = sorted((one, other))
        lower = choose_threshold(own, foreign, entries, less)
        assert lower <= choose_threshold(own, foreign, entries, more) + 1e-9

    @given(own=VALUES, foreign=VALUES, entries=ENTRIES)
    def test_it_lies_within_bounds_and_the_order_of_the_samples_says_nothing(
        self, own: list[float], foreign: list[float], entries: int
    ) -> None:
        found = choose_threshold(own, foreign, entries)
        least, most = FARTHEST
        assert least * THRESHOLD - 1e-9 <= found <= most * THRESHOLD + 1e-9
        assert found == choose_threshold(own[::-1], foreign[::-1], entries)

    @given(own=HIGH, foreign=LOW, prior=PRIORS)
    def test_of_a_large_vault_it_loses_few_own_questions_or_says_that_it_can_not(
        self, own: list[float], foreign: list[float], prior: float
    ) -> None:
        found = choose_threshold(own, foreign, MANY, prior)
        at_least = FARTHEST[0] * prior
        assert share_below(own, found - 1e-6) <= LOST or found <= at_least + 1e-6

    @given(own=HIGH)
    def test_where_own_and_foreign_are_alike_it_is_never_under_the_prior(
        self, own: list[float]
    ) -> None:
        assert measure_area(own, own) < TOLD_APART
        assert choose_threshold(own, own, 500) >= THRESHOLD

    def test_where_there_is_room_it_is_as_low_as_silences_enough(self) -> None:
        found = choose_threshold(OWN, FOREIGN, MANY)
        assert share_below(FOREIGN, found + 1e-6) == SILENCED
        assert share_below(OWN, found) == 0

    def test_where_there_is_none_own_questions_come_first(self) -> None:
        foreign = [value + 0.4 for value in FOREIGN]
        found = choose_threshold(OWN, foreign, MANY)
        assert share_below(OWN, found + 1e-6) == pytest.approx(LOST, abs=0.011)
        assert share_below(foreign, found) < SILENCED

    def test_what_can_not_be_told_apart_is_silenced(self) -> None:
        same = [1 + i / 1000 for i in range(100)]
        assert share_below(same, choose_threshold(same, same, MANY) + 1e-6) == SILENCED

    @pytest.mark.parametrize("entries", [1, 5, 10])
    def test_a_small_vault_is_near_the_prior_and_a_large_one_near_its_own_figure(
        self, entries: int
    ) -> None:
        own = [value - 0.4 for value in OWN]
        foreign = [value / 2 for value in FOREIGN]
        figure = choose_threshold(own, foreign, MANY)
        assert figure < THRESHOLD - 0.1
        near = abs(choose_threshold(own, foreign, entries) - THRESHOLD)
        assert near <= (THRESHOLD - figure) * entries / PRIOR_ENTRIES
        assert choose_threshold(own, foreign, 1000) == pytest.approx(figure, abs=0.05)

    def test_too_few_questions_leave_the_prior(self) -> None:
        few = OWN[: LEAST_QUESTIONS - 1]
        assert choose_threshold(few, FOREIGN, MANY) == THRESHOLD
        assert choose_threshold([], [], 0) == THRESHOLD
        assert choose_threshold(OWN, [], MANY) == THRESHOLD

    def test_prompts_without_a_word_in_common_do_not_lower_it(self) -> None:
        assert choose_threshold(OWN, [0.0] * 100, MANY) == THRESHOLD
        low = [value - 0.3 for value in OWN]
        assert choose_threshold(low, [0.0] * 100, MANY) == pytest.approx(low[2])


class TestArea:
    def test_it_counts_pairs_in_order_and_equal_ones_half(self) -> None:
        assert measure_area([2, 3], [0, 1]) == 1
        assert measure_area([0, 1], [2, 3]) == 0
        assert measure_area([1, 1], [1, 1]) == 0.5
        assert measure_area([1, 3], [0, 2]) == 0.75

    @given(own=VALUES, foreign=VALUES)
    def test_turned_round_it_is_the_rest(self, own: list[float], foreign: list[float]) -> None:
        assert measure_area(own, foreign) + measure_area(foreign, own) == pytest.approx(1)


class TestStaleness:
    @pytest.mark.parametrize(
        ("entries", "stale"),
        [(100, False), (120, False), (121, True), (80, False), (79, True), (0, True)],
    )
    def test_a_vault_that_grew_or_shrank_is_measured_again(self, entries: int, stale: bool) -> None:
        assert GROWTH == 0.2
        assert make().is_stale(entries, 1e9, 7) is stale

    def test_so_is_one_after_a_month_or_for_another_formula(self) -> None:
        assert not make().is_stale(100, 1e9 + LONGEST - 1, 7)
        assert make().is_stale(100, 1e9 + LONGEST, 7)
        assert make().is_stale(100, 1e9, 8)

    def test_a_clock_that_was_set_back_makes_it_stale(self) -> None:
        assert make().is_stale(100, 1e9 - 1, 7)


class TestReason:
    def test_it_says_what_the_threshold_rests_on(self) -> None:
        assert tell_reason(None, 10) == "prior: the vault has 10 entries and was not calibrated yet"
        assert tell_reason(None, 1).startswith("prior: the vault has 1 entry ")
        assert tell_reason(make(own=3), 3) == (
            "prior: 3 entries make too few questions to calibrate on"
        )
        assert tell_reason(make(), 100) == (
            "calibrated on 200 own questions and 575 foreign prompts on 2001-09-09"
        )

    def test_it_says_when_own_questions_can_not_be_told_from_foreign_ones(self) -> None:
        assert "the two are too alike (area 0.70)" in tell_reason(make(area=0.7), 100)
