"""Spans of time that a question names."""

from __future__ import annotations

import json
import time
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.periods import find_periods, overlap
from support.real_data import DATA, needs


def instant(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


NOW = instant("2024-06-12T15:00")  # a Wednesday


def found(text: str, now: float = NOW) -> list[str]:
    """First and last day of each period; `*` after one without a year."""
    days = []
    for period in find_periods(text, now):
        first = datetime.fromtimestamp(period.start, UTC).date()
        last = datetime.fromtimestamp(period.end, UTC).date() - timedelta(days=1)
        span = str(first) if first == last else f"{first}..{last}"
        days.append(span + "*" * period.yearless)
    return days


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 8 May, 2023", "2023-05-08"),
        ("the 8th of May 2023", "2023-05-08"),
        ("May 8th, 2023", "2023-05-08"),
        ("march 3, 2023", "2023-03-03"),
        ("Aug. 15 2023", "2023-08-15"),
        ("on December 1,2023", "2023-12-01"),
        ("on 1st September 2023?", "2023-09-01"),
        ("2023-05-08", "2023-05-08"),
        ("at 2023/05/08 10:00", "2023-05-08"),
        ("2023-05-08T10:00Z", "2023-05-08"),
        ("May 8-10, 2023", "2023-05-08..2023-05-10"),
        ("3 to 5 July 2023", "2023-07-03..2023-07-05"),
        ("on Monday, 8 May 2023", "2023-05-08"),
        ("February 30, 2023", "2023-02-01..2023-02-28"),
    ],
)
def test_days_are_found_as_people_write_them(text: str, day: str) -> None:
    assert found(text) == [day]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("in May 2023", "2023-05-01..2023-05-31"),
        ("In february of 2024,", "2024-02-01..2024-02-29"),
        ("2023-05", "2023-05-01..2023-05-31"),
        ("in 2022", "2022-01-01..2022-12-31"),
        ("2023's goals", "2023-01-01..2023-12-31"),
        ("summer of 2023", "2023-06-01..2023-08-31"),
        ("winter 2023", "2023-12-01..2024-02-29"),
    ],
)
def test_longer_spans_are_found(text: str, span: str) -> None:
    assert found(text) == [span]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("today", "2024-06-12"),
        ("yesterday", "2024-06-11"),
        ("last night", "2024-06-11"),
        ("this morning", "2024-06-12"),
        ("on Wednesday", "2024-06-12"),
        ("last Wednesday", "2024-06-05"),
        ("next Wednesday", "2024-06-19"),
        ("last week", "2024-06-03..2024-06-09"),
        ("this weekend", "2024-06-15..2024-06-16"),
        ("last weekend", "2024-06-08..2024-06-09"),
        ("last month", "2024-05-01..2024-05-31"),
        ("last quarter", "2024-01-01..2024-03-31"),
        ("this year", "2024-01-01..2024-12-31"),
        ("next year", "2025-01-01..2025-12-31"),
        ("over the past year", "2023-06-13..2024-06-12"),
        ("the past 10 days", "2024-06-02..2024-06-12"),
        ("in the last couple of weeks", "2024-05-29..2024-06-12"),
        ("the next two weeks", "2024-06-12..2024-06-25"),
        ("two weeks ago", "2024-05-27..2024-06-02"),
        ("3 days ago", "2024-06-09"),
        ("a year ago", "2023-01-01..2023-12-31"),
        ("a few months ago", "2023-12-01..2024-04-30"),
        ("last summer", "2023-06-01..2023-08-31"),
        ("next summer", "2025-06-01..2025-08-31"),
        ("last June", "2023-06-01..2023-06-30"),
        ("last May", "2024-05-01..2024-05-31"),
        ("since yesterday", "2024-06-11..2024-06-12"),
        ("since May 2023", "2023-05-01..2024-06-12"),
    ],
)
def test_spans_relative_to_now_are_found(text: str, span: str) -> None:
    assert found(text) == [span]


def test_on_a_sunday_last_weekend_is_not_the_one_that_is_ending() -> None:
    assert found("last weekend", instant("2024-06-16")) == ["2024-06-08..2024-06-09"]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("between August 11 and August 15 2023", "2023-08-11..2023-08-15"),
        ("between August and November 2023", "2023-08-01..2023-11-30"),
        ("between November and February", "2023-11-01..2024-02-29*"),
        ("between Nov 2022 and Feb 2023", "2022-11-01..2023-02-28"),
        ("between 3 and 5 July", "2023-07-03..2023-07-05*"),
        ("from 2021 to 2023", "2021-01-01..2023-12-31"),
        ("the last Friday, May 31 2024", "2024-05-31"),
    ],
)
def test_spans_told_by_others_are_found(text: str, span: str) -> None:
    assert found(text)[-1:] == [span]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("in July", "2023-07-01..2023-07-31*"),
        ("in May", "2024-05-01..2024-05-31*"),
        ("the December plans", "2023-12-01..2023-12-31*"),
        ("on 20 June", "2023-06-20*"),
        ("August 15th", "2023-08-15*"),
        ("Feb 29", "2024-02-29*"),
        ("during the summer", "2024-06-01..2024-08-31*"),
        ("in winter", "2023-12-01..2024-02-29*"),
    ],
)
def test_without_a_year_the_latest_that_began_by_now_is_meant(text: str, span: str) -> None:
    assert found(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "It may rain; this may be it, he may 5 times",
        "May I ask?",
        "They march on",
        "version 8 may break",
        "What did June and April say to August?",
        "fall off, spring boot, summer drives",
        "port 2022, 2050 files",
        "1234-11-22, 5/8/2023, 2023-13-40",
        "What did Ann do recently?",
        "two weeks, a second, the last straw, last season",
        "in 12 of 31 cases",
    ],
)
def test_words_and_numbers_that_mean_something_else_are_no_period(text: str) -> None:
    assert found(text) == []


def test_several_periods_come_in_order_and_each_once() -> None:
    text = "in May 2023, last week, and again in May 2023 or 2022"
    assert found(text) == ["2023-05-01..2023-05-31", "2024-06-03..2024-06-09"]


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert found("x " * 2_100 + "in May 2023") == []


@needs("locomo/locomo_dev.json")
def test_every_question_of_a_real_set_that_tells_a_year_has_a_period_of_it() -> None:
    data = json.loads((DATA / "locomo" / "locomo_dev.json").read_text())
    asked = [row["question"] for talk in data for row in talk["qa"]]
    dated = [question for question in asked if "2023" in question]
    assert len(dated) > 50
    for question in dated:
        assert any(day.startswith("2023") for day in found(question)), question


def test_an_instant_is_in_a_period_from_its_start_up_to_its_end() -> None:
    (may,) = find_periods("in May 2023", NOW)
    assert (may.start, may.end) == (instant("2023-05-01"), instant("2023-06-01"))
    assert not may.yearless
    assert overlap(may, may.start)
    assert not overlap(may, may.end)
    assert not overlap(may, instant("2022-05-10"))


@pytest.mark.parametrize(
    ("text", "at", "inside"),
    [
        ("in July", "2019-07-31T23:59", True),
        ("in July", "2019-08-01", False),
        ("in winter", "2021-12-31", True),
        ("in winter", "2021-01-01", True),
        ("in winter", "2021-02-28T12:00", True),
        ("in winter", "2021-03-01", False),
        ("in February", "2020-02-29", True),
        ("on 20 June", "2030-06-20", True),
        ("on 20 June", "2030-06-21", False),
    ],
)
def test_a_period_without_a_year_is_met_in_any_year(text: str, at: str, inside: bool) -> None:
    (period,) = find_periods(text, NOW)
    assert overlap(period, instant(at)) is inside


WORDS = (
    "in on the last past next this since between from to and of before after may march july june"
    " winter fall week weekend weeks month day year quarter ago few two couple first 8 31 12 2023"
    " 2024 1990 s th q2 monday sunday yesterday , - – . ? ' ² ٣ 05 / 999 99999"
)
words = st.sampled_from(WORDS.split())


@given(
    st.lists(words | st.text(max_size=4), max_size=14).map(" ".join),
    st.dates(date(1971, 1, 1), date(2100, 1, 1)),
)
def test_any_text_has_periods_that_end_after_they_start(text: str, day: date) -> None:
    now = instant(day.isoformat())
    periods = find_periods(text, now)
    assert len(set(periods)) == len(periods)
    for period in periods:
        assert period.start < period.end
        assert overlap(period, period.start)
        assert overlap(period, period.end - 1)
        if period.yearless:
            assert period.start <= now + 86_400


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_day_is_read_back_however_it_is_written(day: date) -> None:
    ways = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "on %b %dth %Y", "the %dth of %B, %Y")
    for way in ways:
        assert found(day.strftime(way)) == [day.isoformat()]


@pytest.mark.parametrize(
    "unit",
    ["may 8 ", "between ", "from may to ", "the week before ", "9", "in 2022 and ", "a few "],
)
def test_reading_takes_a_bounded_time_whatever_is_repeated(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    find_periods(text, NOW)
    assert time.process_time() - began < 0.5
