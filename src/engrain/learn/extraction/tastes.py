"""What people like best, and what something is in their lives: "my favourite food is sushi",
"dance is my passion"."""

from __future__ import annotations

import re

from engrain.learn.extraction.patterns import Pattern
from engrain.learn.extraction.phrasing import trim_tail
from engrain.learn.extraction.statements import Statement, by_itself
from engrain.learn.extraction.third_person import possessive, to_they

_FAVOURITE = re.compile(
    r"^(?:[Mm]y|[Oo]ne of my) (?:all[- ]time )?(?:favou?rite|fav"
    r"|go-to) (?P<what>(?:\w+ ){0,3}?\w+) (?:is|are|has always been|has to be"
    r"|was) (?P<value>.+)$"
)
_IS_FAVOURITE = re.compile(
    r"^(?P<value>(?!(?:it|that|this|he|she|they|what|which|there"
    r"|you)\b)[\w' \"&-]{2,60}?)(?: is| are|'s) (?:definitely |probably |always "
    r"|also |one of )?my (?:all[- ]time )?(?:favou?rites?|fav"
    r"|go-to)(?P<what>(?: \w+){0,3})$",
    re.IGNORECASE,
)
_PART = re.compile(
    r"^(?P<what>(?!(?:it|that|this|these|those|they|he|she|you|we|I|which|there"
    r"|what|here|one|things?|everything|my|life|your|all)\b|(?:it|that|he|she"
    r"|there|what|here)'s)[\w' &-]{3,60}?)"
    r"(?P<verb>'s| is| are| has always been| have always been| has been"
    r"| have been| helps?| allows?| lets?| reminds?| keeps?| makes?| gives?"
    r"| brings?|'s always been) "
    r"(?P<rest>(?:definitely |really |always |pretty much |still "
    r"|basically )*(?:(?:a |an )?(?:huge |big |important |major |special |fun "
    r"|great |key )*(?:part of my life|part of my|way for me to) ?"
    r"|(?:\w+ )?therapy for me|my (?:passion|thing|stress[- ]\w+|happy place"
    r"|go-to|hobby|favorite hobby|escape|first love|dream|life|calling|specialty"
    r"|comfort food|guilty pleasure|biggest (?:passion|love|fear|inspiration))\b"
    r"|me )[^?]*)$",
    re.IGNORECASE,
)
_AIM = re.compile(
    r"^[Mm]y (?P<what>(?:\w+ )?(?:goal|dream|aim|ambition|resolution"
    r"|plan)) is to (?P<rest>(?!(?:be happy|keep|make it|do my|have a good"
    r"|get through)\b).+)$"
)
_COLOURS = re.compile(
    r"(?:red|blue|green|yellow|orange|purple|pink|teal|turquoise|black|white"
    r"|grey|gray|brown|gold|silver)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?:color|colour|food|dish|drink|book|movie|film|song|band|team|author"
    r"|artist|animal|season|sport|game|genre|holiday|city|country|series|show"
    r"|restaurant|flower|dessert|ice cream|style|subject|player|singer|writer"
    r"|language|editor|hobby|place|character|instrument|type|kind|part|memory"
    r"|thing|way|activity|dance|spot|trail|piece|pastime|workout|exercise|season"
    r"|toy|cartoon|composer|quote|podcast|car|brand|cuisine|fruit|vegetable)s?\b"
)
_TASTE = re.compile(
    r"(?:color|colour|food|dish|drink|season|animal|sport|genre|holiday|team"
    r"|language|editor|flower|dessert)$"
)
_VAIN = re.compile(
    r"^(?:it|that|this|when|seeing|how|to|being|having|the (?:way|part|best|one)"
    r"|what|getting|just|so|all|too|probably)\b|\b(?:great|awesome|amazing|fine"
    r"|good|well|so happy|so excited|doing|here|stoked|thrilled|proud"
    r"|the best)\b",
    re.IGNORECASE,
)
_MINE = re.compile(r"\b(?:my|me)\b")
_EMPTY = re.compile(
    r"\b(?:going|smile|happy|proud|excited|think|feel|the world|word|words"
    r"|support|wait|know|believe|photo|pic|picture|a lot|moments?|seeing|losing"
    r"|knowing|hearing|having|hope|advice|today|reminds me of you)\b",
    re.IGNORECASE,
)
FAVOURITE = Pattern("favourite", r"", "My favourite food is sushi")
PART = Pattern("part of life", r"", "Dance is my passion", sure=0.8)
AIM = Pattern("goal", r"", "My goal is to run a marathon", sure=0.8)


def read_favourite(speaker: str, clause: str) -> Statement | None:
    """What a clause says of a favourite."""
    clause = trim_tail(clause)
    found = _FAVOURITE.match(clause) or _IS_FAVOURITE.match(clause)
    if found is None:
        return None
    several = "one of my" in clause.lower()
    what = found["what"].strip()
    return _tell(possessive(speaker), what, found["value"], several=several)


def read_part(speaker: str, clause: str) -> Statement | None:
    """What something is in a life: "dance is my passion", "painting helps me relax"."""
    if found := _AIM.match(clause):
        said = by_itself(trim_tail(found["rest"]))
        if said is None or len(said.split()) < 2:
            return None
        return Statement(
            f"{possessive(speaker)} {found['what']} is to {to_they(said)}.", None, None, AIM
        )
    found = _PART.match(clause)
    said = by_itself(trim_tail(found["rest"])) if found else None
    if found is None or said is None or by_itself(found["what"]) != found["what"]:
        return None
    whose, what = possessive(speaker), to_they(found["what"])
    told = _MINE.sub(lambda mine: speaker if mine[0] == "me" else whose, said, count=1)
    if not 1 < len(said.split()) < 16 or _EMPTY.search(clause) or "their" in what.lower():
        return None
    verb = {"'s": " is", "'s always been": " has always been"}.get(found["verb"], found["verb"])
    return Statement(f"{what[:1].upper()}{what[1:]}{verb} {to_they(told)}.", None, None, PART)


def _tell(whose: str, what: str, value: str, *, several: bool) -> Statement | None:
    said = by_itself(trim_tail(value))
    if (
        said is None
        or _VAIN.search(said)
        or len(said.split()) > 12
        or (what and not _PLAIN.search(what))
    ):
        return None
    if not what and _COLOURS.fullmatch(said):
        what = "color"
    if not what and not re.match(r"\w+ing\b", said):
        return None
    if not what:
        return Statement(
            f"{said[:1].upper()}{said[1:]} is {whose} favorite.", None, None, FAVOURITE
        )
    if several:
        told = f"{said[:1].upper()}{said[1:]} is one of {whose} favorite {what}."
        return Statement(told, None, None, FAVOURITE)
    verb = "are" if what.endswith("s") and not what.endswith("series") else "is"
    edge = (f"favourite_{what}", said) if _TASTE.fullmatch(what) and len(said.split()) < 4 else None
    return Statement(f"{whose} favorite {what} {verb} {to_they(said)}.", edge, None, FAVOURITE)
