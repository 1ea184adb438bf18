"""Claims about any attribute of the subject: "the A of § is V"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_words
from engrain.language.statements.clauses import (
    ATTRIBUTE,
    COPULAS,
    NEW,
    PREPOSITIONS,
    UNKNOWN,
    VERBS,
    WHICH,
    Clause,
    Found,
)
from engrain.language.statements.phrases import CUE, MARK, places_of
from engrain.language.text.words import STOP, SUBJECT, Token, content_of, contents_of, token_at

_SUBJECT_WORDS = read_words("statements", "attributes")
_NOUNS = read_words("statements", "nouns")
_SEVERAL = _SUBJECT_WORDS["several"] | _NOUNS["manifold"]
_MANIFOLD = _SEVERAL | contents_of(_SEVERAL)
"""Nouns of which there are several: another value says nothing against the first."""
_MOST_NAME, _MOST_VALUE = 3, 7
_ACRONYM = 6


def find_attribute(clause: Clause) -> Iterator[Found]:
    """The value of the one attribute that a clause is about."""
    tokens = clause.tokens
    now = [hit for hit in clause.hits if hit.meaning == "now"]
    marks = places_of(now, MARK)
    at = next((at for at in range(len(tokens) - 1) if _is_verb(tokens, at, marks)), 0)
    if not at:
        return
    left, right = _sides(tokens, at, marks)
    if not _is_attribute(tokens, at, left, right):
        return
    denied = _SUBJECT_WORDS["denying"] & {token.low for token in right} or right[0].low.endswith(
        "ing"
    )
    if denied and tokens[at].low in COPULAS:
        return
    name = "_".join(sorted({token.fold for token in left}))
    name += f"/{right[0].low}" if right[0].low in _SUBJECT_WORDS["leading"] else ""
    name += f"/{tokens[at].fold}" if tokens[at].fold in ("start", "end", "begin") else ""
    value = " ".join(token.text for token in right if token.low not in STOP or token.name)
    if value:
        yield Found(ATTRIBUTE + name, value, at + 1)


def _sides(
    tokens: Sequence[Token], at: int, marks: set[int]
) -> tuple[Sequence[Token], Sequence[Token]]:
    """The tokens that name an attribute, and those of its value, on the sides of the verb."""
    after = range(at + 2, len(tokens))
    until = next(
        (place for place in after if tokens[place].low in _SUBJECT_WORDS["tail"]), len(tokens)
    )
    left = [tokens[to] for to in range(at) if to not in marks and _says(tokens[to])]
    right = [tokens[to] for to in range(at + 1, until) if to not in marks or tokens[to].name]
    named = bool(left) and all(token.name for token in left)
    if named and tokens[at].low in COPULAS and _owns(right):
        return right[2:], left  # "V is §'s A"
    return left, right


def _is_verb(tokens: Sequence[Token], at: int, marks: set[int]) -> bool:
    low = tokens[at].low
    return low in COPULAS or low in VERBS or (at > 0 and at in marks and low.endswith("ed"))


def _says(token: Token) -> bool:
    return bool(content_of(token.low))


def _owns(tokens: Sequence[Token]) -> bool:
    return [token.text for token in tokens[:2]] == [SUBJECT, "'s"]


def _is_attribute(
    tokens: Sequence[Token], at: int, left: Sequence[Token], right: Sequence[Token]
) -> bool:
    if not left or len(left) > _MOST_NAME or not right or len(right) > _MOST_VALUE:
        return False
    noun = left[-1]
    first = noun is tokens[0] and tokens[1].low in PREPOSITIONS
    acronym = noun.text.isupper() and len(noun.text) < _ACRONYM
    if noun.name and not first and not acronym:
        return False
    if SUBJECT not in [token.text for token in tokens[: at + 1]] and at > 2:
        return False
    favourite = any(token.fold == "favourit" for token in left)
    return favourite or not {noun.low, noun.fold} & _MANIFOLD


_SLOTS = contents_of(_NOUNS["slots"])
_NUMBERED = re.compile(r"\d+|[A-Z]|one|two|three|four|five|six")


def find_slots(clause: Clause) -> Iterator[Found]:
    """The one of its kind that the subject has: "the ops team", "phase 2"."""
    tokens = clause.tokens
    marked = places_of(clause.hits, MARK)
    for at, token in enumerate(tokens):
        if token.fold not in _SLOTS:
            continue
        before, after = tokens[at - 1 : at], tokens[at + 1 : at + 2]
        if after and _NUMBERED.fullmatch(after[0].text):
            yield Found(WHICH + token.fold, after[0].fold, at)
        elif before and at and _says(before[0]) and at - 1 not in marked:
            yield Found(WHICH + token.fold, before[0].fold, at)


_RENEWED = _SUBJECT_WORDS["renewed"]


def find_new(clause: Clause, known: set[str]) -> Iterator[Found]:
    """The things that the subject has anew, and relations without an understood value, except
    aspects that are `known`."""
    tokens = clause.tokens
    for hit in clause.hits:
        if hit.kind != CUE:
            continue
        prior = token_at(tokens, hit.start - 1).low
        several = hit.end - hit.start > 1
        if prior == "new" and not several and tokens[hit.start].low in _RENEWED:
            yield Found(hit.meaning, NEW, hit.start)
        elif hit.meaning in _SUBJECT_WORDS["open"] - known and (
            several or prior in ("'s", SUBJECT)
        ):
            yield Found(hit.meaning, UNKNOWN, hit.start)
    for at in range(1, len(tokens)):
        if tokens[at - 1].low == "new" and _is_renewable(tokens[at]):
            yield Found(ATTRIBUTE + tokens[at].fold, NEW, at)


def _is_renewable(noun: Token) -> bool:
    known = noun.fold in _MANIFOLD or noun.low in _RENEWED
    return not noun.name and _says(noun) and not known
