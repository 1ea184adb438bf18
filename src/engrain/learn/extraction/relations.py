"""What a clause says of somebody by what they are to the speaker: "my sister Anna lives in
Oslo"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.lexicons import read_regexes, read_synonyms
from engrain.language.statements.predicates import PERSON
from engrain.learn.extraction.patterns import PET
from engrain.learn.extraction.phrasing import drop_adverbs
from engrain.learn.extraction.statements import NARROW, WIDE, Statement, Told, state, state_other
from engrain.learn.extraction.tastes import read_favourite, read_part
from engrain.learn.extraction.third_person import possessive, to_they

_KIN_PREDICATES = read_synonyms("extraction", "kin")
_PATTERNS = read_regexes("extraction", "relations")
_NAMED = _PATTERNS["named"]
_KIN = _PATTERNS["kin"]
_SEVERAL = _PATTERNS["several"]
_OWN = _PATTERNS["own"]
_COUNTRY = _PATTERNS["country"]
_MEANWHILE = _PATTERNS["meanwhile"]
_TRIP = _PATTERNS["trip"]
_APART = _PATTERNS["apart"]
_TOLD = _PATTERNS["told"]
_TOLD_PREDICATES = read_synonyms("extraction", "particulars")


def read_relations(speaker: str, clause: str, at: float | None, *, wide: bool) -> Iterator[Told]:
    """The facts in a clause that begins with "my", or ends in "my favourite"."""
    whose = possessive(speaker)
    found = _SEVERAL.match(clause) or (_OWN.match(clause) if wide else None)
    if statement := read_favourite(speaker, clause):
        yield Told(speaker, PERSON, statement)
    elif told := _TOLD.match(clause):
        yield Told(speaker, PERSON, _particular(whose, told))
    elif (named := _NAMED.match(clause)) or (named := _APART.match(clause)):
        yield _named(speaker, named["kin"], named["name"])
    elif kin := _KIN.match(clause):
        yield from _relative(speaker, kin, at, wide=wide)
    elif wide and (statement := read_part(speaker, clause)):
        yield Told(speaker, PERSON, statement)
    elif found:
        several = "kin" in found.groupdict()
        subject = f"{whose} {found['kin' if several else 'own']}"
        if statement := _of(subject, found["said"], at, wide=wide, several=several):
            yield Told(speaker, PERSON, statement)


def _particular(whose: str, found: re.Match[str]) -> Statement:
    """ "My birthday is 3 May" as a statement."""
    what, value = found["what"].lower(), found["value"].strip()
    predicate = _TOLD_PREDICATES.get(what)
    verb = "are" if what in ("pronouns", "hobbies") else "is"
    edge = (predicate, value) if predicate else None
    return Statement(f"{whose} {what} {verb} {to_they(value)}.", edge)


def read_asides(speaker: str, sentence: str, at: float | None, *, wide: bool) -> Iterator[Told]:
    """The facts that a sentence mentions in passing: "in my home country, Sweden"."""
    if found := _COUNTRY.search(sentence):
        content = f"{possessive(speaker)} {found['what'].lower()} is {found['value']}."
        yield Told(speaker, PERSON, Statement(content))
    if wide and (found := _TRIP.search(sentence)):
        content = f"{speaker} had a {found['what']} to {found['where']}."
        yield Told(speaker, PERSON, Statement(content))
    if wide and (found := _MEANWHILE.search(sentence)):
        said = drop_adverbs(found["said"])
        if statement := state(speaker, said, at, tables=WIDE):
            yield Told(speaker, PERSON, statement)


def _named(speaker: str, kin: str, name: str) -> Told:
    """ "My sister Anna" as a fact about the speaker."""
    if re.fullmatch(PET, kin):
        pet = Statement(f"{speaker} has a {kin} named {name}.", ("has_pet", name))
        return Told(speaker, PERSON, pet)
    predicate = _KIN_PREDICATES.get(kin.split()[-1])
    edge = (predicate, name) if predicate else None
    return Told(speaker, PERSON, Statement(f"{possessive(speaker)} {kin} is {name}.", edge))


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
