"""Dates, sums, counts and addresses, as a clause gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.statements.clauses import COUNT_OF, MEASURE_OF, Clause, Found
from engrain.language.statements.phrases import CUE
from engrain.language.statements.statement import HOLDS
from engrain.language.text.numbers import plain_numbers, read_clock, read_day
from engrain.language.text.words import content_of, contents_of

_SUBJECT_WORDS = read_words("statements", "measures")
DATED = _SUBJECT_WORDS["dated"]
MONEYED = _SUBJECT_WORDS["moneyed"]
NUMBERED = MONEYED | _SUBJECT_WORDS["numbered"]

_FROM = re.compile(r"\bfrom [^,]{1,25}? (?=to\b)")
_PHONE = re.compile(r"(?<!\w)\+?\d[\d ()-]{5,}\d")
_NO_PHONE = re.compile(r"\d{4} - \d\d|\d{4}-\d\d-\d\d")
_PHONE_DIGITS = 7
_PATTERNS = read_regexes("statements", "measures patterns")
_OF_VERSION = re.compile(r"§ v?(\d+\.\d+(?:\.\d+)*) (?:is|was|now|out)\b")
_AGE = re.compile(r"§ (?:is|turned|just turned|is now) (\d\d)")


def find_measures(clause: Clause) -> Iterator[Found]:
    """The dates, sums, numbers of things and addresses in a clause."""
    text = _FROM.sub("", clause.text.split("→")[-1])
    yield from _addresses(clause)
    yield from _phones(clause, text)
    if age := _AGE.fullmatch(clause.text):
        yield Found("age", age[1], 0)
    if version := _OF_VERSION.match(clause.text):
        yield Found("version", version[1], 0, mode=HOLDS)
    cued = list(_cued(clause, text))
    yield from cued
    headcount = any(found.aspect == "headcount" for found in cued)
    for noun, number in _counts(text):
        if noun not in _STAFF or not headcount:
            yield Found(COUNT_OF + noun, number, 0)
    for match in _PATTERNS["measured"].finditer(plain_numbers(clause.text)):
        unit = match[2].lower()
        yield Found(MEASURE_OF + _UNITS.get(unit, unit.rstrip("s")), match[1], 0)


def _cued(clause: Clause, text: str) -> Iterator[Found]:
    """The first date or number of each aspect that a cue names."""
    found = set()
    if period := _PATTERNS["period"].search(text):
        found.add("price")
        yield Found("price", period[1], 0)
    for hit in clause.hits:
        aspect = hit.meaning
        if hit.kind != CUE or aspect in found:
            continue
        if aspect in DATED and _has_time(text, aspect):
            noun = clause.tokens[hit.start].fold
            named = f"meeting:{noun}" if aspect == "meeting" else aspect
            yield Found(named, text, hit.start)
        elif aspect in NUMBERED and (number := _number(text, aspect)):
            yield Found(aspect, number, hit.start)
        else:
            continue
        found.add(aspect)


def _addresses(clause: Clause) -> Iterator[Found]:
    for at, token in enumerate(clause.tokens):
        if "@" in token.text and "." in token.text:
            yield Found("email", token.low, at)
        elif "/" in token.text and "." in token.text.partition("/")[0]:
            address = re.sub(r"^https?://", "", token.low).rstrip("/")
            yield Found("repository", address, at)


def _phones(clause: Clause, text: str) -> Iterator[Found]:
    found = _PHONE.search(text)
    if found is None or _NO_PHONE.search(text):
        return
    digits = re.sub(r"\D", "", found.group())
    cued = any(hit.meaning == "phone_number" for hit in clause.hits)
    if len(digits) >= _PHONE_DIGITS - cued:
        yield Found("phone_number", digits, 0)


def _has_time(text: str, aspect: str) -> bool:
    return read_day(text) is not None or (aspect != "birthday" and read_clock(text) is not None)


_BARE_SUM = re.compile(r"\b\d[\d.,]*\b(?! ?(?:%|people|days|weeks|months|seats|users))")
_VERSION = re.compile(r"\b(?<!\w)(?:v(?=\d))?(\d+(?:\.\d+)*)(?![\w%$€:/-])")
_PERCENT = re.compile(r"\d+(?:\.\d+)?\s?%")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PLAIN = re.compile(r"(?<![\w$€£.,/-])\d+(?:[.,]\d{3})*(?:\.\d+)?(?![\w:/%-])")
_FORMS = {"version": _VERSION, "coverage": _PERCENT, "founded": _YEAR}


def _number(text: str, aspect: str) -> str:
    if aspect == "headcount" and not _PATTERNS["heads"].search(text):
        return ""
    found = (_PATTERNS["sum"] if aspect in MONEYED else _FORMS.get(aspect, _PLAIN)).search(text)
    if found is None and aspect in ("budget", "price", "rate"):
        found = _BARE_SUM.search(text)
    return found.group().removeprefix("v") if found else ""


_STAFF = contents_of(_SUBJECT_WORDS["staff"])
_UNCOUNTED = contents_of(_SUBJECT_WORDS["uncounted"])
_AFTERTHOUGHT = 4


def _counts(text: str) -> Iterator[tuple[str, str]]:
    """What there are how many of; not of a part of them."""
    plain = plain_numbers(text)
    for match in _PATTERNS["count"].finditer(plain):
        noun = content_of(match[2].lower())
        before = plain[: match.start()].lower().split()[-3:]
        after = plain[match.end() :].split()
        whole = set(before) <= _SUBJECT_WORDS["totals"] and (before or len(after) < _AFTERTHOUGHT)
        if noun and noun not in _UNCOUNTED and not match[2].isupper() and whole:
            yield noun, match[1]
    for match in _PATTERNS["counted"].finditer(plain):
        noun = content_of(match[1].lower())
        if noun and noun not in _UNCOUNTED and (match[2] or match[1].endswith("s")):
            yield noun, match[3]


_UNITS = {
    "mins": "minute", "min": "minute", "h": "hour", "hrs": "hour", "hr": "hour", "secs": "second",
    "sec": "second", "s": "second", "percent": "%", "ms": "ms",
}  # fmt: skip
