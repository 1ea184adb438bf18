"""What a sentence of a note gives a value for: numbers with their unit, times, days, tools of a
kind, names of things, and which of several ways something is done (S4.9).

Two values of one type exclude each other where the same thing is spoken of; whether it is, is for
`notes.reading` to tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.statements.notes.attributes import is_worded
from engrain.language.statements.notes.terms import MOST_WORDS, PROPER, first_words, read_terms
from engrain.language.text.numbers import NUMBERS, WEEKDAYS


class Value:
    """A value: of which `type`, as it is compared (`key`), and the characters it stands at."""

    __slots__ = ("end", "key", "start", "type")

    def __init__(self, type_: str, key: str, start: int, end: int) -> None:
        self.type = type_
        self.key = key
        self.start = start
        self.end = end


_SECONDS = {"ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "min": 60,
            "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "day": 86400, "week": 604800,
            "fortnight": 1209600, "month": 2592000, "quarter": 7776000,
            "year": 31536000}  # fmt: skip
_BYTES = {"b": 1, "byte": 1, "kb": 1e3, "kib": 1e3, "mb": 1e6, "mib": 1e6, "gb": 1e9, "gib": 1e9,
          "tb": 1e12, "tib": 1e12}  # fmt: skip
_UNITS = {**dict.fromkeys(_SECONDS, "time"), **dict.fromkeys(_BYTES, "bytes")}
_SCALES = {**_SECONDS, **_BYTES}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATES = (
    re.compile(r"(?<![\w-])(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)(?:-(?P<d>\d\d))?(?![\w-])"),
    re.compile(
        rf"\b(?P<m>{_MONTH})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)"
        rf"(?:,? (?P<y>(?:19|20)\d\d))?"
    ),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH})\b(?:,? (?P<y>(?:19|20)\d\d))?"
    ),
    re.compile(rf"\b(?P<m>{_MONTH})\b(?:,? (?P<y>(?:19|20)\d\d))?"),
)
_QUARTER = re.compile(r"\bQ[1-4]\b")
_CLOCK = re.compile(
    r"\b(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?\s?(?P<half>am|pm|a\.m\.|p\.m\.)(?!\w)|"
    r"\b(?P<h2>[01]?\d|2[0-3]):(?P<m2>[0-5]\d)(?![\d:])|\b(?P<word>noon|midnight)\b",
    re.I,
)
_DAYS = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b", re.I)
_NUMBER = re.compile(
    r"(?P<cur>[$€£]\s?)?(?<![\w.])(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"(?P<mag>k|m|bn)?(?:st|nd|rd|th)?(?![\d:/]|\.\d)(?:\s?(?P<pc>%|percent\b|per cent\b))?"
    r"(?:[\s-]?(?P<unit>[A-Za-z]+))?",
)
_NUMBERED = re.compile(rf"\b(?:{'|'.join(NUMBERS)})\b", re.I)
_MAGNITUDES = {"k": 1e3, "m": 1e6, "bn": 1e9}
_CODE = re.compile(
    r"`([^`\n]{1,80})`|(?<![\w`])((?:~|\.{0,2})/[\w~-]+(?:[./][\w~-]+)*)|"
    r"(?<![\w`@])([A-Za-z][\w-]*(?:[._][\w-]+)+|[a-z]+(?:-\w+)*-\w*\d\w*(?:-\w+)*)(?![\w`])"
)
_NAME = re.compile(r"(?<![\w.`/-])[A-ZÀ-Þ][\w'’+#]*(?: [A-ZÀ-Þ][\w'’+#]*){0,2}")
_WORD = re.compile(r"[^\W_][\w+#]*(?:[-.'][\w+#]+)*")


def find_values(text: str) -> list[Value]:
    """The values in a sentence, in order; none of them within another."""
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
    for code in _CODE.finditer(text):
        written = next(filter(None, code.groups()))
        if not _NUMBER.fullmatch(written):
            yield Value("code", written.lower(), *code.span())
    digits = any(map(str.isdigit, text))
    for pattern in _DATES if digits else _DATES[-1:]:
        for date in pattern.finditer(text):
            yield Value("date", _date_key(date), *date.span())
    for quarter in _QUARTER.finditer(text):
        yield Value("date", quarter[0].lower(), *quarter.span())
    for clock in _CLOCK.finditer(text):
        yield Value("clock", _clock_key(clock), *clock.span())
    for day in _DAYS.finditer(text):
        yield Value("day", day[1].lower(), *day.span())
    for rhythm in _CADENCE.finditer(text):
        yield Value("cadence", _cadence_key(rhythm), *rhythm.span())
    for number in _NUMBER.finditer(text) if digits else ():
        yield _number(number)
    for word in _NUMBERED.finditer(text):
        yield _spelled(text, word)
    for team in _TEAM.finditer(text):
        yield Value("team", team[1].lower(), *team.span())
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
    r"(?P<unit2>second|minute|hour|day|week|fortnight|month|quarter|year)s?\b",
    re.I,
)
_ADVERBS = {"hourly": 3600, "daily": 86400, "nightly": 86400, "weekly": 604800,
            "biweekly": 1209600, "fortnightly": 1209600, "monthly": 2592000,
            "quarterly": 7776000, "yearly": 31536000, "annually": 31536000}  # fmt: skip
_TIMES = {"once": 1, "twice": 2, "three times": 3, "four times": 4}
_TEAM = re.compile(r"\b(?:the )?([a-z][\w-]*) (?:team|squad|crew|guild|chapter)\b", re.I)


def _cadence_key(found: re.Match[str]) -> str:
    """Seconds from one time to the next."""
    if word := found["word"]:
        return f"{_ADVERBS.get(word.lower(), 86400):g}"
    if once := found["once"]:
        unit = found["unit"].lower().replace("night", "day")
        return f"{_SECONDS[unit] / _TIMES[once.lower()]:g}"
    told = (found["n"] or "1").lower()
    number = int(told) if told.isdigit() else NUMBERS.get(told, 2)
    return f"{_SECONDS[found['unit2'].lower()] * number:g}"


def _date_key(date: re.Match[str]) -> str:
    parts = date.groupdict()
    month = parts["m"]
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    return f"{parts.get('y') or ''}-{number}-{int(parts.get('d') or 0) or ''}"


def _clock_key(clock: re.Match[str]) -> str:
    if word := clock["word"]:
        return "720" if word.lower() == "noon" else "0"
    if clock["h2"]:
        return str(int(clock["h2"]) * 60 + int(clock["m2"]))
    late = 12 if clock["half"].lower().startswith("p") else 0
    return str((int(clock["h"]) % 12 + late) * 60 + int(clock["m"] or 0))


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
    """A number that is spelled out, with its unit."""
    number = NUMBERS[word[0].lower()]
    unit = _FOLLOWS.match(text, word.end())
    name = unit[1].lower().removesuffix("s") if unit else ""
    if unit and name in _SECONDS:
        return Value("time", f"{number * _SECONDS[name]:g}", word.start(), unit.end())
    return Value("number", str(number), *word.span())


_FOLLOWS = re.compile(r"[\s-]([A-Za-z]+)")


def _terms(text: str) -> Iterator[Value]:
    """Terms of one word to three, the longest first; one may be of several classes."""
    known, begun = read_terms(), first_words()
    words = list(_WORD.finditer(text))
    lows = [word[0].lower() for word in words]
    places = [at for at, low in enumerate(lows) if low in begun]
    for length in range(MOST_WORDS, 0, -1) if places else ():
        for at in places:
            if at + length > len(words):
                continue
            low = " ".join(lows[at : at + length])
            start, end = words[at].start(), words[at + length - 1].end()
            if (found := known.get(low)) is None or (low in PROPER and text[start:end] == low):
                continue
            for kind, term in found:
                yield Value(kind, term, start, end)
