"""Claims about any attribute of the subject, as a clause gives them: "the A of § is V", dates,
sums, counts and addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.statements import clauses
from engrain.language.statements.clauses import Clause, ClauseFinding
from engrain.language.statements.judge import HOLDS
from engrain.language.statements.phrases import CUE, MARK, places_of
from engrain.language.text.words import (
    STOP,
    SUBJECT,
    Token,
    content_of,
    contents_of,
    plain_numbers,
    read_clock,
    read_day,
    token_at,
)

_SUBJECT_WORDS = read_words("statements", "attributes")
_NOUNS = read_words("statements", "nouns")
_SEVERAL = _SUBJECT_WORDS["several"] | _NOUNS["manifold"]
_MANIFOLD = _SEVERAL | contents_of(_SEVERAL)
"""Nouns of which there are several: another value says nothing against the first."""
_VERBS = clauses.COPULAS | clauses.VERBS
_MOST_NAME, _MOST_VALUE = 3, 7
_ACRONYM = 6


def find_attribute(clause: Clause) -> Iterator[ClauseFinding]:
    """Yield the value of the one attribute that a clause is about."""
    tokens = clause.tokens
    marks = places_of([hit for hit in clause.hits if hit.meaning == "now"], MARK)
    at = _find_verb(tokens, marks)
    left, right = _sides(tokens, at, marks)
    if not at or not _is_attribute(tokens, at, left, right):
        return
    first = right[0].low
    denied = first.endswith("ing") or _SUBJECT_WORDS["denying"] & {token.low for token in right}
    if denied and tokens[at].low in clauses.COPULAS:
        return
    name = "_".join(sorted({token.fold for token in left}))
    name += f"/{first}" if first in _SUBJECT_WORDS["leading"] else ""
    name += f"/{tokens[at].fold}" if tokens[at].fold in ("start", "end", "begin") else ""
    value = " ".join(token.text for token in right if token.low not in STOP or token.name)
    if value:
        yield ClauseFinding(clauses.ATTRIBUTE + name, value, at + 1)


def _find_verb(tokens: list[Token], marks: set[int]) -> int:
    for at, token in enumerate(tokens[:-1]):
        if token.low in _VERBS or (at and at in marks and token.low.endswith("ed")):
            return at
    return 0


def _sides(tokens: list[Token], at: int, marks: set[int]) -> tuple[list[Token], list[Token]]:
    """Return the tokens that name an attribute, and those of its value, around the verb."""
    after = range(at + 2, len(tokens))
    tail = (place for place in after if tokens[place].low in _SUBJECT_WORDS["tail"])
    until = next(tail, len(tokens))
    left = [tokens[to] for to in range(at) if to not in marks and content_of(tokens[to].low)]
    right = [tokens[to] for to in range(at + 1, until) if to not in marks or tokens[to].name]
    named = bool(left) and all(token.name for token in left)
    owned = [token.text for token in right[:2]] == [SUBJECT, "'s"]
    if named and owned and tokens[at].low in clauses.COPULAS:
        return right[2:], left  # "V is §'s A"
    return left, right


def _is_attribute(
    tokens: Sequence[Token], at: int, left: Sequence[Token], right: Sequence[Token]
) -> bool:
    if not left or len(left) > _MOST_NAME or not right or len(right) > _MOST_VALUE:
        return False
    noun = left[-1]
    first = noun is tokens[0] and tokens[1].low in clauses.PREPOSITIONS
    acronym = noun.text.isupper() and len(noun.text) < _ACRONYM
    if noun.name and not first and not acronym:
        return False
    if SUBJECT not in [token.text for token in tokens[: at + 1]] and at > 2:
        return False
    favourite = any(token.fold == "favourit" for token in left)
    return favourite or not {noun.low, noun.fold} & _MANIFOLD


_SLOTS = contents_of(_NOUNS["slots"])
_NUMBERED = re.compile(r"\d+|[A-Z]|one|two|three|four|five|six")


def find_slots(clause: Clause) -> Iterator[ClauseFinding]:
    """Yield the one of its kind that the subject has: "the ops team", "phase 2"."""
    tokens = clause.tokens
    marked = places_of(clause.hits, MARK)
    for at, token in enumerate(tokens):
        if token.fold not in _SLOTS:
            continue
        before, after = tokens[at - 1 : at], tokens[at + 1 : at + 2]
        if after and _NUMBERED.fullmatch(after[0].text):
            yield ClauseFinding(clauses.WHICH + token.fold, after[0].fold, at)
        elif before and at and content_of(before[0].low) and at - 1 not in marked:
            yield ClauseFinding(clauses.WHICH + token.fold, before[0].fold, at)


_RENEWED = _SUBJECT_WORDS["renewed"]


def find_new(clause: Clause, known: set[str]) -> Iterator[ClauseFinding]:
    """Yield the things that the subject has anew, and relations whose value is not understood,
    except aspects that are `known`."""
    tokens = clause.tokens
    for hit in clause.hits:
        if hit.kind != CUE:
            continue
        prior = token_at(tokens, hit.start - 1).low
        several = hit.end - hit.start > 1
        if prior == "new" and not several and tokens[hit.start].low in _RENEWED:
            yield ClauseFinding(hit.meaning, clauses.NEW, hit.start)
        elif hit.meaning in _SUBJECT_WORDS["open"] - known and (
            several or prior in ("'s", SUBJECT)
        ):
            yield ClauseFinding(hit.meaning, clauses.UNKNOWN, hit.start)
    for at in range(1, len(tokens)):
        if tokens[at - 1].low == "new" and _is_renewable(tokens[at]):
            yield ClauseFinding(clauses.ATTRIBUTE + tokens[at].fold, clauses.NEW, at)


def _is_renewable(noun: Token) -> bool:
    known = noun.fold in _MANIFOLD or noun.low in _RENEWED
    return not noun.name and bool(content_of(noun.low)) and not known


_WORDS = read_words("statements", "measures")
DATED = _WORDS["dated"]
MONEYED = _WORDS["moneyed"]
NUMBERED = MONEYED | _WORDS["numbered"]

_FROM = re.compile(r"\bfrom [^,]{1,25}? (?=to\b)")
_PHONE = re.compile(r"(?<!\w)\+?\d[\d ()-]{5,}\d")
_NO_PHONE = re.compile(r"\d{4} - \d\d|\d{4}-\d\d-\d\d")
_PHONE_DIGITS = 7
_PATTERNS = read_regexes("statements", "measures patterns")
_OF_VERSION = re.compile(r"§ v?(\d+\.\d+(?:\.\d+)*) (?:is|was|now|out)\b")
_AGE = re.compile(r"§ (?:is|turned|just turned|is now) (\d\d)")


def find_measures(clause: Clause) -> Iterator[ClauseFinding]:
    """Yield the dates, sums, numbers of things and addresses in a clause."""
    text = _FROM.sub("", clause.text.split("→")[-1])
    yield from _addresses(clause)
    yield from _phones(clause, text)
    if age := _AGE.fullmatch(clause.text):
        yield ClauseFinding("age", age[1], 0)
    if version := _OF_VERSION.match(clause.text):
        yield ClauseFinding("version", version[1], 0, mode=HOLDS)
    cued = list(_cued(clause, text))
    yield from cued
    headcount = any(found.aspect == "headcount" for found in cued)
    for noun, number in _counts(text):
        if noun not in _STAFF or not headcount:
            yield ClauseFinding(clauses.COUNT_OF + noun, number, 0)
    for match in _PATTERNS["measured"].finditer(plain_numbers(clause.text)):
        unit = match[2].lower()
        yield ClauseFinding(clauses.MEASURE_OF + _UNITS.get(unit, unit.rstrip("s")), match[1], 0)


def _cued(clause: Clause, text: str) -> Iterator[ClauseFinding]:
    """Yield the first date or number of each aspect that a cue names."""
    found = set()
    if period := _PATTERNS["period"].search(text):
        found.add("price")
        yield ClauseFinding("price", period[1], 0)
    for hit in clause.hits:
        aspect = hit.meaning
        if hit.kind != CUE or aspect in found:
            continue
        if aspect in DATED and (
            read_day(text) or (aspect != "birthday" and read_clock(text) is not None)
        ):
            noun = clause.tokens[hit.start].fold
            named = f"meeting:{noun}" if aspect == "meeting" else aspect
            yield ClauseFinding(named, text, hit.start)
        elif aspect in NUMBERED and (number := _number(text, aspect)):
            yield ClauseFinding(aspect, number, hit.start)
        else:
            continue
        found.add(aspect)


def _addresses(clause: Clause) -> Iterator[ClauseFinding]:
    for at, token in enumerate(clause.tokens):
        if "@" in token.text and "." in token.text:
            yield ClauseFinding("email", token.low, at)
        elif "/" in token.text and "." in token.text.partition("/")[0]:
            address = re.sub(r"^https?://", "", token.low).rstrip("/")
            yield ClauseFinding("repository", address, at)


def _phones(clause: Clause, text: str) -> Iterator[ClauseFinding]:
    found = _PHONE.search(text)
    if found is None or _NO_PHONE.search(text):
        return
    digits = re.sub(r"\D", "", found.group())
    cued = any(hit.meaning == "phone_number" for hit in clause.hits)
    if len(digits) >= _PHONE_DIGITS - cued:
        yield ClauseFinding("phone_number", digits, 0)


_BARE_SUM = re.compile(r"\b\d[\d.,]*\b(?! ?(?:%|people|days|weeks|months|seats|users))")
_VERSION = re.compile(r"\b(?<!\w)(?:v(?=\d))?(\d+(?:\.\d+)*)(?![\w%$€:/-])")
_PERCENT = re.compile(r"(?<!\d)\d{1,12}(?:\.\d{1,12})?\s?%")
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


_STAFF = contents_of(_WORDS["staff"])
_UNCOUNTED = contents_of(_WORDS["uncounted"])
_AFTERTHOUGHT = 4


def _counts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the things that are counted, and their number; not of a part of them."""
    plain = plain_numbers(text)
    for match in _PATTERNS["count"].finditer(plain):
        noun = content_of(match[2].lower())
        before = plain[: match.start()].lower().split()[-3:]
        after = plain[match.end() :].split()
        whole = set(before) <= _WORDS["totals"] and (before or len(after) < _AFTERTHOUGHT)
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
