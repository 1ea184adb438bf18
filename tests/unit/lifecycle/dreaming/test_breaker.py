"""When a finder's rate is odd enough that nothing of it is done without the operator."""

from __future__ import annotations

import pytest

from engrain.lifecycle.dreaming.applying import why_not


@pytest.mark.parametrize(
    ("found", "entries", "past"),
    [(0, 0, []), (20, 20, [1, 1, 1]), (60, 2000, [20, 25, 30]), (60, 2000, [1, 1]), (50, 1000, [])],
)
def test_a_usual_rate_is_let_through(found: int, entries: int, past: list[int]) -> None:
    assert why_not(found, entries, past) == ""


def test_far_more_than_is_usual_is_not() -> None:
    assert why_not(76, 10_000, [20, 25, 30]) == "76 found, and 25 is usual"


def test_much_of_the_vault_is_not() -> None:
    assert why_not(51, 1000, []) == "51 found among 1000 entries"


def test_what_was_turned_down_often_is_not() -> None:
    assert why_not(3, 1000, [3, 3, 3], decided=10, refused=2) == ""
    told = why_not(3, 1000, [3, 3, 3], decided=10, refused=3)
    assert told == "3 of the last 10 were turned down or taken back"
    assert why_not(3, 1000, [], decided=4, refused=4) == ""
