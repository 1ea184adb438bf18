"""Dates as English writes them, read from words: "8 May 2023", "2023-05", "the summer of 2022".

Which are understood stands in `engrain.language.text.periods`.
"""

from __future__ import annotations

from engrain.language.text.instants import MONTHS, civil, day_number, month_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

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
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_SUFFIXES = frozenset(("st", "nd", "rd", "th"))
# What may stand before a time, so that the word after it is likely to be one.
LEADS = frozenset(
    ("in", "on", "of", "during", "since", "until", "till", "by", "before", "after", "around",
     "about", "from", "through", "between", "early", "late", "mid", "for", "last", "past",
     "previous", "this", "next", "every")
)  # fmt: skip
_TURNS = ("last", "past", "previous", "next")
_JOINTS = ("-", "–", "to")
_LEAP_GAP = 8  # years at most from one 29 February to the next
_YEARS = range(1900, 2100)


class DatePhrases:
    """Reads dates in `words` (lower case; numbers and signs are words), seen from day `today`."""

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
                return at + 5, one_day(day_number(year, int(month), int(day)))
            return None
        return (at + 3, months_from(year, int(month))) if sign == "-" else None

    def _days_at(
        self, at: int, before: str, joints: tuple[str, ...]
    ) -> tuple[int | None, int, int]:
        """A day or a range of days: the first (None for none), the last, and the place after it.
        After `between` the days are joined by `and`."""
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
        if not (sure or year is not None or before in LEADS | {"the"} or self._ends(after)):
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
        if year is not None:
            return after, months_from(year, MONTHS[name])
        if before in _TURNS:
            return after, self._turn(MONTHS[name], 1, before)
        verb = name == "may" and before == "this" and not self._ends(after)
        if verb or not (led or name in _CLEAR_MONTHS):
            return None
        return after, self._latest(MONTHS[name], 1)

    def _quarter(self, at: int) -> Found:
        """Q2 2024, second quarter of 2024, Q2."""
        word, after = self._word(at), at + 1
        if word in ORDINALS and self._word(after) == "quarter":
            number, after, sure = ORDINALS[word], after + 1, False
        elif len(word) == 2 and word[0] == "q" and word[1].isdecimal():
            number, sure = int(word[1]), True
        else:
            return None
        after, year = self._year_after(after)
        month = 3 * number - 2
        if number > 4 or (year is None and not sure):
            return None
        if year is None:
            return after, self._latest(month, 3)
        return after, months_from(year, month, 3)

    def _season(self, at: int, *, led: bool) -> Found:
        """Summer 2023, in the summer; a winter is of the year in which it begins."""
        month = _SEASONS.get(self._word(at))
        if month is None:
            return None
        after, year = self._year_after(at + 1)
        if year is not None:
            return after, months_from(year, month, 3)
        before = self._word(at - 1)
        if before in _TURNS:
            return after, self._turn(month, 3, before)
        return (after, self._latest(month, 3)) if led else None

    def _year(self, at: int, *, led: bool) -> Found:
        """In 2022, 2022's, the 1990s."""
        year = self._year_at(at)
        if year is None:
            return None
        after = self._word(at + 1)
        if after == "s" and year % 10 == 0:
            return at + 2, months_from(year, 1, 120)
        before = self._word(at - 1)
        if led or before in LEADS | {"year"} or after in ("'", "’"):
            return at + 1, months_from(year, 1, 12)
        return None

    def _year_at(self, at: int) -> int | None:
        word = self._word(at)
        return int(word) if len(word) == 4 and word.isdecimal() and int(word) in _YEARS else None

    def _year_after(self, at: int) -> tuple[int, int | None]:
        """The year that completes a date, past a comma or `of`: (the place after it, the year)."""
        for skip in (0, 1):
            if skip and self._word(at) not in (",", "of"):
                break
            year = self._year_at(at + skip)
            if year is not None:
                return at + skip + 1, year
        return at, None

    def _day_at(self, at: int) -> tuple[int | None, int]:
        """A day of a month, and the place after it and its suffix."""
        word = self._word(at)
        if not (word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31):
            return None, at
        return int(word), at + 1 + (self._word(at + 1) in _SUFFIXES)

    def _ends(self, at: int) -> bool:
        """Whether a clause ends before `at`."""
        return self._word(at) in ("", "?", ".", ",", "!", ";", ":", ")")

    def _date(self, at: int) -> Found:
        """A day or month in whatever form."""
        return self._iso(at) or self._day_month(at) or self._month(at, led=False)

    def _dated(self, after: int, year: int | None, month: int, first: int, last: int) -> Found:
        """Days of a month; without a year, of the latest in which they began by today."""
        if year is not None:
            length = month_length(year, month)
            if first > length:
                return after, months_from(year, month)
            start = day_number(year, month, first)
            return after, (start, start + min(last, length) - first + 1, False)
        this = civil(self._today)[0]
        for year in range(this, this - _LEAP_GAP - 1, -1):
            start = day_number(year, month, first)
            if start <= self._today and last <= month_length(year, month):
                return after, (start, start + last - first + 1, True)
        return None

    def _latest(self, month: int, months: int) -> Span:
        """The latest such span that began by today."""
        year = civil(self._today)[0]
        year -= day_number(year, month, 1) > self._today
        start, end, _ = months_from(year, month, months)
        return start, end, True

    def _turn(self, month: int, months: int, how: str) -> Span:
        """The last such span that is over, or the next to come."""
        start, end, _ = self._latest(month, months)
        year = civil(start)[0]
        if how == "next":
            year += 1
        elif end > self._today:
            year -= 1
        return months_from(year, month, months)


def one_day(number: int) -> Span:
    return number, number + 1, False


def months_from(year: int, month: int, count: int = 1) -> Span:
    return day_number(year, month, 1), day_number(year, month + count, 1), False
