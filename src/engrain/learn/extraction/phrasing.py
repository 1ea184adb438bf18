"""Clauses as people say them, brought into one shape: what leads to a statement and what trails
behind it is dropped, and contractions are written out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.lexicons import read_regexes

_PATTERNS = read_regexes("extraction", "phrasing")
_OPENER = _PATTERNS["opener"]
_VOCATIVE = _PATTERNS["vocative"]
_TIME_LEAD = _PATTERNS["time_lead"]
_DROPPED_LEAD = _PATTERNS["dropped_lead"]
_CLAUSES = _PATTERNS["clauses"]
_CONTRACTED = (
    (re.compile(r"\b([Ii])'m\b|\b[Ii]m\b(?= \w+ing)"), "I am"),
    (re.compile(r"\b[Ii]'ve\b"), "I have"),
    (re.compile(r"\b(we|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(we|they)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\bcan't\b"), "cannot"),
    (
        re.compile(
            r"(?:^|(?<=, )|(?<=day )|(?<=week )|(?<=weekend )|(?<=month )|(?<=year )"
            r"|(?<=night ))[Mm]y [\w-]+(?: [\w-]+)? and I\b"
        ),
        "we",
    ),
    (re.compile(r"\band just\b"), "and"),
    (re.compile(r"(?<!me) too(?= and\b|,| but\b)"), ""),
    (re.compile(r"^[Aa]lways been\b"), "I have always been"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"(\w{2,})in'(?=\s|$)"), r"\1ing"),
    (re.compile(r"\bfave?\b"), "favorite"),
    (re.compile(r"\bhave got\b"), "have"),
    (re.compile(r"\s+&\s+(?=[a-z])"), " and "),
)
_THIS = _PATTERNS["this"]
_SHOWN = _PATTERNS["shown"]
_ASIDE = _PATTERNS["aside"]
_ADVERBS = (
    "just|also|really|actually|finally|recently|currently|now|already|even"
    "|simply|totally|absolutely"
    "|definitely|honestly|especially|kinda|officially|truly|literally|basically"
    "|personally|generally|super"
    "|typically|normally|only|both|lately|then|so|very|pretty|quite|fully"
    "|completely|still|randomly|somehow"
    "|eventually|happily|proudly|initially|originally|suddenly|briefly"
    "|previously|certainly|particularly|deeply"
)
_DROPPED = re.compile(
    rf"^((?:I|[Mm]y [\w' ]+?) )?((?:am|have|is|has|are|was|were|have been) )?(?:(?:{_ADVERBS})\s+)+"
)
_TAIL = _PATTERNS["tail"]
_JOINT = re.compile(r"\s(?:and (?:we|they|I)|where|who|which|that)\b")
_BRACKETS = re.compile(r"\s*\([^)]*\)?")
_NAMED_TAIL = re.compile(r",\s*[A-Z][a-z]+$")


def clauses_of(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that may state something, contractions written out. A time that
    leads one stands behind it."""
    for pattern, written in _CONTRACTED:
        sentence = pattern.sub(written, sentence)
    sentence = _ASIDE.sub("", sentence)
    sentence = _SHOWN.sub(lambda found: f"{found[1]} {article(found[2])}", sentence)
    sentence = _THIS.sub(lambda found: article(found[1]), sentence)
    sentence = strip_openers(sentence)
    if led := _TIME_LEAD.match(sentence):  # its comma parts no clauses
        sentence = f"{led[1]} {sentence[led.end() :]}"
    for number, clause in enumerate(_CLAUSES.split(sentence)):
        if number:
            clause = strip_openers(clause)
        clause = _DROPPED_LEAD.sub("", clause)
        if found := _TIME_LEAD.match(clause):
            rest = clause[found.end() :].strip(" ,")
            clause = _with_time(rest, found[1].lower())
        clause = drop_adverbs(clause.strip(" ,:-"))
        if clause:
            yield clause


def article(word: str) -> str:
    """The indefinite article that stands before a word, with a space."""
    return "an " if word[0] in "aeio" else "a "


def strip_openers(text: str) -> str:
    """The text without the words with which talk begins."""
    while True:
        shorter = _VOCATIVE.sub("", _OPENER.sub("", text, count=1), count=1)
        if shorter == text or not shorter:
            return text
        text = shorter


def drop_adverbs(clause: str) -> str:
    """The clause without the adverbs that say nothing lasting before its verb."""
    return _DROPPED.sub(lambda found: (found[1] or "") + (found[2] or ""), clause)


def trim_tail(text: str) -> str:
    """The text up to where chatter begins."""
    text = _BRACKETS.sub("", text)
    while True:
        shorter = _NAMED_TAIL.sub("", _TAIL.sub("", text)).rstrip(" ,-")
        if shorter == text:
            return text
        text = shorter


def _with_time(rest: str, time: str) -> str:
    rest = trim_tail(rest)
    found = _JOINT.search(rest)
    return f"{rest[: found.start()]} {time}{rest[found.start() :]}" if found else f"{rest} {time}"
