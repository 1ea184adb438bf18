"""What is said of somebody or something by name: "Alice moved to Berlin", "Bob (CTO at Acme)",
"we agreed that Project Apollo uses Postgres"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.statements.predicates import COMPANY, PERSON, PROJECT
from engrain.learn.extraction.phrasing import trim_tail
from engrain.learn.extraction.statements import (
    COMPANIES,
    NAME,
    PROJECTS,
    STATES,
    Attributed,
    Draft,
    Pattern,
    by_itself,
    state_other,
)
from engrain.learn.extraction.timing import settle_times

_PATTERNS = read_regexes("extraction", "named")
_SUBJECT = _PATTERNS["subject"]
_ROLE = (
    r"(?:(?:(?!(?:I|am|is|was|are|we|he|she|who|the|and|an?|that|this|our|my|you|as)\b)"
    r"[A-Za-z-]+ ){0,3}(?:CEO|CTO|CFO|COO|CMO|VP|engineer|developer"
    r"|designer|manager|director|lead|head|founder|co-founder|analyst|consultant"
    r"|scientist|owner|president|partner|recruiter|architect|accountant|lawyer"
    r"|editor|researcher|nurse|doctor|teacher"
    r"|professor)(?: of [a-z]+)?)"
)
_BESIDE = re.compile(
    rf"\b(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+){{0,2}})(?: \(|, )(?:the |our "
    rf"|an? )?(?P<role>{_ROLE})(?: (?:at|of|@|from"
    rf"|for) (?P<company>{NAME}))?(?:\)|,|$)"
)
_VALUE = re.compile(r"[A-Z0-9$€£\"']|.*\d|.*@")
_DECIDES = re.compile(r"\b(?:decided|decision|agreed|agree)\b", re.IGNORECASE)
_NOBODY = read_words("extraction", "words")["nobodies"]
_OWNED_TYPES = {
    "birthday": PERSON,
    "email": PERSON,
    "headquarters": COMPANY,
    "ceo": COMPANY,
    "cto": COMPANY,
    "cfo": COMPANY,
    "coo": COMPANY,
    "founder": COMPANY,
    "office": COMPANY,
}


def read_named(clause: str, at: float | None, people: Collection[str]) -> Iterator[Attributed]:
    """The facts of a clause about a subject that it names. `people` are known names."""
    found = _PATTERNS["owned"].match(clause) or _PATTERNS["owned_by"].match(clause)
    if found and _is_name(found["name"], people):
        yield from _owned(found, at)
    elif (found := _SUBJECT.match(clause)) and _is_name(found["name"], people):
        yield from _said_of(_written(found["name"], found["project"]), found["said"], at)


def read_beside(sentence: str) -> Iterator[Attributed]:
    """The offices that a sentence mentions beside names: "Bob (CTO at Acme)"."""
    for found in _BESIDE.finditer(sentence):
        name, role, company = found["name"], found["role"], found["company"]
        if not _is_name(name, ()) or (company is None and "(" not in found[0]):
            continue
        edge = ("works_at", company) if company else ("job_title", role)
        sentence = f"{name} is {role}{' at ' + company if company else ''}."
        yield Attributed(name, PERSON, Draft(sentence, edge))


def read_decision(sentence: str, at: float | None) -> Iterator[Attributed]:
    """The fact that a decision states about a project it names."""
    if not _DECIDES.search(sentence) or not (found := _PATTERNS["decided"].match(sentence)):
        return
    rest = found["rest"].strip()
    if use := _PATTERNS["use_for"].match(rest):
        name = _written(use["name"], None)
        yield Attributed(
            name, PROJECT, Draft(f"{name} uses {use['tool']}.", ("uses", use["tool"]), at)
        )
    elif (said := _SUBJECT.match(rest)) and said["name"].split()[0].lower() not in _NOBODY:
        yield from _said_of(_written(said["name"], said["project"]), said["said"], at)


def _owned(found: re.Match[str], at: float | None) -> Iterator[Attributed]:
    name = _written(found["name"], found["project"])
    value = by_itself(trim_tail(found["value"]))
    what = found["what"]
    if value is None or not (what == "status" or _VALUE.match(value)):
        return
    type_ = _OWNED_TYPES.get(
        what.lower(), PROJECT if name.lower().startswith("project ") or found["project"] else ""
    )
    value = settle_times(value, at).text
    content = f"{name}'s {what} is {value}."
    key = re.sub(r"^(?:new|current|main|hard|next) ", "", what.lower()).replace(" ", "_")
    yield Attributed(name, type_, Draft(content, (key, value)))


def _said_of(name: str, said: str, at: float | None) -> Iterator[Attributed]:
    for tables, type_ in _tables(name):
        if statement := state_other(name, said, at, tables=(tables,)):
            yield Attributed(name, type_, statement)
            return


def _tables(name: str) -> Sequence[tuple[Sequence[Pattern], str]]:
    """By which tables a name is read, and what it is then: "moved to" is said of people and of
    projects, so that it takes a word that it is a project."""
    if name.lower().startswith("project "):
        return ((PROJECTS, PROJECT),)
    if _PATTERNS["company_mark"].search(name):
        return ((COMPANIES, COMPANY), (PROJECTS[:-1], COMPANY))
    return ((COMPANIES, COMPANY), (PROJECTS[:-1], ""), (STATES, PERSON))


def _written(name: str, project: str | None) -> str:
    name = name.removesuffix("'s")
    return f"Project {name}" if project else name[:1].upper() + name[1:]


def _is_name(name: str, people: Collection[str]) -> bool:
    if name in people:
        return True
    words = name.lower().split()
    vague = len(words) == 1 and words[0].endswith(("ing", "ly"))
    return words[0] not in _NOBODY and not vague and len(name) > 1
