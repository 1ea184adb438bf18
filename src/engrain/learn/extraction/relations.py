"""What a clause says of somebody by what they are to the speaker: "my sister Anna lives in
Oslo"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.lexicons import read_regexes
from engrain.language.statements.predicates import PERSON
from engrain.learn.extraction.patterns import KIN, NAME, PET, unread
from engrain.learn.extraction.phrasing import drop_adverbs
from engrain.learn.extraction.statements import NARROW, WIDE, Statement, state, state_other
from engrain.learn.extraction.tastes import read_favourite, read_part
from engrain.learn.extraction.third_person import possessive, to_they

_KIN_PREDICATES = {
    "sister": "sibling", "brother": "sibling", "wife": "partner", "husband": "partner",
    "partner": "partner", "spouse": "partner", "girlfriend": "partner", "boyfriend": "partner",
    "fiance": "partner", "fiancee": "partner", "son": "child", "daughter": "child", "kid": "child",
    "mother": "parent", "father": "parent", "mom": "parent", "mum": "parent", "dad": "parent",
    "friend": "knows", "boss": "reports_to", "manager": "reports_to",
}  # fmt: skip
_PATTERNS = read_regexes("extraction", "relations")
_NAMED = _PATTERNS["named"]
_KIN = _PATTERNS["kin"]
_SEVERAL = _PATTERNS["several"]
_OWN = _PATTERNS["own"]
_COUNTRY = _PATTERNS["country"]
_MEANWHILE = _PATTERNS["meanwhile"]
_TRIP = _PATTERNS["trip"]
_APART = re.compile(rf"^(?P<name>{NAME}), my (?P<kin>{KIN}|{PET})\b")
_TOLD = _PATTERNS["told"]
_TOLD_PREDICATES = {
    "birthday": "birthday", "email": "email", "e-mail": "email", "email address": "email",
    "phone": "phone_number", "phone number": "phone_number", "nickname": "nickname",
    "pronouns": "pronouns", "timezone": "timezone", "time zone": "timezone", "major": "studies",
}  # fmt: skip


TOLD = unread("particulars", "My birthday is 3 May")
RELATIVE = unread("relative", "My sister Anna lives in Oslo")


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
