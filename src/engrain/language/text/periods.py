"""Spans of time that a question names: "in May 2023", "last week", "between 3 and 5 July".

Rules of our own, for English only, because a library that reads dates takes longer to load than a
cold recall may take. Understood, with days in UTC and weeks from Monday:

    days      2023-05-08 · 8 May, 2023 · the 8th of May · May 8th · May 8-10 · on Friday
    spans     May 2023 · in July · 2023-05 · in 2022 · the 1990s · Q2 2024 · summer of 2023
    relative  yesterday · last week · this month · next year · last summer · two weeks ago
              the past 10 days · a few months ago
    joined    between A and B · from A to B · since A · the week before A · the first weekend of M

A date without a year is the latest that began by now. Words that have other meanings (`may`,
`march`, `june`, `fall`) count only beside a number, or after a word such as `in`, `since`, `last`.
Dates like 5/8/2023, which continents read differently, and `recently` are left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engrain.language.text.date_phrases import TimePhrases
from engrain.language.text.instants import SECONDS, civil, day_number

if TYPE_CHECKING:
    from engrain.language.text.date_phrases import Span


_READ = 1_024  # characters of a question that are read: a time is named where it is asked
_WORD = re.compile(r"q[1-4]\b|[a-z]+|[0-9]+|[^\sa-z0-9]")

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
    that of any other year may be meant.
    """

    start: float
    end: float
    yearless: bool = False


def find_periods(text: str, now: float) -> list[Period]:
    """The periods that `text` names, seen from `now` (epoch seconds), in order, each once."""
    text = text[:_READ].lower()
    if not any(map(str.isdigit, text)) and not any(mark in text for mark in _MARKS):
        return []  # as most do, and a cold process need not load the rules
    words = _WORD.findall(text)
    phrases = TimePhrases(words, int(now // SECONDS))
    spans: dict[Span, None] = {}
    at = 0
    while at < len(words):
        if found := phrases.read(at):
            at, span = found
            spans[span] = None
        else:
            at += 1
    return [Period(start * SECONDS, end * SECONDS, yearless) for start, end, yearless in spans]


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
