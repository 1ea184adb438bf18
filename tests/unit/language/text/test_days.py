"""Days as numbers, held against the datetime module."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.days import civil, day_number, month_length, weekday

EPOCH = date(1970, 1, 1).toordinal()


@given(st.dates())
def test_a_day_has_the_number_and_weekday_of_the_calendar(day: date) -> None:
    number = day_number(day.year, day.month, day.day)
    assert number == day.toordinal() - EPOCH
    assert civil(number) == (day.year, day.month, day.day)
    assert weekday(number) == day.weekday()


@given(st.integers(-3_000, 6_000), st.integers(-40, 40))
def test_a_month_outside_the_year_is_one_of_another_year(year: int, month: int) -> None:
    assert day_number(year, month + 12, 1) == day_number(year + 1, month, 1)
    assert civil(day_number(year, month, 1))[1] == (month - 1) % 12 + 1


def test_february_is_longer_in_leap_years() -> None:
    assert [month_length(year, 2) for year in (1900, 2000, 2023, 2024)] == [28, 29, 28, 29]
