"""What a clause is about: the subject, somebody else, or a thing that the subject has."""

from __future__ import annotations

from engrain.language.lexicons import read_words
from engrain.language.statements.phrases import CUE, END, MARK, PLACE, STATE, TOOL, Hit, places_of
from engrain.language.text.words import SUBJECT, Token, content_of, token_at

_WORDS = read_words("statements", "subject")
PREPOSITIONS = _WORDS["prepositions"]
COPULAS = _WORDS["copulas"]
PEOPLE = read_words("statements", "nouns")["people"]
"""Whoever is someone else than the subject, though related to it."""
VERBS = _WORDS["verbs"]


def find_topic(tokens: list[Token], hits: list[Hit]) -> tuple[str, ...]:
    """The words for a thing that the subject has, if the clause is about that: "§'s phone is"."""
    start = next((at + 2 for at in range(len(tokens) - 1) if _opens_topic(tokens, at)), 0)
    if not start:
        return _topic_beside(tokens, hits)
    marked = {hit.start for hit in hits if hit.kind in (MARK, END) and hit.meaning != "-"}
    words: list[str] = []
    for at in range(start, min(start + 4, len(tokens))):
        low = tokens[at].low
        if (any(words) and at in marked) or _ends_topic(tokens, at, first=at == start):
            break
        words.append(content_of(low) if low != "new" else "")
    return tuple(filter(None, words))


def _opens_topic(tokens: list[Token], at: int) -> bool:
    owned = tokens[at].text == SUBJECT and tokens[at + 1].text == "'s"
    return owned and token_at(tokens, at - 1).low not in PREPOSITIONS


def _ends_topic(tokens: list[Token], at: int, *, first: bool) -> bool:
    low = tokens[at].low
    if low in COPULAS or low in VERBS:
        return True
    verbal = low.endswith("ed") or (low.endswith("s") and not low.endswith("ss"))
    follows = token_at(tokens, at + 1).low or "is"
    return not first and (low in PREPOSITIONS or (verbal and follows not in COPULAS))


def _topic_beside(tokens: list[Token], hits: list[Hit]) -> tuple[str, ...]:
    """The topic in "the § offsite is": nouns between the subject and a copula."""
    marked = places_of([hit for hit in hits if hit.meaning != "while"], MARK, END)
    for at, token in enumerate(tokens[:3]):
        for end in (at + 2, at + 3) if token.text == SUBJECT else ():
            inner = range(at + 1, end)
            if (
                end < len(tokens)
                and tokens[end].low in COPULAS - {":", "="}
                and not marked & set(inner)
                and all(_is_noun(tokens[place].low) for place in inner)
            ):
                return tuple(content_of(tokens[place].low) for place in inner)
    return ()


def _is_noun(low: str) -> bool:
    return low.isalpha() and bool(content_of(low)) and not low.endswith(("ed", "ly"))


PARTNERS = _WORDS["partners"]
_PEOPLE = frozenset(content_of(word) or word for word in PEOPLE)
_NEAR = 6


def is_of_another(tokens: list[Token], hits: list[Hit]) -> bool:
    """Whether a clause is about somebody other than the subject: its sister, or a name that opens
    the clause. A clause about the subject's partner may still be about the subject."""
    for at in range(1, min(_NEAR, len(tokens))):
        owned = tokens[at - 1].low in ("'s", "the") or token_at(tokens, at - 2).low == "'s"
        if owned and tokens[at].fold in _PEOPLE:
            about = _is_about_person(tokens, at)
            if about is not None:
                return about
    known = any(hit.start == 0 and hit.kind in (TOOL, PLACE, CUE, STATE) for hit in hits)
    return all(token.low != SUBJECT for token in tokens) and tokens[0].name and not known


def _is_about_person(tokens: list[Token], at: int) -> bool | None:
    """Whether a clause is about the person at a place; None if it only says who that is."""
    after, second = token_at(tokens, at + 1), token_at(tokens, at + 2)
    if after.low == "is" and second.low in _WORDS["naming"]:
        return False
    if after.low in ("", ":", "=") or (after.low == "is" and (not second.text or second.name)):
        return None
    return tokens[at].low not in PARTNERS or (after.low != "is" and not after.name)
