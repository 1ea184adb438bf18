"""What a clause says of somebody by what they are to the speaker: "my sister Anna lives in
Oslo"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.statements.predicates import PERSON
from engrain.learn.extraction.patterns import Pattern
from engrain.learn.extraction.phrasing import drop_adverbs
from engrain.learn.extraction.statements import NARROW, WIDE, Statement, state, state_other
from engrain.learn.extraction.tastes import read_favourite, read_part
from engrain.learn.extraction.third_person import possessive, to_they
from engrain.learn.extraction.vocabulary import KIN, NAME, PET

_KIN_PREDICATES = {
    "sister": "sibling", "brother": "sibling", "wife": "partner", "husband": "partner",
    "partner": "partner", "spouse": "partner", "girlfriend": "partner", "boyfriend": "partner",
    "fiance": "partner", "fiancee": "partner", "son": "child", "daughter": "child", "kid": "child",
    "mother": "parent", "father": "parent", "mom": "parent", "mum": "parent", "dad": "parent",
    "friend": "knows", "boss": "reports_to", "manager": "reports_to",
}  # fmt: skip
_NAMED = re.compile(
    rf"^[Mm]y (?P<kin>{KIN}|{PET})(?:'s name is |,? (?:is )?(?:named "
    rf"|called )| is (?=[A-Z]\w+ [A-Z]\w+$))(?P<name>{NAME})(?P<rest>.*)$"
)
_KIN = re.compile(
    rf"^(?:[Mm]y|[Oo]ur) (?P<kin>(?:\w+-year-old )?(?:{KIN}"
    rf"|{PET}))(?:,? (?P<name>{NAME}),?)? (?P<said>(?:is|has|was|[a-z]+s|[a-z]+ed"
    r"|got|went|won|bought|left|had|broke|began|lost|sold|quit|grew|came|ran|built|just"
    r"|recently) .+)$"
)
_SEVERAL = re.compile(
    r"^(?:[Mm]y|[Oo]ur) (?P<kin>(?:\w+ )?(?:kids|children|sons|daughters|parents"
    r"|friends|dogs|cats|pups|puppies|pets|teammates|students|siblings"
    r"|grandparents|family|team|customers))"
    r" (?P<said>(?:are|were|have|had|love|like|enjoy|live|work|play|got|went"
    r"|started|came|visited|gave|took|made|moved|bought|won|threw|helped"
    r"|surprised|joined|[a-z]+ed) .+)$"
)
_OWN = re.compile(
    r"^[Mm]y (?P<own>(?:\w+ ){0,2}?(?:team|band|company|store|shop|studio"
    r"|business|crew|restaurant|blog|channel|startup|club|book|novel|album|song"
    r"|group)) "
    r"(?P<said>(?:won|opened|released|launched|finished|lost|reached|got|made it"
    r"|is called|is named|is open\b|was|has|just) ?.*)$"
)
_COUNTRY = re.compile(
    r"\bmy (?P<what>home ?country|home ?town"
    rf"|native country),? (?:of )?(?P<value>{NAME})"
)
_MEANWHILE = re.compile(
    r"\b(?:since|when|after) I (?:just |first |finally )?(?P<said>(?:started"
    r"|moved|quit|left|lost|graduated|got married|got divorced|retired|adopted"
    r"|bought|opened|joined|turned|was diagnosed|hurt|broke|injured|visited|won"
    r"|began|lived in|worked (?:at|as|for)|took|met) [^,;:-]+)"
)
_TRIP = re.compile(
    r"\b[Mm]y (?:recent |last |first )?(?P<what>trip|vacation|holiday|visit"
    rf"|honeymoon|road trip) (?:to|in) (?P<where>{NAME}) (?:was|has been)\b"
)
_APART = re.compile(rf"^(?P<name>{NAME}), my (?P<kin>{KIN}|{PET})\b")
_TOLD = re.compile(
    r"^[Mm]y (?P<what>birthday|e-?mail(?: address)?|phone(?: number)?|home ?town"
    r"|middle name|nickname|address|(?:wedding )?anniversary|pronouns|hobby|hobbies"
    r"|native language|mother tongue|degree|major|name|blood type|time ?zone)"
    r" (?:is|are) (?:on |in )?(?P<value>[^,]{2,60})"
)
_TOLD_PREDICATES = {
    "birthday": "birthday", "email": "email", "e-mail": "email", "email address": "email",
    "phone": "phone_number", "phone number": "phone_number", "nickname": "nickname",
    "pronouns": "pronouns", "timezone": "timezone", "time zone": "timezone", "major": "studies",
}  # fmt: skip


TOLD = Pattern("particulars", r"", "My birthday is 3 May")
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
    if statement := read_favourite(speaker, clause):
        yield Told(speaker, PERSON, statement)
    elif found := _TOLD.match(clause):
        what, value = found["what"].lower(), found["value"].strip()
        predicate = _TOLD_PREDICATES.get(what)
        content = (
            f"{whose} {what} {'are' if what in ('pronouns', 'hobbies') else 'is'} {to_they(value)}."
        )
        yield Told(
            speaker,
            PERSON,
            Statement(content, (predicate, value) if predicate else None, None, TOLD),
        )
    elif (found := _NAMED.match(clause)) or (found := _APART.match(clause)):
        yield _named(speaker, found["kin"], found["name"])
    elif found := _KIN.match(clause):
        yield from _relative(speaker, found, at, wide=wide)
    elif wide and (statement := read_part(speaker, clause)):
        yield Told(speaker, PERSON, statement)
    elif found := _SEVERAL.match(clause):
        subject = f"{whose} {found['kin']}"
        if statement := _of(subject, found["said"], at, wide=wide, several=True):
            yield Told(speaker, PERSON, statement)
    elif wide and (found := _OWN.match(clause)):
        statement = _of(f"{whose} {found['own']}", found["said"], at, wide=wide)
        if statement:
            yield Told(speaker, PERSON, statement)


def read_asides(speaker: str, sentence: str, at: float | None, *, wide: bool) -> Iterator[Told]:
    """What a sentence tells in passing: "in my home country, Sweden", "since I moved to Oslo"."""
    if found := _COUNTRY.search(sentence):
        content = f"{possessive(speaker)} {found['what'].lower()} is {found['value']}."
        yield Told(speaker, PERSON, Statement(content, None, None, TOLD))
    if wide and (found := _TRIP.search(sentence)):
        content = f"{speaker} had a {found['what']} to {found['where']}."
        yield Told(speaker, PERSON, Statement(content, None, None, TOLD))
    if wide and (found := _MEANWHILE.search(sentence)):
        said = drop_adverbs(found["said"])
        if statement := state(speaker, said, at, tables=WIDE):
            yield Told(speaker, PERSON, statement)


def _named(speaker: str, kin: str, name: str) -> Told:
    predicate = _KIN_PREDICATES.get(kin.split()[-1])
    edge = (predicate, name) if predicate else None
    if re.fullmatch(PET, kin):
        return Told(
            speaker,
            PERSON,
            Statement(f"{speaker} has a {kin} named {name}.", ("has_pet", name), None, RELATIVE),
        )
    return Told(
        speaker,
        PERSON,
        Statement(f"{possessive(speaker)} {kin} is {name}.", edge, None, RELATIVE),
    )


def _relative(
    speaker: str, found: re.Match[str], at: float | None, *, wide: bool
) -> Iterator[Told]:
    kin, name = found["kin"], found["name"]
    statement = _of(name or f"{possessive(speaker)} {kin}", found["said"], at, wide=wide)
    if statement is None:
        return
    if not name:
        statement.edge = None
        yield Told(speaker, PERSON, statement)
        return
    yield _named(speaker, kin, name)
    if not re.fullmatch(PET, kin):
        yield Told(name, PERSON, statement)


def _of(
    subject: str, said: str, at: float | None, *, wide: bool, several: bool = False
) -> Statement | None:
    tables = WIDE if wide else NARROW
    statement = state_other(subject, said, at, tables=tables, several=several)
    if statement:
        statement.edge = None if "'s " in subject else statement.edge
    return statement
