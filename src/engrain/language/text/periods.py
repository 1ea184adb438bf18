"""Spans of time that a question names: "in May 2023", "last week", "between 3 and 5 July".

Rules of our own, for English only, because a library that reads dates takes longer to load than a
cold recall may take. Understood, with days in UTC and weeks from Monday:

    days      2023-05-08 · 8 May, 2023 · the 8th of May · May 8th · May 8-10 · on Friday
    spans     May 2023 · in July · 2023-05 · in 2022 · summer of 2023
    relative  yesterday · last week · this month · next year · last summer · two weeks ago
              the past 10 days · a few months ago
    joined    between A and B · from A to B · since A

A date without a year is the latest that began by now. Words that have other meanings (`may`,
`march`, `june`, `fall`) count only beside a number, or after a word such as `in`, `since`, `last`.
Dates like 5/8/2023, which continents read differently, and `recently` are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engrain.language.text.instants import (
    MONTHS,
    SECONDS,
    WEEKDAYS,
    civil,
    day_number,
    month_length,
    weekday,
)

# First day, the day after the last (numbers since 1970), whether any year's may be meant.
# The place of the word after the phrase, and the span.

Span: TypeAlias = "tuple[int, int, bool]"
Found: TypeAlias = "tuple[int, Span] | None"

_SHORT = frozenset(name for name in MONTHS if len(name) < 5) - {"may", "june", "july"}
_CLEAR_MONTHS = frozenset(
    ("january", "february", "july", "september", "october", "november", "december")
)
_VERBS = frozenset(("may", "march"))
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_SUFFIXES = frozenset(("st", "nd", "rd", "th"))
# What may stand before a time, so that the word after it is likely to be one.
_LEADS = frozenset(
    ("in", "on", "of", "during", "since", "until", "till", "by", "before", "after", "around",
     "about", "from", "through", "between", "early", "late", "mid", "for", "last", "past",
     "previous", "this", "next", "every")
)  # fmt: skip
_JOINTS = ("-", "–", "to")
_LEAP_GAP = 8  # years at most from one 29 February to the next
_YEARS = range(1900, 2100)
_LENGTHS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "quarter": 91, "year": 365}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_TURNS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}
_SOME = frozenset(("few", "several"))
_SOME_FROM, _SOME_TO = 2, 6  # what "a few" and "several" may mean
_TO = frozenset(("to", "and", "until", "till", "through", "-", "–"))
_BEFORE_DAYS = ("on", "since", "by", "until")


class TimePhrases:
    """Reads dates, and spans relative to dates or to day `today`, in `words`: lower case, numbers
    and signs are words. The examples of a method are the phrases that it reads."""

    __slots__ = ("_today", "_words")

    def __init__(self, words: Sequence[str], today: int) -> None:
        self._words = words
        self._today = today

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else ""

    def _iso(self, at: int) -> Found:
        """2023-05-08, 2023/05/08, 2023-05."""
        year, sign, month = self._year_at(at), self._word(at + 1), self._word(at + 2)
        if year is None or sign not in ("-", "/") or len(month) != 2 or not month.isdecimal():
            return None
        if not 1 <= int(month) <= 12:
            return None
        day = self._word(at + 4)
        if self._word(at + 3) == sign and day.isdecimal():
            if len(day) == 2 and 1 <= int(day) <= month_length(year, int(month)):
                return at + 5, _one_day(day_number(year, int(month), int(day)))
            return None
        return (at + 3, _months_from(year, int(month))) if sign == "-" else None

    def _days_at(
        self, at: int, before: str, joints: tuple[str, ...]
    ) -> tuple[int | None, int, int]:
        """Return a day or a range of days: the first (None for none), the last, and the place after
        it. After `between` the days are joined by `and`."""
        first, after = self._day_at(at)
        joint = self._word(after)
        if first is not None and (joint in joints or (joint == "and" and before == "between")):
            last, beyond = self._day_at(after + 1)
            if last is not None and last > first:
                return first, last, beyond
        return first, first or 0, after

    def _day_month(self, at: int) -> Found:
        """8 May 2023, 8th of May, 3-5 July; 3 and 5 July after `between`."""
        before = self._word(at - 1)
        first, last, after = self._days_at(at, before, _JOINTS)
        of = self._word(after) == "of"
        name = self._word(after + of)
        if first is None or name not in MONTHS:
            return None
        sure = of or name not in _VERBS or self._word(after - 1) in _SUFFIXES
        after, year = self._year_after(after + of + 1)
        if not (sure or year is not None or before in _LEADS | {"the"} or self._ends(after)):
            return None
        return self._dated(after, year, MONTHS[name], first, last)

    def _month(self, at: int, *, led: bool) -> Found:
        """May 2023, May 8th, May 8-10, 2023, in May."""
        name = self._word(at)
        if name not in MONTHS:
            return None
        after = at + 1 + (self._word(at + 1) == "." and name in _SHORT)
        first, last, beyond = self._days_at(after, self._word(at - 1), (*_JOINTS, "through"))
        if first is None:
            return self._bare_month(at, after, led=led)
        if last != first and self._word(beyond) in MONTHS:
            last, beyond = first, self._day_at(after)[1]
        sure = led or name not in _VERBS or self._word(beyond - 1) in _SUFFIXES
        beyond, year = self._year_after(beyond)
        if not (sure or year is not None or self._ends(beyond)):
            return None
        return self._dated(beyond, year, MONTHS[name], first, last)

    def _bare_month(self, at: int, after: int, *, led: bool) -> Found:
        """May 2023, last May, in May."""
        name, before = self._word(at), self._word(at - 1)
        after, year = self._year_after(after)
        verb = name == "may" and before == "this" and not self._ends(after)
        clear = not verb and (led or name in _CLEAR_MONTHS)
        if year is None and not _TURNS.get(before) and not clear:
            return None
        return after, self._months(MONTHS[name], 1, year, before)

    def _season(self, at: int, *, led: bool) -> Found:
        """Summer 2023, in the summer; a winter is of the year in which it begins."""
        month = _SEASONS.get(self._word(at))
        if month is None:
            return None
        after, year = self._year_after(at + 1)
        before = self._word(at - 1)
        named = led or year is not None or _TURNS.get(before)
        return (after, self._months(month, 3, year, before)) if named else None

    def _year(self, at: int, *, led: bool) -> Found:
        """In 2022, 2022's."""
        year = self._year_at(at)
        if year is None:
            return None
        if led or self._word(at - 1) in _LEADS | {"year"} or self._word(at + 1) in ("'", "’"):
            return at + 1, _months_from(year, 1, 12)
        return None

    def _year_at(self, at: int) -> int | None:
        word = self._word(at)
        return int(word) if len(word) == 4 and word.isdecimal() and int(word) in _YEARS else None

    def _year_after(self, at: int) -> tuple[int, int | None]:
        """Return the year that completes a date, past a comma or `of`: (the place after it, the
        year)."""
        beyond = at + (self._word(at) in (",", "of"))
        year = self._year_at(beyond)
        return (at, None) if year is None else (beyond + 1, year)

    def _day_at(self, at: int) -> tuple[int | None, int]:
        """Return a day of a month, and the place after it and its suffix."""
        word = self._word(at)
        if not (word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31):
            return None, at
        return int(word), at + 1 + (self._word(at + 1) in _SUFFIXES)

    def _ends(self, at: int) -> bool:
        return self._word(at) in ("", "?", ".", ",", "!", ";", ":", ")")

    def _date(self, at: int) -> Found:
        """Return a day or month in whatever form."""
        return self._iso(at) or self._day_month(at) or self._month(at, led=False)

    def _dated(self, after: int, year: int | None, month: int, first: int, last: int) -> Found:
        """Days of a month; without a year, of the latest in which they began by today."""
        if year is not None:
            length = month_length(year, month)
            if first > length:
                return after, _months_from(year, month)
            start = day_number(year, month, first)
            return after, (start, start + min(last, length) - first + 1, False)
        this = civil(self._today)[0]
        for year in range(this, this - _LEAP_GAP - 1, -1):
            start = day_number(year, month, first)
            if start <= self._today and last <= month_length(year, month):
                return after, (start, start + last - first + 1, True)
        return None

    def _months(self, month: int, months: int, year: int | None, before: str = "") -> Span:
        """Return the span of some months: of a year, the last or next one, or the latest."""
        if year is not None:
            return _months_from(year, month, months)
        start, end, _ = self._latest(month, months)
        if not (turn := _TURNS.get(before)):
            return start, end, True
        year = civil(start)[0]
        if turn > 0:
            year += 1
        elif end > self._today:
            year -= 1
        return _months_from(year, month, months)

    def _latest(self, month: int, months: int) -> Span:
        """Return the latest such span that began by today."""
        year = civil(self._today)[0]
        year -= day_number(year, month, 1) > self._today
        return _months_from(year, month, months)

    def read(self, at: int) -> Found:
        """Return the phrase that starts at `at`, if one does."""
        found = self._single(at, led=False)
        if found is None:
            return None
        after, span = found
        before = self._word(at - 1)
        if before == "since" and span[0] <= self._today:
            return after, (span[0], max(span[1], self._today + 1), False)
        joined = before in ("between", "from") and self._word(after) in _TO
        return (self._join(at, after, span) if joined else None) or found

    def _join(self, at: int, after: int, span: Span) -> Found:
        """Return the span up to the end of a second phrase behind a joint."""
        other = self._single(after + 1, led=True)
        if other is None or other[1][0] <= span[0] - 366:
            return None
        beyond, (start, end, yearless) = other
        if span[2] and (not yearless or span[0] >= end):
            # The year is said once, at the end; or the first is of the year before.
            found = TimePhrases(self._words, start)._single(at, led=False)
            span = found[1] if found else span
        return (beyond, (span[0], end, span[2] and yearless)) if span[0] < end else None

    def _single(self, at: int, *, led: bool) -> Found:
        """Return a phrase that is not joined of two. `led`: a word before it says that it is
        one."""
        if self._word(at).isdecimal():
            return self._iso(at) or self._day_month(at) or self._ago(at) or self._year(at, led=led)
        before = self._word(at - 1)
        led = led or (self._word(at - 2) if before == "the" else before) in _LEADS
        readers = (self._named_day, self._relative, self._ago, self._weekday)
        found = self._month(at, led=led) or self._season(at, led=led)
        return found or next(filter(None, (read(at) for read in readers)), None)

    def _named_day(self, at: int) -> Found:
        word = self._word(at)
        if word in ("today", "tonight"):
            return at + 1, _one_day(self._today)
        if word in ("yesterday", "tomorrow"):
            return at + 1, _one_day(self._today + (1 if word == "tomorrow" else -1))
        return None

    def _weekday(self, at: int) -> Found:
        """On Friday: the latest, today included; not if its date follows."""
        if self._word(at) not in WEEKDAYS or self._word(at - 1) not in _BEFORE_DAYS:
            return None
        if self._date(at + 1 + (self._word(at + 1) == ",")):
            return None
        back = (weekday(self._today) - WEEKDAYS.index(self._word(at))) % 7
        return at + 1, _one_day(self._today - back)

    def _relative(self, at: int) -> Found:
        """Last week, this month, the past 10 days, last Friday."""
        how, what, after = self._word(at), self._word(at + 1), at + 2
        turn = _TURNS.get(how)
        if turn is None:
            return None
        count = _SOME_TO if what in _SOME else self._count_at(at + 1)
        if count is not None:
            return self._several(after + (self._word(after) == "of"), count, turn)
        if what in ("night", "evening", "morning", "afternoon"):
            return (after, _one_day(self._today + turn)) if turn <= 0 else None
        if what in WEEKDAYS:
            return after, _one_day(self._week_day(what, turn))
        if what not in _LENGTHS or what == "day":
            return None
        if how == "past":
            return after, (self._today - _LENGTHS[what], self._today + 1, False)
        # On a Sunday the last weekend is that of the week before.
        back = turn < 0 and what == "weekend" and weekday(self._today) == 6
        return after, _unit(self._today - 7 * back, what, turn + back)

    def _week_day(self, name: str, turn: int) -> int:
        """Return the last, this or the next day of that name."""
        day = self._today - weekday(self._today) + WEEKDAYS.index(name)
        over = day >= self._today if turn < 0 else day <= self._today
        return day + 7 * turn * over

    def _several(self, at: int, count: int, turn: int) -> Found:
        """So many units before today, or from it on."""
        unit = self._unit_at(at)
        if unit is None or turn == 0:
            return None
        days = count * _LENGTHS[unit]
        if turn > 0:
            return at + 1, (self._today, self._today + days, False)
        return at + 1, (self._today - days, self._today + 1, False)

    def _ago(self, at: int) -> Found:
        """Two weeks ago: the week of that day. A few: of two to six."""
        some = self._word(at) in _SOME
        least = _SOME_FROM if some else self._count_at(at)
        after = at + 1
        after += self._word(after) == "of"
        unit = self._unit_at(after)
        if least is None or unit is None or self._word(after + 1) != "ago":
            return None
        start, end, _ = _unit(self._today, unit, -least)
        if some:
            start = _unit(self._today, unit, -_SOME_TO)[0]
        return after + 2, (start, end, False)

    def _count_at(self, at: int) -> int | None:
        word = self._word(at)
        if word.isdecimal():
            return int(word) if len(word) <= 3 and int(word) > 0 else None
        return _NUMBERS.get(word)

    def _unit_at(self, at: int) -> str | None:
        unit = self._word(at).removesuffix("s")
        return unit if unit in _LENGTHS else None


def _one_day(number: int) -> Span:
    return number, number + 1, False


def _months_from(year: int, month: int, count: int = 1) -> Span:
    return day_number(year, month, 1), day_number(year, month + count, 1), False


def _unit(day: int, unit: str, turn: int) -> Span:
    """Return the calendar's unit that holds `day`, or the one so many later."""
    year, month, _ = civil(day)
    if unit == "day":
        return _one_day(day + turn)
    if unit in ("week", "weekend"):
        monday = day - weekday(day) + 7 * turn
        return (monday + 5 if unit == "weekend" else monday), monday + 7, False
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = (month - 1) // months * months + 1 + turn * months
    return _months_from(year, first, months)


_READ = 1_024  # characters of a question that are read: a time is named where it is asked
_WORD = re.compile(r"[a-z]+|[0-9]+|[^\sa-z0-9]")

_MARKS = (
    "day", "week", "month", "quarter", "year", "morning", "afternoon", "evening", "night",
    "tomorrow", "spring", "summer", "autumn", "fall", "winter", "jan", "feb", "mar", "apr", "may",
    "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
"""Every phrase that names a time has a digit or one of these in it."""


@dataclass(slots=True, eq=False)
class Period:
    """From `start` up to but without `end`, in epoch seconds, UTC.

    `yearless`: the question gave no year; this is the latest such period that began by then, and
    that of any other year may be meant. `words` are those of the phrase that names it, which stands
    at `place` in the text.
    """

    start: float
    end: float
    yearless: bool = False
    words: Sequence[str] = ()
    place: tuple[int, int] = (0, 0)


def find_periods(text: str, now: float) -> list[Period]:
    """Return the periods that `text` names, seen from `now` (epoch seconds), in order, each
    once."""
    text = text[:_READ].lower()
    if not any(map(str.isdigit, text)) and not any(mark in text for mark in _MARKS):
        return []  # as most do, and a cold process need not load the rules
    found = list(_WORD.finditer(text))
    words = [one[0] for one in found]
    phrases = TimePhrases(words, int(now // SECONDS))
    periods: dict[Span, Period] = {}
    at = 0
    while at < len(words):
        if read := phrases.read(at):
            after, span = read
            start, end, yearless = span
            place = found[at].start(), found[after - 1].end()
            one = Period(start * SECONDS, end * SECONDS, yearless, words[at:after], place)
            known = periods.setdefault(span, one)
            known.words = [*known.words, *one.words] if known is not one else known.words
            at = after
        else:
            at += 1
    return list(periods.values())


def overlap(period: Period, at: float) -> bool:
    """Whether the instant `at` (epoch seconds) is in `period`; if yearless, of any year."""
    if period.start <= at < period.end:
        return True
    if not period.yearless:
        return False
    day = int(at // SECONDS)
    first, month, of_month = civil(int(period.start // SECONDS))
    last, end_month, end_day = civil(int(period.end // SECONDS))
    year = civil(day)[0]
    for begun in (year - 1, year):
        end = day_number(begun + last - first, end_month, end_day)
        if day_number(begun, month, of_month) <= day < end:
            return True
    return False
