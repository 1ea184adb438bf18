"""How sure a pattern is (S2.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.lifecycle.consolidating.evidence import confidence_of, weigh_outcome

KEPT = 0.8  # the setting consolidate.confidence

counts = st.integers(0, 400).map(lambda number: number / 2)


def test_two_clear_successes_are_enough_and_one_is_not() -> None:
    assert confidence_of(2, 0) == KEPT
    assert confidence_of(1, 0) < KEPT


def test_a_failure_wants_six_successes_to_be_outweighed() -> None:
    assert confidence_of(5, 1) < KEPT <= confidence_of(6, 1)


@given(counts, counts)
def test_it_is_a_fraction_and_never_certain(support: float, counter: float) -> None:
    assert 0 < confidence_of(support, counter) <= 0.99


@given(counts, counts, counts)
def test_it_never_falls_with_more_support(support: float, more: float, counter: float) -> None:
    assert confidence_of(support + more, counter) >= confidence_of(support, counter)


@given(counts, counts, counts)
def test_it_never_grows_with_more_against_it(support: float, counter: float, more: float) -> None:
    assert confidence_of(support, counter + more) <= confidence_of(support, counter)


@given(st.integers(0, 50), st.integers(0, 50))
def test_one_more_either_way_makes_a_difference(support: int, counter: int) -> None:
    if counter:
        assert confidence_of(support + 1, counter) > confidence_of(support, counter)
    assert confidence_of(support, counter + 1) < confidence_of(support, counter)


@pytest.mark.parametrize(
    ("outcome", "counted"),
    [
        ("success", (1, 0)),
        ("failure", (0, 1)),
        ("partial", (0.5, 0.5)),
        ("interrupted", (0, 0)),
        ("unknown", (0, 0)),
        ("whatever", (0, 0)),
    ],
)
def test_an_outcome_counts_for_or_against(outcome: str, counted: tuple[float, float]) -> None:
    assert weigh_outcome(outcome) == counted
