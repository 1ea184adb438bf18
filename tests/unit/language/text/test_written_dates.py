"""Dates as people and programs for notes write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.instants import format_instant
from engrain.language.text.written_dates import date_in_name, read_date


@pytest.mark.parametrize("value", [
    "2024-01-05", "2024/01/05", "2024.01.05", "2024/1/5", "20240105", 20240105, "05.01.2024",
    "5.1.2024", "5. 1. 2024", "01/05/2024", "1/5/2024", "Jan 5, 2024", "January 5th 2024",
    "Friday, January 5th 2024", "Fri, 5 Jan 2024", "5 January 2024", "5th of January, 2024",
    "5-Jan-2024", "5. Januar 2024", "5 janvier 2024", "5 de enero de 2024", "[[2024-01-05]]",
    "[[Daily/2024-01-05|Friday]]", "[[January 5th, 2024]]", '"[[2024-01-05]]"', ["2024-01-05"],
    [["2024-01-05"]], "<2024-01-05 Fri>", "2024年1月5日", " 2024-01-05 ", "2024-01-05 (Friday)",
    1704412800, 1704412800000, "1704412800000", 1704412800.0,
])  # fmt: skip
def test_a_day_is_read_in_every_form(value: object) -> None:
    at = read_date(value)
    assert at is not None
    assert format_instant(at) == "2024-01-05T00:00:00Z"


@pytest.mark.parametrize("value", [
    "Friday, January 5th 2024, 9:30:00 am", "2024-01-05T09:30:00Z", "2024-01-05 09:30",
    "2024-01-05T10:30:00+01:00", "2024-01-05 10:30 +0100", "202401050930", 202401050930,
    20240105093000, "2024-01-05T09:30", "2024/01/05 9:30 AM", "05.01.2024, 09:30",
    "Fri Jan 05 2024 10:30:00 GMT+0100 (CET)", "Fri, 5 Jan 2024 04:30:00 -0500",
    "January 5, 2024 at 9:30 a.m.", "2024-01-05T09:30:00.000Z", "Jan 5, 2024 9:30 AM",
])  # fmt: skip
def test_a_time_is_read_with_its_zone(value: object) -> None:
    at = read_date(value)
    assert at is not None
    assert format_instant(at)[:16] == "2024-01-05T09:30"


@pytest.mark.parametrize("value", [
    None, True, "", "soon", 2024, "2024", 7, "[[Home]]", "31.02.2024", "2024-13-05", "05.01.24",
    "99999999", [], ["2024-01-05", "2024-01-06"], {"a": 1}, "x" * 500, "12:30", "1.10.2.3",
])  # fmt: skip
def test_what_is_no_date_is_none(value: object) -> None:
    assert read_date(value) is None


def test_noon_and_midnight_of_twelve_hours() -> None:
    noon, midnight = read_date("Jan 5, 2024 12:15 PM"), read_date("Jan 5, 2024 12:15 AM")
    assert noon is not None
    assert midnight is not None
    assert (noon - midnight, midnight % 86_400) == (12 * 3600, 15 * 60)


def test_between_slashes_the_month_is_first_unless_it_can_not_be() -> None:
    said = {text: read_date(text) for text in ("03/04/2024", "13/04/2024", "04/13/2024")}
    days = {text: at and format_instant(at)[:10] for text, at in said.items()}
    assert days == {
        "03/04/2024": "2024-03-04", "13/04/2024": "2024-04-13", "04/13/2024": "2024-04-13",
    }  # fmt: skip


@pytest.mark.parametrize(("stem", "day"), [
    ("2024-01-05", "2024-01-05"),
    ("2024-01-05 Standup", "2024-01-05"),
    ("20240105", "2024-01-05"),
    ("202401050930 An idea", "2024-01-05"),
    ("Standup 2024-01-05", "2024-01-05"),
    ("daily.journal.2024.01.05", "2024-01-05"),
    ("2024_01_05", "2024-01-05"),
    ("Meeting (2024-01-05)", "2024-01-05"),
    ("2024-01-05-a-post", "2024-01-05"),
    ("Order 12345678", None),
    ("v2024.01", None),
    ("2024-13-05", None),
    ("9920240105", None),
    ("note", None),
])  # fmt: skip
def test_a_date_in_the_name_of_a_file(stem: str, day: str | None) -> None:
    at = date_in_name(stem)
    assert (None if at is None else format_instant(at)[:10]) == day


@given(st.one_of(st.text(max_size=120), st.integers(), st.floats()))
def test_any_value_is_a_date_or_none(value: object) -> None:
    at = read_date(value)
    assert at is None or isinstance(at, float)


@pytest.mark.parametrize("unit", ["5 ", "5.", "1/", "Jan 5 ", "2024-", "[["])
def test_hostile_names_are_read_in_linear_time(unit: str) -> None:
    started = time.process_time()
    date_in_name(unit * (200_000 // len(unit)))
    read_date(unit * (200_000 // len(unit)))
    assert time.process_time() - started < 5
