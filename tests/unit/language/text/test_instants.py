"""Instants: read from what people write, written as ISO-8601 in UTC."""

from __future__ import annotations

import time
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.instants import (
    civil,
    day_number,
    format_day,
    format_instant,
    format_local,
    month_length,
    parse_instant,
    parse_local,
    read_instant,
    weekday,
)

AT = 1769874420.0
TEXT = "2026-01-31T15:47:00Z"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (TEXT, AT), ("2026-01-31T15:47:00", AT), ("2026-01-31 15:47", AT),
        ("2026-01-31T17:47:00+02:00", AT), ("2026-01-31T15:47:00.500Z", AT + 0.5),
        ("2026-01-31", AT - 56820), ("  2026-01-31 ", AT - 56820), ("1970-01-01", 0.0),
        ("1969-12-31T23:59:59Z", -1.0),
    ],
)  # fmt: skip
def test_a_date_or_time_is_read_and_without_an_offset_it_is_utc(text: str, at: float) -> None:
    assert parse_instant(text) == at
    assert read_instant(text) == at


@pytest.mark.parametrize(
    "text",
    ["", "soon", "NO", "12:30:45", "2026-13-45", "2026-02-29", "31/01/2026", "2026-01-31T25:00:00Z",
     "9" * 5000, "२०२६-०१-३१T", "0000-01-01", "2026-01-31\n---"],
)  # fmt: skip
def test_what_is_no_date_is_refused(text: str) -> None:
    assert read_instant(text) is None
    with pytest.raises(ValueError):
        parse_instant(text)


@pytest.mark.parametrize(
    ("value", "at"),
    [
        (1769874420, AT), (1769874420000, AT), (1769874420.5, AT + 0.5), (0, 0.0),
        (None, None), (True, None), ([], None), ({}, None), (["2026-01-31"], None),
        (10**17, None), (-(10**17), None), (1e300, None), (float("nan"), None),
    ],
)  # fmt: skip
def test_a_number_is_epoch_seconds_or_milliseconds(value: object, at: float | None) -> None:
    assert read_instant(value) == at


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_the_ends_of_the_calendar_break_nothing(text: str) -> None:
    at = read_instant(text)
    assert at is None or isinstance(format_instant(at), str)


def test_an_instant_is_written_to_the_second() -> None:
    assert format_instant(AT + 0.999) == TEXT


@given(st.integers(min_value=-62135596800, max_value=253402300799))
def test_what_is_written_reads_back(at: int) -> None:
    assert parse_instant(format_instant(at)) == at
    assert len(format_instant(at)) == len(TEXT)


@pytest.mark.parametrize("value", [10**400, -(10**400), 1e300, float("inf"), float("nan")])
def test_no_number_is_too_large_to_be_refused(value: float) -> None:
    assert read_instant(value) is None


FIELDS = [st.integers(0, 9999), *[st.integers(0, most) for most in (13, 32, 24, 60, 61)]]


@given(st.tuples(*FIELDS))
def test_the_form_that_is_written_is_read_as_datetime_reads_it(fields: tuple[int, ...]) -> None:
    year, *rest = fields
    text = "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z".format(year, *rest)
    try:
        at = datetime.fromisoformat(text).timestamp()
    except ValueError:
        assert read_instant(text) is None
    else:
        assert parse_instant(text) == at


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


@pytest.mark.parametrize(
    ("zone", "text", "day", "shown"),
    [
        ("UTC", "2026-09-01T23:30:00Z", "2026-09-01", "2026-09-01T23:30:00Z"),
        ("Pacific/Kiritimati", "2026-09-01T12:30:00Z", "2026-09-02", "2026-09-02T02:30:00+14:00"),
        ("Pacific/Pago_Pago", "2026-09-01T10:30:00Z", "2026-08-31", "2026-08-31T23:30:00-11:00"),
        ("Asia/Kolkata", "2026-09-01T18:30:00Z", "2026-09-02", "2026-09-02T00:00:00+05:30"),
        ("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29", "2026-03-29T03:00:00+02:00"),
        ("Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25", "2026-10-25T02:30:00+01:00"),
        ("Pacific/Pago_Pago", "2026-09-01T00:00:00Z", "2026-09-01", "2026-09-01T00:00:00Z"),
    ],
)
def test_an_instant_is_shown_by_the_clock_of_the_device(
    monkeypatch: pytest.MonkeyPatch, zone: str, text: str, day: str, shown: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        at = parse_instant(text)
        assert format_day(at) == day
        assert format_local(at) == shown
        assert parse_local(shown) == at
        assert zone == "UTC" or parse_local(f"{day}T12:00:00") != parse_instant(f"{day}T12:00:00Z")
    finally:
        monkeypatch.undo()
        time.tzset()
