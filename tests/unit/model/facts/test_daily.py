"""A day's note, line by line, by the clock on the wall."""

from __future__ import annotations

import pytest

from engrain.model.facts.daily import LocalTime, append_line, compose_line, format_offset, place_of

NOON = 1_790_078_400.0  # 2026-09-22T12:00:00Z


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "+00:00"), (7200, "+02:00"), (-12_600, "-03:30"), (20_700, "+05:45"), (50_400, "+14:00")],
)
def test_a_distance_from_utc_is_written_as_iso_8601_has_it(seconds: int, written: str) -> None:
    assert format_offset(seconds) == written


@pytest.mark.parametrize(
    ("offset", "day", "minute"),
    [
        (0, "2026-09-22", "12:00"),
        (-13 * 3600, "2026-09-21", "23:00"),
        (12 * 3600, "2026-09-23", "00:00"),
    ],
)
def test_the_day_and_the_time_are_those_of_the_place(offset: int, day: str, minute: str) -> None:
    local = LocalTime(NOON, offset)
    assert (local.day, local.minute) == (day, minute)
    assert place_of(local.day) == f"Memory/daily/{day}.md"


def test_a_line_tells_its_distance_from_utc_only_where_the_note_tells_another() -> None:
    local = LocalTime(NOON, 7200)
    assert compose_line(local, "Rain.", noted="+02:00") == "- 14:00 Rain."
    assert compose_line(local, "Rain.", noted="+01:00") == "- 14:00 (+02:00) Rain."
    assert compose_line(local, "Rain.", noted=None) == "- 14:00 Rain."


def test_further_lines_belong_to_the_item_and_the_project_stands_before_it() -> None:
    line = compose_line(LocalTime(NOON, 0), " One\n\n# two \n", noted="+00:00", project="billing")
    assert line == "- 12:00 [billing] One\n\n  # two"


@pytest.mark.parametrize(
    ("body", "eol", "after"),
    [
        ("", "\n", "- a\n"),
        ("# Day\n", "\n", "# Day\n- a\n"),
        ("mine, without an end", "\n", "mine, without an end\n- a\n"),
        ("one\r\ntwo\n", "\r\n", "one\r\ntwo\n- a\r\n"),
    ],
)
def test_what_is_there_stays_byte_for_byte(body: str, eol: str, after: str) -> None:
    assert append_line(body, "- a", eol) == after
