"""Favourites, and what something means in somebody's life: "my favourite food is sushi",
"dance is my passion"."""

from __future__ import annotations

import re

from engrain.language.lexicons import read_regexes
from engrain.learn.extraction.phrasing import trim_tail
from engrain.learn.extraction.statements import Statement, by_itself
from engrain.learn.extraction.third_person import possessive, to_they

_PATTERNS = read_regexes("extraction", "tastes")
_FAVOURITE = _PATTERNS["favourite"]
_IS_FAVOURITE = _PATTERNS["is_favourite"]
_PART = _PATTERNS["part"]
_AIM = _PATTERNS["aim"]
_COLOURS = _PATTERNS["colours"]
_PLAIN = _PATTERNS["plain"]
_TASTE = _PATTERNS["taste"]
_VAIN = _PATTERNS["vain"]
_MINE = re.compile(r"\b(?:my|me)\b")
_EMPTY = _PATTERNS["empty"]


_PLURAL = re.compile(r"(?<!serie)s$")
_DOING = re.compile(r"\w+ing\b")
_LESS_SURE = 0.8
_MOST_VALUE, _MOST_OBJECT = 12, 3
"""Words of what is liked, and of it as the object of a relation."""


def read_favourite(speaker: str, clause: str) -> Statement | None:
    """The favourite that a clause names, if it does."""
    clause = trim_tail(clause)
    found = _FAVOURITE.match(clause) or _IS_FAVOURITE.match(clause)
    if found is None:
        return None
    several = "one of my" in clause.lower()
    what = found["what"].strip()
    return _tell(possessive(speaker), what, found["value"], several=several)


def read_part(speaker: str, clause: str) -> Statement | None:
    """The meaning of something in a life: "dance is my passion", "painting helps me relax"."""
    if found := _AIM.match(clause):
        said = by_itself(trim_tail(found["rest"]))
        if said is None or len(said.split()) < 2:
            return None
        aim = f"{possessive(speaker)} {found['what']} is to {to_they(said)}."
        return Statement(aim, sure=_LESS_SURE)
    found = _PART.match(clause)
    said = by_itself(trim_tail(found["rest"])) if found else None
    if found is None or said is None or by_itself(found["what"]) != found["what"]:
        return None
    whose, what = possessive(speaker), to_they(found["what"])
    told = _MINE.sub(lambda mine: speaker if mine[0] == "me" else whose, said, count=1)
    if not 1 < len(said.split()) < 16 or _EMPTY.search(clause) or "their" in what.lower():
        return None
    verb = {"'s": " is", "'s always been": " has always been"}.get(found["verb"], found["verb"])
    return Statement(f"{what[:1].upper()}{what[1:]}{verb} {to_they(told)}.", sure=_LESS_SURE)


def _tell(whose: str, what: str, value: str, *, several: bool) -> Statement | None:
    said = by_itself(trim_tail(value))
    if said is None or _VAIN.search(said) or len(said.split()) > _MOST_VALUE:
        return None
    if what and not _PLAIN.search(what):
        return None
    capital = said[:1].upper() + said[1:]
    if not what and _COLOURS.fullmatch(said):
        what = "color"
    if not what:
        return Statement(f"{capital} is {whose} favorite.") if _DOING.match(said) else None
    if several:
        return Statement(f"{capital} is one of {whose} favorite {what}.")
    verb = "are" if _PLURAL.search(what) else "is"
    told = f"{whose} favorite {what} {verb} {to_they(said)}."
    short = _TASTE.fullmatch(what) and len(said.split()) <= _MOST_OBJECT
    return Statement(told, (f"favourite_{what}", said) if short else None)
