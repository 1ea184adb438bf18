"""Reads dates as people and programs for notes write them: `Friday, January 5th 2024, 9:30:00 am`,
`[[2024-01-05]]`, `05.01.2024`, `20240105`.

A date without a zone is UTC, and one without a time the beginning of its day. Dots stand between
day, month and year. Between slashes or hyphens the month comes first, unless that number is above
12; a year of two digits is not read.
"""

from __future__ import annotations

import re

from engrain.language.text.instants import (
    MONTHS,
    SECONDS,
    day_number,
    month_length,
    parse_instant,
    read_instant,
)

_MOST = 120
"""The most characters of a text that may be a date."""
_LEAST_EPOCH = 1e8
"""The least number that is an instant: a smaller one is a year or a count."""
_YEARS = range(1000, 10_000)
_RECENT = range(1900, 2101)
"""The years that a run of digits may begin with."""

_FOREIGN = """
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
"""
_MONTHS = {
    name: number
    for line in _FOREIGN.strip().splitlines()
    for number, name in enumerate(line.split(), 1)
} | MONTHS

_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?\Z")
_LINK = re.compile(r"[<\"'\s]{0,8}\[\[([^\[\]|#]++)[^\[\]]*+\]\]")
_WORD = r"(?P<word>[^\W\d_]{3,12})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|º|er)?"
_YEAR = r"(?P<year>\d{4})"
_FORMS = [
    re.compile(rf"(?<!\d){form}(?!\d)")
    for form in (
        rf"{_YEAR}\s?[-./年]\s?(?P<month>\d{{1,2}})\s?[-./月]\s?(?P<day>\d{{1,2}})",
        rf"{_WORD},?\s+{_DAY},?\s+{_YEAR}",
        rf"{_DAY}[\s-]+(?:of |de )?{_WORD},?[\s-]+(?:de )?{_YEAR}",
        rf"(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}",
        rf"(?P<first>\d{{1,2}})([/-])(?P<second>\d{{1,2}})\2{_YEAR}",
    )
]
_TIME = re.compile(
    r"[\sT,(]{0,8}(?:at |um )?(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,12})?)?"
    r"\s{0,4}(?:([ap])\.?m\b\.?)?\s{0,4}(?:(Z\b)|(?:UTC|GMT)?\s*([+-])(\d\d):?(\d\d)(?!\d))?",
    re.IGNORECASE,
)
_STEM = re.compile(
    r"(?P<year>\d{4})(?P<apart>[-._]?)(?P<month>\d\d)(?P=apart)(?P<day>\d\d)"
    r"(?:[T _-]?(?P<hour>\d\d)[-.:]?(?P<minute>\d\d)(?:[-.:]?\d\d)?)?"
)
_LONE = re.compile(r"(?:\A|(?<=[\s._([-]))" + _STEM.pattern + r"(?=\Z|[\s._)\]-])")


def read_date(value: object) -> float | None:
    """Return the instant that a note's property says, in epoch seconds; None for anything else."""
    if isinstance(value, list):
        return read_date(value[0]) if len(value) == 1 else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        dated = _read_digits(str(value))
        if dated is not None:
            return dated
        return read_instant(value) if abs(value) >= _LEAST_EPOCH else None
    return _read_text(value) if isinstance(value, str) and len(value) <= _MOST else None


def date_in_name(stem: str) -> float | None:
    """Return the date in the name of a file, in epoch seconds, None without one: `2024-01-05
    Standup`, `20240105`, `202401050930 An idea`, `daily.journal.2024.01.05`."""
    for found in _LONE.finditer(stem):
        year = int(found["year"])
        if year in _RECENT:
            day = _moment(year, int(found["month"]), int(found["day"]))
            if day is not None:
                time = _seconds(found["hour"] or "0", found["minute"] or "0", None, None)
                return day + (time or 0)
    return None


def _read_text(text: str) -> float | None:
    text = text.strip()
    if found := _LINK.match(text):
        text = found[1].rpartition("/")[2].strip()
    text = text.strip("\"'<>[]() ")
    if text.isdecimal():
        dated = _read_digits(text)
        return read_date(int(text)) if dated is None and 9 <= len(text) <= 13 else dated
    try:
        return parse_instant(text)
    except (ValueError, OverflowError):
        pass
    for form in _FORMS:
        for match in form.finditer(text):
            day = _read_day(match)
            if day is not None:
                return day + _read_time(text, match.end())
    return None


def _read_digits(text: str) -> float | None:
    """Return the instant of `20240105`, `202401050930` or `20240105093000`."""
    found = _DIGITS.match(text)
    if found is None or int(found[1]) not in _RECENT:
        return None
    day = _moment(int(found[1]), int(found[2]), int(found[3]))
    time = _seconds(found[4] or "0", found[5] or "0", found[6], None)
    return None if day is None or time is None else day + time


def _read_day(match: re.Match[str]) -> float | None:
    said = match.groupdict()
    year = int(said["year"])
    if "word" in said:
        month = _MONTHS.get(said["word"].lower(), 0)
        return _moment(year, month, int(said["day"]))
    if "first" in said:
        first, second = int(said["first"]), int(said["second"])
        month, day = (second, first) if first > 12 else (first, second)
        return _moment(year, month, day)
    return _moment(year, int(said["month"]), int(said["day"]))


def _moment(year: int, month: int, day: int) -> float | None:
    """Return the beginning of a day that exists."""
    if year not in _YEARS or not 1 <= month <= 12 or not 1 <= day <= month_length(year, month):
        return None
    return float(day_number(year, month, day) * SECONDS)


def _read_time(text: str, start: int) -> float:
    """Return the seconds from the beginning of the day to the time that follows a date."""
    found = _TIME.match(text, start)
    if found is None:
        return 0.0
    time = _seconds(found[1], found[2], found[3], found[4])
    if time is None:
        return 0.0
    if found[6]:
        offset = int(found[7]) * 3600 + int(found[8]) * 60
        time -= offset if found[6] == "+" else -offset
    return time


def _seconds(hour: str, minute: str, second: str | None, half: str | None) -> float | None:
    hours = int(hour) % 12 + 12 * (half.lower() == "p") if half else int(hour)
    if hours > 23 or int(minute) > 59 or int(second or 0) > 59:
        return None
    return float(hours * 3600 + int(minute) * 60 + int(second or 0))
