"""The values in a sentence of a note: numbers with their unit, times, days, tools of a kind, names,
and ways in which something is done (S4.9).

Two values of one type exclude each other if both are of the same thing; `note_reading`
decides whether they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.lexicons import read_regexes, read_rows
from engrain.language.statements.note_claim import is_worded
from engrain.language.text.folding import in_small
from engrain.language.text.instants import WEEKDAYS
from engrain.language.text.words import CLOCK, NUMBERS, date_patterns, minutes_of, month_of


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A value in a sentence: its `type`, the `key` by which it is compared, and where it stands."""

    type: str
    key: str
    start: int
    end: int


_SECONDS = {"ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "min": 60,
            "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "day": 86400, "week": 604800,
            "fortnight": 1209600, "month": 2592000, "quarter": 7776000,
            "year": 31536000}  # fmt: skip
_BYTES = {"b": 1, "byte": 1, "kb": 1e3, "kib": 1e3, "mb": 1e6, "mib": 1e6, "gb": 1e9, "gib": 1e9,
          "tb": 1e12, "tib": 1e12}  # fmt: skip
_UNITS = {**dict.fromkeys(_SECONDS, "time"), **dict.fromkeys(_BYTES, "bytes")}
_SCALES = {**_SECONDS, **_BYTES}

_DATES = date_patterns(
    r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?",
    re.NOFLAG,
)
"""Months count only with a capital: "may" and "march" are verbs."""
_QUARTER = re.compile(r"\bQ[1-4]\b")
_DAYS = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b")
_PATTERNS = read_regexes("notes", "values patterns")
_NUMBER = _PATTERNS["number"]
_NUMBERED = re.compile(rf"\b(?:{'|'.join(NUMBERS)})\b")
_MAGNITUDES = {"k": 1e3, "m": 1e6, "bn": 1e9}
_NAME = re.compile(r"(?<![\w.`/-])[A-ZÀ-Þ][\w'’+#]*(?: [A-ZÀ-Þ][\w'’+#]*){0,2}")
_WORD = re.compile(r"[^\W_][\w+#]*(?:[-.'][\w+#]+)*")


def find_values(text: str) -> list[Value]:
    """Return the values in a sentence, in order; none of them within another."""
    found: list[Value] = []
    taken = bytearray(len(text))
    for reader in (_terms, _read):
        last = (0, 0)
        for value in reader(text):
            # One term may be of several classes, and comes once for each.
            again = reader is _terms and last == (value.start, value.end)
            if again or not any(taken[value.start : value.end]):
                last = (value.start, value.end)
                taken[slice(*last)] = b"1" * (value.end - value.start)
                found.append(value)
    return sorted(found, key=lambda value: value.start)


def _read(text: str) -> Iterator[Value]:
    for code in _PATTERNS["code"].finditer(text):
        written = next(filter(None, code.groups()))
        if not _NUMBER.fullmatch(written):
            yield Value("code", written.lower(), *code.span())
    low = in_small(text)
    digits = any(map(str.isdigit, text))
    for pattern in _DATES if digits else _DATES[-1:]:
        yield from (Value("date", _date_key(date), *date.span()) for date in pattern.finditer(text))
    for quarter in _QUARTER.finditer(text):
        yield Value("date", quarter[0].lower(), *quarter.span())
    for type_, pattern, key in _READERS:
        for found in pattern.finditer(low):
            yield Value(type_, key(found), *found.span())
    yield from map(_number, _NUMBER.finditer(text) if digits else ())
    yield from (_spelled(text, word) for word in _NUMBERED.finditer(low))
    for team in _TEAM.finditer(low):
        yield Value("team", team[1], *team.span())
    yield from _names(text)


def _names(text: str) -> Iterator[Value]:
    for name in _NAME.finditer(text):
        start, low = name.start(), name[0].lower().replace("\u2019", "'")
        first, _, more = low.partition(" ")
        if not start and first in is_worded():
            # A sentence begins with a capital letter, whatever its first word is.
            start, low = start + len(first) + 1, more
        if low and low not in ("i", "i'm", "i've", "ok", "it", "its"):
            place = _PLACED.search(text[:start]) or _OFFICE.match(text, name.end())
            yield Value("place" if place else "name", low.removesuffix("'s"), start, name.end())


_PLACED = re.compile(r"\b(?:in|from|near|at|to)\s+(?:the\s+)?$", re.I)
_OFFICE = re.compile(r"\s+(?:office|site|branch|datacent(?:er|re)|data cent(?:er|re)|region)\b")


_CADENCE = re.compile(
    r"\b(?P<word>hourly|daily|nightly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually|"
    r"every (?:night|morning|evening))\b|"
    r"\b(?P<once>once|twice|three times|four times) (?:an? |each |every |per )(?P<unit>minute|hour|"
    r"day|night|week|month|quarter|year)\b|"
    r"\b(?:every|each) (?:(?P<n>\d+|other|second|" + "|".join(NUMBERS) + r") )?"
    r"(?P<unit2>second|minute|hour|day|week|fortnight|month|quarter|year)s?\b"
)
_ADVERBS = {"hourly": 3600, "daily": 86400, "nightly": 86400, "weekly": 604800,
            "biweekly": 1209600, "fortnightly": 1209600, "monthly": 2592000,
            "quarterly": 7776000, "yearly": 31536000, "annually": 31536000}  # fmt: skip
_TIMES = {"once": 1, "twice": 2, "three times": 3, "four times": 4}
_TEAM = re.compile(r"\b(?:the )?([a-z][\w-]{0,60}) (?:team|squad|crew|guild|chapter)\b")


def _cadence_key(found: re.Match[str]) -> str:
    """Return the seconds from one time to the next."""
    if word := found["word"]:
        return f"{_ADVERBS.get(word, 86400):g}"
    if once := found["once"]:
        unit = found["unit"].replace("night", "day")
        return f"{_SECONDS[unit] / _TIMES[once]:g}"
    count = found["n"] or "1"
    number = int(count) if count.isdigit() else NUMBERS.get(count, 2)
    return f"{_SECONDS[found['unit2']] * number:g}"


def _date_key(date: re.Match[str]) -> str:
    return f"{date['y'] or ''}-{month_of(date)}-{int(date.groupdict().get('d') or 0) or ''}"


_READERS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    ("clock", CLOCK, lambda found: str(minutes_of(found))),
    ("day", _DAYS, lambda found: found[1]),
    ("cadence", _CADENCE, _cadence_key),
)
"""Types of values, the pattern that finds each in small letters, and what two such values are
compared by."""


def _number(found: re.Match[str]) -> Value:
    digits = found["n"].replace(",", "")
    start, end = found.start(), found.end("pc") if found["pc"] else found.end("n")
    if digits.count(".") > 1:
        return Value("number", digits, start, end)
    amount = float(digits) * _MAGNITUDES.get(found["mag"] or "", 1)
    if found["pc"]:
        return Value("percent", f"{amount:g}", start, end)
    if found["cur"]:
        return Value("money", f"{amount:g}", start, end)
    unit = (found["unit"] or "").lower()
    unit = unit if unit in _SCALES else unit.removesuffix("s")
    if unit in _SCALES:
        key = f"{float(digits) * _SCALES[unit]:g}"
        return Value(_UNITS[unit], key, start, found.end("unit"))
    return Value("number", digits if "." in digits else f"{amount:g}", start, end)


def _spelled(text: str, word: re.Match[str]) -> Value:
    number = NUMBERS[word[0]]
    unit = _FOLLOWS.match(text, word.end())
    name = unit[1].lower().removesuffix("s") if unit else ""
    if unit and name in _SECONDS:
        return Value("time", f"{number * _SECONDS[name]:g}", word.start(), unit.end())
    return Value("number", str(number), *word.span())


_FOLLOWS = re.compile(r"[\s-]([A-Za-z]+)")


@lru_cache(maxsize=1)
def _read_terms() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return by a term in lower case what it may be, as (class, term)."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for rows, sign in ((read_rows("notes", "terms"), ""), (read_rows("kinds", "kinds"), "tool:")):
        for kind, terms in rows.items():
            for term in terms.split(", "):
                first, *others = (form.strip().lstrip("!") for form in term.split("|"))
                for form in (first, *others):
                    if form:
                        key = form.lower()
                        found[key] = (*found.get(key, ()), (sign + kind, first.lower()))
    return found


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    return frozenset(term.partition(" ")[0] for term in _read_terms())


_MOST_WORDS = 3
"""Words of a term."""
_PROPER = frozenset(read_rows("notes", "proper")["proper"].split(", "))


def _terms(text: str) -> Iterator[Value]:
    """Yield terms of one word to three, the longest first; one may be of several classes."""
    known, begun = _read_terms(), _first_words()
    words = list(_WORD.finditer(text))
    lows = [word[0].lower() for word in words]
    places = [at for at, low in enumerate(lows) if low in begun]
    for length in range(_MOST_WORDS, 0, -1) if places else ():
        for at in places:
            if at + length > len(words):
                continue
            low = " ".join(lows[at : at + length])
            start, end = words[at].start(), words[at + length - 1].end()
            if (found := known.get(low)) is None or (low in _PROPER and text[start:end] == low):
                continue
            for kind, term in found:
                yield Value(kind, term, start, end)
