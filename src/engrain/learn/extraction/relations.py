"""What a clause says of somebody by what they are to the speaker: "my sister Anna lives in Oslo",
"my favourite food is sushi"."""

from __future__ import annotations

import re

from engrain.learn.extraction.patterns import KIN, NAME, PET
from engrain.learn.extraction.phrasing import drop_adverbs, trim_tail
from engrain.learn.extraction.statements import NARROW, WIDE, Statement, by_itself, state
from engrain.learn.extraction.third_person import possessive, to_first, to_they
from engrain.learn.extraction.patterns import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KIN_PREDICATES = {
    "sister": "sibling", "brother": "sibling", "wife": "partner", "husband": "partner",
    "partner": "partner", "spouse": "partner", "girlfriend": "partner", "boyfriend": "partner",
    "fiance": "partner", "fiancee": "partner", "son": "child", "daughter": "child", "kid": "child",
    "mother": "parent", "father": "parent", "mom": "parent", "mum": "parent", "dad": "parent",
    "friend": "knows", "boss": "reports_to", "manager": "reports_to",
}  # fmt: skip
_NAMED = re.compile(rf"^[Mm]y (?P<kin>{KIN}|{PET})(?:'s name is |,? (?:is )?(?:named |called ))(?P<name>{NAME})(?P<rest>.*)$")
_KIN = re.compile(
    rf"^(?:[Mm]y|[Oo]ur) (?P<kin>(?:\w+-year-old )?(?:{KIN}|{PET}))(?:,? (?P<name>{NAME}),?)? (?P<said>(?:is|has|was|[a-z]+s|[a-z]+ed|got|went|won|bought|left|had|broke|began|moved|just|recently) .+)$"
)
_OWN = re.compile(
    r"^[Mm]y (?P<own>(?:\w+ )?(?:team|band|company|store|shop|studio|business|crew|restaurant|blog|channel|startup|club|book|novel|album|song|group)) "
    r"(?P<said>(?:won|opened|released|launched|finished|lost|reached|got|made it|is called|is named|is open\b|was|has|just) ?.*)$"
)
_FAVOURITE = re.compile(
    r"^(?:[Mm]y|[Oo]ne of my) (?:all[- ]time )?(?:favou?rite|fav|go-to) (?P<what>(?:\w+ ){0,3}?\w+) (?:is|are|has always been|has to be|was) (?P<value>.+)$"
)
_IS_FAVOURITE = re.compile(
    r"^(?P<value>(?!(?:it|that|this|he|she|they|what|which|there|you)\b)[\w' \"&-]{2,60}?)(?: is| are|'s) (?:definitely |probably |always |also |one of )?my (?:all[- ]time )?(?:favou?rites?|fav|go-to)(?P<what>(?: \w+){0,3})$",
    re.IGNORECASE,
)
_PART = re.compile(
    r"^(?P<what>(?!(?:it|that|this|these|those|they|he|she|you|we|I|which|there|what|here|one|things?|everything|my|life|your|all)\b|(?:it|that|he|she|there|what|here)'s)[\w' &-]{3,60}?)"
    r"(?P<verb>'s| is| are| has always been| have always been| has been| have been| helps?| allows?| lets?| reminds?| keeps?| makes?| gives?| brings?|'s always been) "
    r"(?P<rest>(?:definitely |really |always |pretty much |still |basically )*(?:(?:a |an )?(?:huge |big |important |major |special |fun |great |key )*(?:part of my life|part of my|way for me to) ?|(?:\w+ )?therapy for me|my (?:passion|thing|stress[- ]\w+|happy place|go-to|hobby|favorite hobby|escape|first love|dream|life|calling|specialty|comfort food|guilty pleasure|biggest (?:passion|love|fear|inspiration))\b|me )[^?]*)$",
    re.IGNORECASE,
)
_AIM = re.compile(r"^[Mm]y (?P<what>(?:\w+ )?(?:goal|dream|aim|ambition|resolution|plan)) is to (?P<rest>(?!(?:be happy|keep|make it|do my|have a good|get through)\b).+)$")
_COUNTRY = re.compile(rf"\bmy (?P<what>home ?country|home ?town|native country),? (?:of )?(?P<value>{NAME})")
_APART = re.compile(rf"^(?P<name>{NAME}), my (?P<kin>{KIN}|{PET})\b")
_TOLD = re.compile(
    r"^[Mm]y (?P<what>birthday|e-?mail(?: address)?|phone(?: number)?|home ?town|middle name|nickname|address|wedding anniversary|pronouns|hobby|hobbies|native language|mother tongue|degree|major|name|blood type|time ?zone)"
    r" (?:is|are) (?:on |in )?(?P<value>[^,]{2,60})"
)
_TOLD_PREDICATES = {
    "birthday": "birthday", "email": "email", "e-mail": "email", "email address": "email",
    "phone": "phone_number", "phone number": "phone_number", "nickname": "nickname",
    "pronouns": "pronouns", "timezone": "timezone", "time zone": "timezone", "major": "studies",
}  # fmt: skip
_PLAIN = re.compile(r"(?:color|colour|food|dish|drink|book|movie|film|song|band|team|author|artist|animal|season|sport|game|genre|holiday|city|country|series|show|restaurant|flower|dessert|ice cream|style|subject|player|singer|writer|language|editor|hobby|place|character|instrument|type|kind|part|memory|thing|way|activity|dance|spot|trail|piece|pastime|workout|exercise|season|toy|cartoon|composer|quote|podcast|car|brand|cuisine|fruit|vegetable)s?\b")
_TASTE = re.compile(r"(?:color|colour|food|dish|drink|season|animal|sport|genre|holiday|team|language|editor|flower|dessert)$")
_VAIN = re.compile(r"^(?:it|that|this|when|seeing|how|to|being|having|the (?:way|part|best|one)|what|getting|just|so|all|too|probably)\b|\b(?:great|awesome|amazing|fine|good|well|so happy|so excited|doing|here|stoked|thrilled|proud|the best)\b", re.IGNORECASE)

_MINE = re.compile(r"\b(?:my|me)\b")
_EMPTY = re.compile(r"\b(?:going|smile|happy|proud|excited|think|feel|the world|word|words|support|wait|know|believe|photo|pic|picture|a lot|moments?|seeing|losing|knowing|hearing|having|hope|advice|today|reminds me of you)\b", re.IGNORECASE)

FAVOURITE = Pattern("favourite", r"", "My favourite food is sushi")
TOLD = Pattern("particulars", r"", "My birthday is 3 May")
PART = Pattern("part of life", r"", "Dance is my passion", sure=0.8)
AIM = Pattern("goal", r"", "My goal is to run a marathon", sure=0.8)
RELATIVE = Pattern("relative", r"", "My sister Anna lives in Oslo")


class Told:
    """A statement and whom it is about: a name, and its type, "" unknown."""

    __slots__ = ("name", "statement", "type")

    def __init__(self, name: str, type_: str, statement: Statement) -> None:
        self.name = name
        self.type = type_
        self.statement = statement


def read_relations(speaker: str, clause: str, at: float | None, *, wide: bool) -> Iterator[Told]:
    """What a clause that begins with "my", or ends in "my favourite", tells."""
    whose = possessive(speaker)
    if (found := _FAVOURITE.match(clause)) or (found := _IS_FAVOURITE.match(clause)):
        if statement := _favourite(whose, found["what"].strip(), found["value"]):
            yield Told(speaker, "person", statement)
    elif found := _TOLD.match(clause):
        what, value = found["what"].lower(), found["value"].strip()
        predicate = _TOLD_PREDICATES.get(what)
        content = f"{whose} {what} {'are' if what in ('pronouns', 'hobbies') else 'is'} {to_they(value)}."
        yield Told(speaker, "person", Statement(content, (predicate, value) if predicate else None, None, TOLD))
    elif (found := _NAMED.match(clause)) or (found := _APART.match(clause)):
        yield _named(speaker, found["kin"], found["name"])
    elif found := _KIN.match(clause):
        yield from _relative(speaker, found, at, wide=wide)
    elif wide and (statement := _part(speaker, clause)):
        yield Told(speaker, "person", statement)
    elif wide and (found := _OWN.match(clause)):
        if statement := _of(f"{whose} {found['own']}", found["said"], at, wide=wide):
            yield Told(speaker, "person", statement)


def read_asides(speaker: str, sentence: str) -> Iterator[Told]:
    """What a sentence tells in passing: "in my home country, Sweden"."""
    if found := _COUNTRY.search(sentence):
        content = f"{possessive(speaker)} {found['what'].lower()} is {found['value']}."
        yield Told(speaker, "person", Statement(content, None, None, TOLD))


def _part(speaker: str, clause: str) -> Statement | None:
    """What something is in a life: "dance is my passion", "painting helps me relax"."""
    if found := _AIM.match(clause):
        said = by_itself(trim_tail(found["rest"]))
        if said is None or len(said.split()) < 2:
            return None
        return Statement(f"{possessive(speaker)} {found['what']} is to {to_they(said)}.", None, None, AIM)
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


def _favourite(whose: str, what: str, value: str) -> Statement | None:
    said = by_itself(trim_tail(value))
    if said is None or _VAIN.search(said) or len(said.split()) > 12 or (what and not _PLAIN.search(what)):
        return None
    if not what and not re.match(r"\w+ing\b", said):
        return None
    if not what:
        return Statement(f"{said[:1].upper()}{said[1:]} is {whose} favorite.", None, None, FAVOURITE)
    verb = "are" if what.endswith("s") and not what.endswith("series") else "is"
    edge = (f"favourite_{what}", said) if _TASTE.fullmatch(what) and len(said.split()) < 4 else None
    return Statement(f"{whose} favorite {what} {verb} {to_they(said)}.", edge, None, FAVOURITE)


def _named(speaker: str, kin: str, name: str) -> Told:
    predicate = _KIN_PREDICATES.get(kin.split()[-1])
    edge = (predicate, name) if predicate else None
    if re.fullmatch(PET, kin):
        return Told(speaker, "person", Statement(f"{speaker} has a {kin} named {name}.", ("has_pet", name), None, RELATIVE))
    return Told(speaker, "person", Statement(f"{possessive(speaker)} {kin} is {name}.", edge, None, RELATIVE))


def _relative(speaker: str, found: re.Match[str], at: float | None, *, wide: bool) -> Iterator[Told]:
    kin, name = found["kin"], found["name"]
    statement = _of(name or f"{possessive(speaker)} {kin}", found["said"], at, wide=wide)
    if statement is None:
        return
    if not name:
        statement.edge = None
        yield Told(speaker, "person", statement)
        return
    yield _named(speaker, kin, name)
    if not re.fullmatch(PET, kin):
        yield Told(name, "person", statement)


def _of(subject: str, said: str, at: float | None, *, wide: bool) -> Statement | None:
    predicate = to_first(drop_adverbs(said))
    return state(subject, drop_adverbs(predicate), at, tables=WIDE if wide else NARROW) if predicate else None
