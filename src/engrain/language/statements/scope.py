"""What narrows a claim: the part, the kind or the version of what the subject has."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.language.lexicons import read_words, vocabulary
from engrain.language.statements.claims import Found
from engrain.language.statements.clauses import Clause
from engrain.language.statements.measures import DATED, NUMBERED
from engrain.language.statements.phrases import CUE, STATE, TOOL, places_of
from engrain.language.text.words import Token, content_of

_WORDS = read_words("statements", "scope")
_NARROWING = _WORDS["narrowing"]
_RELEASES = frozenset(("alpha", "beta"))
_OF_THINGS = vocabulary("=stage =cadence email phone_number")
_CUES = {"=cadence": "meeting", "date": "deadline"}
_OWN = {
    "+database": "database db data", "+hosting": "host hosting infrastructure", "+car_model": "car",
    "+phone": "phone", "+editor": "editor ide", "+os": "laptop computer os", "+ci": "ci",
    "+chat": "chat", "+tracker": "tracker tickets issues", "+browser": "browser",
    "+language": "language codebase code", "+bank": "bank account",
    "lives_in": "home hq headquarters office address apartment seat",
    "=stage": "status work development", "=work_mode": "office policy", "+license_kind": "license",
    "+vcs": "repo code", "=diet": "diet", "=cadence": "standup sync meeting retro team release",
    "=health": "health", "=love": "relationship marriage", "version": "version",
    "headcount": "team staff headcount size",
}  # fmt: skip
"""By aspect, the nouns for it: they narrow it to nothing less."""
_NUMBER = re.compile(r"v?\d+\.\d[\d.]*|v\d+")


def find_scope(clause: Clause, found: Found) -> frozenset[str]:
    """The words that narrow a claim to a part, a kind or a version of the thing."""
    aspect = found.aspect
    name = aspect.partition(":")[0]
    measured = name in DATED or name in NUMBERED
    scope: frozenset[str] = frozenset()
    if aspect[0] in "+#@^~" or measured or aspect in _OF_THINGS:
        told = places_of(clause.hits, STATE, TOOL)
        scope = frozenset(
            token.fold
            for at, token in enumerate(clause.tokens)
            if (at not in told or (measured and token.low in _RELEASES)) and _narrows(token)
        )
    if measured:
        return scope | _words_before(clause, found.at, name)
    if aspect[0] in "@^" or (found.at <= 1 and aspect[0] not in "#~"):
        return scope
    return scope | (frozenset(clause.topic) - _nouns_in(clause, aspect) - own_nouns(aspect))


def _nouns_in(clause: Clause, aspect: str) -> set[str]:
    """The words of a clause that express the aspect."""
    cues = {aspect, _CUES.get(aspect)}
    return {
        clause.tokens[at].fold
        for hit in clause.hits
        if hit.kind == STATE or (hit.kind == CUE and hit.meaning in cues)
        for at in hit.places()
    }


def _narrows(token: Token) -> bool:
    return token.low in _NARROWING or token.low.rstrip("s") in _NARROWING


def _words_before(clause: Clause, at: int, aspect: str) -> frozenset[str]:
    told = {
        place
        for hit in clause.hits
        if hit.meaning not in ("pending", "settled")
        for place in hit.places()
    }
    words = {
        word
        for place, token in enumerate(clause.tokens[:at])
        if place not in told
        and (not token.name or not place)
        and not (token.low[0].isdigit() and aspect in NUMBERED)
        and (word := content_of(token.low))
    }
    if aspect != "version":
        words |= {token.low for token in clause.tokens if _NUMBER.fullmatch(token.low)}
    return frozenset(words)


@lru_cache(maxsize=64)
def own_nouns(aspect: str) -> frozenset[str]:
    """The nouns for an aspect, folded."""
    return frozenset(content_of(word) for word in _OWN.get(aspect, "").split())
