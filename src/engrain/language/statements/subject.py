"""Of what a clause speaks: the subject, somebody else, or something that the subject has."""

from __future__ import annotations

from engrain.language.lexicons import read_words
from engrain.language.statements.phrases import (
    CUE,
    END,
    MARK,
    PLACE,
    STATE,
    TOOL,
    Hit,
    places_of,
)
from engrain.language.text.vocabulary import vocabulary
from engrain.language.text.words import SUBJECT, Token, content_of

PREPOSITIONS = vocabulary("of for on at in to from with by about under")
COPULAS = vocabulary("is are was were : = remains becomes became")
_WORDS = read_words("statements", "subject")
PEOPLE = read_words("statements", "nouns")["people"]
"""Whoever is someone else than the subject, though related to it."""
VERBS = _WORDS["verbs"]


def find_topic(tokens: list[Token], hits: list[Hit]) -> tuple[str, ...]:
    """The words of what is the subject's, where that and not the subject is spoken of."""
    start = next(
        (
            at + 2
            for at in range(len(tokens) - 1)
            if tokens[at].text == SUBJECT
            and tokens[at + 1].text == "'s"
            and not (at and tokens[at - 1].low in PREPOSITIONS)
        ),
        0,
    )
    if not start:
        return _topic_beside(tokens, hits)
    marked = {
        hit.start for hit in hits if hit.kind in (MARK, END) and hit.meaning != "-"
    }  # fmt: skip
    words: list[str] = []
    for at in range(start, min(start + 4, len(tokens))):
        low = tokens[at].low
        if low in COPULAS or low in VERBS or (any(words) and at in marked):
            break
        verbal = low.endswith("ed") or (low.endswith("s") and not low.endswith("ss"))
        follows = tokens[at + 1].low if at + 1 < len(tokens) else "is"
        if at > start and (low in PREPOSITIONS or (verbal and follows not in COPULAS)):
            break
        words.append(content_of(low) if low != "new" else "")
    return tuple(filter(None, words))


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
_NAMING = vocabulary("now called named currently")
_NEAR = 6


def is_of_another(tokens: list[Token], hits: list[Hit]) -> bool:
    """Whether the clause tells of somebody else than the subject: its sister, a name that stands
    first. That somebody is the subject's partner tells of the subject."""
    lows = [token.low for token in tokens]
    for at in range(1, min(_NEAR, len(tokens))):
        owned = lows[at - 1] in ("'s", "the") or (at > 1 and lows[at - 2] == "'s")
        if tokens[at].fold not in _PEOPLE or not owned:
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        second = tokens[at + 2] if at + 2 < len(tokens) else None
        if after is not None and after.low == "is" and second and second.low in _NAMING:
            return False
        told = after is None or after.low in (":", "=")
        if told or (after is not None and after.low == "is" and (second is None or second.name)):
            continue
        partner = lows[at] in PARTNERS
        return not partner or (after is not None and after.low != "is" and not after.name)
    known = any(hit.start == 0 and hit.kind in (TOOL, PLACE, CUE, STATE) for hit in hits)
    return SUBJECT not in lows and tokens[0].name and not known
