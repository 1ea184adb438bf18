"""Dates, times of day and numbers in plain text, however they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_TO_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
NUMBERS = {word: number for number, word in enumerate(_TO_TWENTY.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "dozen": 12,
}  # fmt: skip
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
         "aug august", "sep sept september", "oct october", "nov november", "dec december"), 1)
    for name in names.split()
}  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)(?:-(?P<d>\d\d))?\b"),
    re.compile(rf"\b(?P<mon>{_MONTH})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)"
               r"(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<mon>{_MONTH})\b\.?"
               r"(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(r"\bq(?P<q>[1-4])\b(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(rf"\b(?P<mon>{_MONTH})\b\.?(?:,? (?P<y>(?:19|20)\d\d))?", re.I),
    re.compile(r"\b(?:the )(?P<d>\d{1,2})(?:st|nd|rd|th)\b", re.I),
    re.compile(r"\b(?P<y>(?:19|20)\d\d)\b"),
)  # fmt: skip


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
            parts = found.groupdict()
            month = parts.get("m") or _MONTHS.get(parts.get("mon") or "")
            return Day(*(int(part) if part else None for part in
                         (parts.get("y"), month, parts.get("d"), parts.get("q"))))  # fmt: skip
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
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.h](\d\d))?\s?(am|pm|a\.m\.|p\.m\.)|\b(\d{1,2}):(\d\d)\b", re.I
)
_NUMBER_WORD = re.compile(rf"\b({'|'.join(NUMBERS)})\b", re.I)


def plain_numbers(text: str) -> str:
    """A text with its number words as digits."""
    return _NUMBER_WORD.sub(lambda found: str(NUMBERS[found.group().lower()]), text)


def read_clock(text: str) -> int | None:
    """The first time of day in a text, in minutes."""
    text = re.sub(r"\bnoon\b", "12:00", text, flags=re.I)
    if not (found := _CLOCK.search(text)):
        return None
    if found[4]:
        return int(found[4]) * 60 + int(found[5])
    hour = int(found[1]) % 12 + (12 if found[3].lower().startswith("p") else 0)
    return hour * 60 + int(found[2] or 0)


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
