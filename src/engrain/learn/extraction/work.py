"""Reads plain statements about work: who leads, owns or does what, and what was promised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import expand, read_fragments, read_lines, read_regexes, read_words
from engrain.language.prompts import request_in
from engrain.language.text.instants import format_day
from engrain.language.text.periods import find_periods
from engrain.language.text.sentences import is_quoted
from engrain.learn.extraction.phrasing import (
    Attributed,
    ClauseDraft,
    resolve_times,
    split_sentences,
    strip_openers,
)
from engrain.model.facts.fact import OPERATOR, Turn

_ROLE = "role"
_NOBODY = read_words("extraction", "words")["nobodies"]
_PROMISES = read_regexes("extraction", "promises")
_ASIDE = re.compile(r",? (?:by the way|btw|fyi|I think|apparently)(?=[,.]|$),?", re.IGNORECASE)
_DAY = 86_400.0


@dataclass(frozen=True, slots=True, eq=False)
class WorkPattern:
    """One row: the pattern that reads it, the `predicate`, which group the fact is `about`, and the
    `type` of that entity."""

    read: re.Pattern[str]
    predicate: str
    about: str
    type: str


def _read_patterns() -> Iterator[WorkPattern]:
    fragments = read_fragments("extraction")
    for head, (_, *lines) in read_lines("extraction", "work").items():
        _, predicate, about, type_ = head.split(" | ")
        read = re.compile(expand("".join(lines), fragments))
        yield WorkPattern(read, predicate, about, type_)


PATTERNS = tuple(_read_patterns())


@dataclass(frozen=True, slots=True)
class Promise:
    """A promise in the words of who made it, the day it is due (ISO), and when it was said, in
    epoch seconds, None if unknown."""

    text: str
    due: str
    at: float | None


def read_work(sentence: str, at: float | None) -> Iterator[Attributed]:
    """Yield the fact that a sentence states about people at work; `at` is when it was said."""
    sentence = " ".join(_ASIDE.sub("", sentence).split()).rstrip(".")
    for row in PATTERNS:
        found = row.read.match(sentence)
        if found is None or found["s"].split()[0].lower() in _NOBODY:
            continue
        predicate = found["role"].lower() if row.predicate == _ROLE else row.predicate
        name, other = (found["s"], found["o"]) if row.about == "s" else (found["o"], found["s"])
        timed = resolve_times(sentence, at)
        edge = (predicate, other) if predicate != "-" else None
        draft = ClauseDraft(f"{timed.text.rstrip('.')}.", edge, timed.begun)
        yield Attributed(name[:1].upper() + name[1:], row.type, draft)
        return


def find_promises(turn: Turn) -> Iterator[Promise]:
    """Yield what the operator promised in a turn that names the day by which it is due."""
    if turn.role != OPERATOR:
        return
    for sentence in split_sentences(request_in(turn.text)):
        said = strip_openers(sentence.text)
        made = _PROMISES["promised"].search(said) or _PROMISES["due"].search(said)
        by = _PROMISES["by"].search(said)
        if sentence.asks or not made or not by or is_quoted(said) or turn.at is None:
            continue
        periods = find_periods(said[by.start() :], turn.at)
        if len(periods) == 1:
            due = format_day(_ahead(periods[0].end - _DAY, turn.at, yearless=periods[0].yearless))
            yield Promise(said.rstrip("."), due, turn.at)


def _ahead(due: float, said: float, *, yearless: bool) -> float:
    """Return a day without a year, or a day of the week, as the next one: a promise is about what
    is to come."""
    if due >= said - _DAY:
        return due
    if yearless:
        return due + 365 * _DAY
    return due + 7 * _DAY if due >= said - 7 * _DAY else due
