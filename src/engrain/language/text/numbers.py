"""Dates, times of day and numbers in plain text, however they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.text.instants import MONTHS, WEEKDAYS

_TO_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
NUMBERS = {word: number for number, word in enumerate(_TO_TWENTY.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "dozen": 12,
}  # fmt: skip
_SUFFIX = "(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>(?:19|20)\d\d)"


def date_patterns(months: str, flags: re.RegexFlag) -> tuple[re.Pattern[str], ...]:
    """Patterns of dates with the groups `y`, `m` or `mon`, and `d`: ISO, month before day, day
    before month, and a month alone. `months` is an expression for the names of months."""
    written = (
        rf"\b{_YEAR}-(?P<m>\d\d)(?:-(?P<d>\d\d))?\b",
        rf"\b(?P<mon>{months})\b\.? (?:the )?(?P<d>\d{{1,2}}){_SUFFIX}\b(?!:)(?:,? {_YEAR})?",
        rf"\b(?P<d>\d{{1,2}}){_SUFFIX}(?: of)? (?P<mon>{months})\b\.?(?:,? {_YEAR})?",
        rf"\b(?P<mon>{months})\b\.?(?:,? {_YEAR})?",
    )
    return tuple(re.compile(pattern, flags) for pattern in written)


def month_of(date: re.Match[str]) -> int | None:
    """The month of a date that was found by such a pattern, 1 to 12."""
    parts = date.groupdict()
    return int(parts["m"]) if parts.get("m") else MONTHS.get((parts.get("mon") or "").lower())


_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_ISO, _MONTH_DAY, _DAY_MONTH, _MONTH = date_patterns(_NAMES, re.IGNORECASE)
_DATES = (
    _ISO,
    _MONTH_DAY,
    _DAY_MONTH,
    re.compile(rf"\bq(?P<q>[1-4])\b(?:,? {_YEAR})?"),
    _MONTH,
    re.compile(r"\b(?:the )(?P<d>\d{1,2})(?:st|nd|rd|th)\b"),
    re.compile(rf"\b{_YEAR}\b"),
)


@dataclass(slots=True, eq=False)
class Day:
    """A date as far as it is given; None for what is not."""

    year: int | None
    month: int | None
    day: int | None
    quarter: int | None = None
    weekday: int | None = None

    def _parts(self) -> tuple[int | None, ...]:
        quarter = (self.month + 2) // 3 if self.month else self.quarter
        return self.year, quarter, self.month, self.day, self.weekday

    def differs(self, other: Day) -> bool:
        """Whether a part that both give is another."""
        pairs = zip(self._parts(), other._parts(), strict=True)
        return any(one is not None and two is not None and one != two for one, two in pairs)

    def same(self, other: Day) -> bool:
        """Whether they agree, the year apart where one leaves it out."""
        return not self.differs(other) and self._parts()[1:] == other._parts()[1:]


def read_day(text: str) -> Day | None:
    """The first date in a text."""
    lower = text.lower()
    for pattern in _DATES:
        if found := pattern.search(lower):
            year, day, quarter = (
                int(part) if part else None for part in map(found.groupdict().get, "ydq")
            )
            return Day(year, month_of(found), day, quarter)
    for number, name in enumerate(WEEKDAYS):
        if re.search(rf"\b{name}s?\b", lower):
            return Day(None, None, None, None, number)
    return None


_NUMBER = re.compile(
    r"(?P<cur>[$€£]\s?)?(?P<n>\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"\s?(?P<mag>k|m|mm|bn|b|thousand|million|billion|mio)?"
    r"(?P<pc>\s?%| percent| per cent)?(?![\w:])",
    re.I,
)
_MAGNITUDES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6,
               "b": 1e9, "bn": 1e9, "billion": 1e9}  # fmt: skip
CLOCK = re.compile(
    r"\b(?P<h>\d{1,2})(?:[:.h](?P<m>\d\d))?\s?(?P<half>am|pm|a\.m\.|p\.m\.)(?!\w)|"
    r"\b(?P<h2>[01]?\d|2[0-3]):(?P<m2>[0-5]\d)(?![\d:])|\b(?P<word>noon|midnight)\b",
    re.IGNORECASE,
)
"""A time of day."""


def minutes_of(clock: re.Match[str]) -> int:
    """A time of day that `CLOCK` found, in minutes."""
    if word := clock["word"]:
        return 720 if word.lower() == "noon" else 0
    if clock["h2"]:
        return int(clock["h2"]) * 60 + int(clock["m2"])
    late = 12 if clock["half"].lower().startswith("p") else 0
    return (int(clock["h"]) % 12 + late) * 60 + int(clock["m"] or 0)


_NUMBER_WORD = re.compile(rf"\b({'|'.join(NUMBERS)})\b", re.I)


def plain_numbers(text: str) -> str:
    """A text with its number words as digits."""
    return _NUMBER_WORD.sub(lambda found: str(NUMBERS[found.group().lower()]), text)


def read_clock(text: str) -> int | None:
    """The first time of day in a text, in minutes."""
    found = CLOCK.search(text)
    return minutes_of(found) if found else None


def read_number(text: str) -> float | None:
    """The first number in a text, however it is written; None for none."""
    text = plain_numbers(text)
    if not (found := _NUMBER.search(text)):
        return None
    digits = found["n"].replace(",", "").replace("'", "")
    if digits.count(".") > 1:
        return None
    return float(digits) * _MAGNITUDES.get((found["mag"] or "").lower(), 1)


@lru_cache(maxsize=8192)
def numbers_of(text: str) -> frozenset[str]:
    """All digits of a text, as they are compared: two that say the same have the same."""
    text = plain_numbers(text)
    found = set()
    for match in _NUMBER.finditer(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)):
        number = read_number(match.group())
        found.add(match["n"] if number is None else f"{number:g}")
    return frozenset(found)
