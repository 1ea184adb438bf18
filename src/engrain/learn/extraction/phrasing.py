"""Clauses as people say them, brought into one shape: words before and after the statement are
dropped, contractions written out, and relative times ("last week") become dates (S4.7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import read_regexes, read_rows, read_words
from engrain.language.text.instants import MONTHS, SECONDS, WEEKDAYS, civil, day_number, to_local
from engrain.language.text.periods import Period, find_periods
from engrain.language.text.sentences import SaidSentence, split_speech

_WORDS = read_words("extraction", "words")
_PRESENT = _WORDS["present"]

_BE = {"am": "is", "have": "has", "do": "does", "are": "is", "was": "was", "were": "was"}
_SPOKEN = re.compile(
    r"(?<![-'])\b(?:I am|I was|I have|I|me|my|mine|myself|we|us|our|ours"
    r"|ourselves)\b(?![-'])",
    re.IGNORECASE,
)
_THEY = read_rows("extraction", "they")


def _inflect(verb: str) -> str:
    """Return the third person of a present verb."""
    if verb in _BE:
        return _BE[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def to_third(predicate: str) -> str:
    """Return a first person's predicate in the third: "love my dog" → "loves their dog"."""
    verb, _, rest = predicate.partition(" ")
    adverb = ""
    while verb.lower() in _WORDS["adverbs"]:
        adverb += verb.lower() + " "
        verb, _, rest = rest.partition(" ")
    present = verb in _PRESENT or verb in ("am", "have", "do")
    inflected = _inflect(verb) if present else verb
    return f"{adverb}{inflected} {to_they(rest)}".rstrip()


def to_they(text: str) -> str:
    """Return the text with a speaker's pronouns as those of somebody who was named."""
    return _SPOKEN.sub(lambda found: _THEY[found[0].lower()], text)


_PATTERNS = read_regexes("extraction", "phrasing")
_CONTRACTED = tuple(
    (pattern, written.replace("_", " "))
    for written, pattern in read_regexes("extraction", "contractions").items()
)
_BRACKETS = re.compile(r"\s{0,20}\([^)]*\)?")
_NAMED_TAIL = re.compile(r",\s*[A-Z][a-z]+$")


def clauses_of(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that may state something, contractions written out."""
    for pattern, written in _CONTRACTED:
        sentence = pattern.sub(written, sentence)
    for clause in _PATTERNS["clauses"].split(strip_openers(sentence)):
        if clause := drop_adverbs(strip_openers(clause).strip(" ,:-")):
            yield clause


def strip_openers(text: str) -> str:
    """Return the text without the words with which talk begins."""
    while True:
        shorter = _PATTERNS["opener"].sub("", text, count=1)
        if shorter == text or not shorter:
            return text
        text = shorter


def drop_adverbs(clause: str) -> str:
    """Return the clause without the adverbs before its verb that say nothing lasting."""
    return _PATTERNS["idle"].sub(lambda found: (found[1] or "") + (found[2] or ""), clause)


def trim_tail(text: str) -> str:
    """Return the text up to where chatter begins."""
    text = _BRACKETS.sub("", text)
    while True:
        shorter = _NAMED_TAIL.sub("", _PATTERNS["tail"].sub("", text)).rstrip(" ,-")
        if shorter == text:
            return text
        text = shorter


_MONTHS = tuple(name.title() for name in MONTHS if len(name) > 4 or name in ("may", "june", "july"))
_VAGUE = read_regexes("extraction", "timing")["vague"]
_RELATIVE = frozenset(
    ("last", "past", "this", "next", "yesterday", "today", "tonight", "tomorrow", "ago", *WEEKDAYS)
)
"""Words of a time that is seen from the moment at which it is said."""
_BEFORE = re.compile(
    r",?\s{0,9}(?:\b(?:just|only|over|in|during|on|the|earlier|like"
    r"|(?P<rough>about|around|almost|nearly|maybe|roughly)) +){0,4}$",
    re.IGNORECASE,
)
_BEHIND = re.compile(r" (?:morning|afternoon|evening|night)\b", re.IGNORECASE)
_LED = re.compile(r"\b(?:for|from|until|till|by|since|before|after)$")
_LASTING = re.compile(
    r"\b(?:for|over|in)?\s{0,20}(?:(?:about|around|over|almost|nearly|more than"
    r"|the (?:last|past))\s){0,6}(?P<count>an?|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|\d{1,3})\s(?P<unit>month|year)s?\b(?! old|-| later| after| before|ly| of | ago)(?:\snow)?",
    re.IGNORECASE,
)
_DATING = re.compile(r"\b(?:in|on|since|by|of) (?:the )?$")
_AHEAD = re.compile(r"am (?:\w+ing|to)\b")


@dataclass(slots=True, eq=False)
class _Timed:
    """A text with absolute times, and when its state began, in epoch seconds (None if unknown)."""

    text: str
    begun: float | None


def resolve_times(text: str, at: float | None) -> _Timed:
    """Return the text with its relative times as dates seen from `at` (epoch seconds; unknown if
    None, so that they are dropped). For how long something has been so becomes the year since when
    it is so."""
    text = _VAGUE.sub("", text)
    at = None if at is None else to_local(at)  # what is a day to who speaks
    begun: float | None = None
    if at is not None and (found := _LASTING.search(text)):
        (period,) = find_periods(f"{found['count']} {found['unit']}s ago", at)
        worded = _word_period(period).removeprefix("in ")
        about = "about " if found["unit"].lower() == "year" else ""
        text = f"{text[: found.start()].rstrip()} since {about}{worded}{text[found.end() :]}"
        return _Timed(" ".join(text.split()).strip(" ,"), period.start)
    periods = find_periods(text, at or 0.0)
    relative = [one for one in periods if _is_relative(one, text)]
    for period in reversed(relative):
        text = _replace(text, period, known=at is not None)
    if relative and at is not None:
        begun = relative[0].start
    elif at is not None and len(periods) == 1:
        text, begun = _with_year(text, periods[0])
    return _Timed(" ".join(text.split()).strip(" ,"), begun)


def _is_relative(period: Period, text: str) -> bool:
    return not _RELATIVE.isdisjoint(period.words) and text[period.place[1] :][:1] != "'"


def _replace(text: str, period: Period, *, known: bool) -> str:
    """Return the text with a relative time as a date, or without it if the date is not known."""
    start, end = period.place
    before = _BEFORE.search(text[:start])
    rough = not {"few", "several"}.isdisjoint(period.words)
    if before:
        start, rough = before.start(), rough or bool(before["rough"])
    if behind := _BEHIND.match(text, end):
        end = behind.end()
    worded = _word_period(period, rough=rough) if known else ""
    if _LED.search(text[:start]):  # "for next month": the preposition is there
        worded = worded.partition(" ")[2]
    return f"{text[:start]} {worded}{text[end:]}"


def _with_year(text: str, period: Period) -> tuple[str, float]:
    """Add the year to a date without one: the latest, but of what is to come the next."""
    start, place = period.place
    if not period.yearless or not _DATING.search(text[:start]):
        return text, period.start
    year, month, day = civil(int(period.start // SECONDS))
    ahead = bool(_AHEAD.match(text))
    year += ahead
    begun = day_number(year, month, day) * SECONDS if ahead else period.start
    return f"{text[:place]} {year}{text[place:]}", float(begun)


def _word_period(period: Period, *, rough: bool = False) -> str:
    """Return a period in words, as they follow an event: "in May 2023"."""
    first = int(period.start // SECONDS)
    year, month, day = civil(first)
    days = int(period.end // SECONDS) - first
    if days == 1:
        return f"on {day} {_MONTHS[month - 1]} {year}"
    if days > 300:
        return f"around {year}" if rough else f"in {year}"
    if rough:
        return f"around {_MONTHS[month - 1]} {year}"
    if days > 80:
        return f"in the season from {_MONTHS[month - 1]} {year}"
    if days > 8:
        return f"in {_MONTHS[month - 1]} {year}"
    if days == 7:
        return f"in the week of {day} {_MONTHS[month - 1]} {year}"
    return f"on the weekend of {day} {_MONTHS[month - 1]} {year}"


SURE = 0.9
"""The confidence of a fact that a rule reads."""


@dataclass(slots=True, eq=False)
class ClauseDraft:
    """A fact that a clause states: its `content`, its relation or None, and since when it holds in
    epoch seconds."""

    content: str
    edge: tuple[str, str] | None = None
    begun: float | None = None


@dataclass(slots=True, eq=False)
class Attributed:
    """A statement, and the name and type ("" if unknown) of what it is about."""

    name: str
    type: str
    draft: ClauseDraft


_MOST = 20_000
"""Characters of a turn that are read: what is longer was pasted, not said."""
_LONGEST = 400
"""Characters of a sentence that is read."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_SPEECH = read_regexes("extraction", "sentences")
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_BREAK = re.compile(r"(?<![.!?…])([.!?…]++)[\"'”’)\]]*+(?=\s+[\"'“‘(\[]?[A-Z0-9]|\s*$)")
_TICKED = re.compile(r"`([^`\s]{1,40})`")


def split_sentences(text: str) -> Iterator[SaidSentence]:
    """Yield the sentences of a text in their order, each on one line."""
    text = _FENCE.sub("\n", text[:_MOST].replace("\r\n", "\n")).replace("’", "'")
    for line in text.split("\n"):
        if _SPEECH["passed"].search(line):
            continue
        line = _TICKED.sub(r"\1", _MARKER.sub("", line)).replace("**", "").replace("__", "")
        for part in _SPEECH["pictures"].split(line):
            for said in split_speech(part, _BREAK, _SPEECH["short"], " ,"):
                if said.text and len(said.text) <= _LONGEST and "`" not in said.text:
                    yield said
