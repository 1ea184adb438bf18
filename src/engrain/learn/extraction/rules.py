"""Extraction by rules: deterministic, without a model, precision before recall (S4.4).

What a sentence says of the subject that it names, or of who speaks, is read by the wordings of
`claims.txt`, by which facts are compared, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from engrain.language.lexicons import (
    expand,
    read_fragments,
    read_lines,
    read_regexes,
    read_words,
    vocabulary,
)
from engrain.language.prompts import request_in
from engrain.language.statements.facts import Claim, is_loose, read_claims
from engrain.language.statements.predicates import COMPANY, PERSON, PROJECT, find_predicate
from engrain.language.text.fences import without_fences
from engrain.language.text.sentences import is_quoted
from engrain.learn.extraction import phrasing
from engrain.learn.extraction.phrasing import Attributed, ClauseDraft, split_sentences
from engrain.learn.extraction.work import read_work
from engrain.model.facts.entity import OPERATOR_ENTITY
from engrain.model.facts.fact import AGENT, DOCUMENT, OPERATOR, FactDraft, Turn

_MY = re.compile(r"\bmy\b")
"""A pattern with "my" also reads "our"."""


def _read_states() -> Iterator[re.Pattern[str]]:
    """Yield each pattern of a life, which stands below its example."""
    fragments = read_fragments("extraction")
    for _, *lines in read_lines("extraction", "states").values():
        pattern = expand("".join(lines), fragments)
        yield re.compile(_MY.sub("(?:my|our)", pattern))


_STATES = tuple(_read_states())

_FEWEST, _MOST_WORDS = 3, 34
"""Words of a statement."""

_POINTING = read_regexes("extraction", "statements")["pointing"]
_THEM = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_COMING = re.compile(r"\b(?:am|is) (?:moving|relocating|starting|switching|getting|opening)\b")


def _by_itself(text: str) -> bool:
    """Return whether a text can be understood alone."""
    return not (_POINTING.search(text) or _THEM.search(text))


def _is_whole(text: str) -> bool:
    closed = text.count('"') % 2 == 0 and text.count("(") == text.count(")")
    return closed and _FEWEST <= len(text.split()) <= _MOST_WORDS


_OF_PEOPLE = vocabulary(
    "works_at job_title lives_in partner marital_status diet speaks allergic_to reports_to age"
    " birthday email phone_number nickname pronouns timezone name car"
)
"""The relations that are read of who speaks."""
_OF_COMPANIES = vocabulary(
    "headquarters headcount valuation funding founded founder ceo cto cfo coo owned_by"
)
_OF_PROJECTS = vocabulary(
    "uses owner deadline release_date start_date budget sponsor database repository version license"
    " status product_owner hosting region port"
)
_TYPES = {
    **dict.fromkeys(_OF_PROJECTS, ""),
    **dict.fromkeys(_OF_PEOPLE, PERSON),
    **dict.fromkeys(_OF_COMPANIES, COMPANY),
}
"""The relations that are read of what a sentence names, and the type of what has them."""
_WORDED = ("job_title", "marital_status", "diet", "status", "pronouns", "allergic_to", "car")
"""The relations whose value is a plain word; of others it looks like a name or a number."""
_VALUE = re.compile(r"[A-Z0-9$€£\"']|.*\d|.*@")
_NAMED = read_regexes("extraction", "named")
_NOBODY = read_words("extraction", "words")["nobodies"]


def _find_claim(text: str, name: str, predicates: Collection[str]) -> Claim | None:
    """Return the first of some relations that a sentence about a `name` states."""
    for claim in read_claims(text, [name]):
        plain = claim.predicate in _WORDED or _VALUE.match(claim.value)
        if plain and claim.predicate in predicates and ":" not in text:
            return claim
    return None


def _draft(text: str, claim: Claim | None, begun: float | None, at: float | None) -> ClauseDraft:
    """Return a fact of a sentence. What is to come does not hold yet and says nothing against what
    does; a deadline holds."""
    edge = (claim.predicate, claim.value) if claim and not claim.denied else None
    if _COMING.search(text) or (at is not None and begun is not None and begun > at):
        row = find_predicate(edge[0]) if edge else None
        edge, begun = edge if row and row.ahead else None, None
    return ClauseDraft(f"{text[:1].upper()}{text[1:]}.", edge, begun)


def read_named(clause: str, at: float | None, people: Collection[str]) -> Iterator[Attributed]:
    """Yield the fact of a clause about a subject that it names. `people` are known names."""
    said = phrasing.trim_tail(_NAMED["project"].sub(r"Project \1", clause)).strip(" ,")
    found = _NAMED["subject"].match(said)
    if found is None or not _by_itself(said):
        return
    name = found["name"].removesuffix("'s")
    timed = phrasing.resolve_times(said, at)
    claim = _find_claim(timed.text, name, _TYPES) if _is_name(name, people) else None
    if claim is not None and _is_whole(timed.text):
        project = PROJECT if name.lower().startswith("project ") else ""
        type_ = project or _TYPES[claim.predicate]
        name = name[:1].upper() + name[1:]
        yield Attributed(name, type_, _draft(timed.text, claim, timed.begun, at))


def _is_name(name: str, people: Collection[str]) -> bool:
    if name in people:
        return True
    words = name.lower().split()
    vague = len(words) == 1 and words[0].endswith(("ing", "ly"))
    return words[0] not in _NOBODY and not vague and len(name) > 1


_CALLED = "The operator"
_NO_NAME = re.compile(
    r"^(?:unknown\b.*|(?:speaker|user|human|assistant|unknown|participant|person|guest|caller"
    r"|host|system|me|you|customer|agent|ai|bot)"
    r"[\s_#-]*+\w?\d*)$",
    re.IGNORECASE,
)


@dataclass(slots=True, eq=False)
class Speaker:
    """A speaker: the `entity` that facts of them are about, and what they are `called` in them."""

    entity: str
    called: str


def subject_of(turn: Turn) -> Speaker | None:
    """Return whom the first person of a turn means; None if it is unclear, and for the agent."""
    if turn.role in (AGENT, DOCUMENT):
        return None
    name = " ".join(turn.speaker.split())
    if name and not _NO_NAME.match(name):
        return Speaker(name, name)
    return Speaker(OPERATOR_ENTITY, _CALLED) if turn.role == OPERATOR else None


_FIRST = re.compile(r"^(?:I (?P<said>.++)|[Mm]y (?P<what>(?=.+ (?:is|are) .).++))$")
_PATTERNS = read_regexes("extraction", "rules")
_WHOLE, _REQUEST, _ENTREATY = map(_PATTERNS.__getitem__, ("whole", "request", "entreaty"))


def find_facts(turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
    """Return the durable facts in some turns of one conversation, in their order, as drafts whose
    source the caller fills in. `people` are names of known entities. No text makes it raise an
    error."""
    found: dict[tuple[str, str], FactDraft] = {}
    known = frozenset(people) | {turn.speaker for turn in turns if turn.speaker}
    for turn in turns:
        subject = subject_of(turn)
        for drawn in _read(turn, subject, known):
            statement = drawn.draft
            name = subject.entity if subject and drawn.name == subject.called else drawn.name
            draft = FactDraft(
                name,
                statement.content,
                entity_type=drawn.type,
                edge=statement.edge,
                at=turn.at,
                valid_from=statement.begun,
                confidence=phrasing.SURE,
            )
            found.setdefault((draft.entity, draft.content), draft)
    # "Apollo" is "Project Apollo" where it is called that too.
    projects = {draft.entity for draft in found.values()}
    for draft in found.values():
        if (whole := f"Project {draft.entity}") in projects:
            draft.entity, draft.entity_type = whole, PROJECT
    return list(found.values())


def _read(turn: Turn, subject: Speaker | None, people: Collection[str]) -> Iterator[Attributed]:
    if turn.role == AGENT:
        return
    text = request_in(turn.text) if turn.role == OPERATOR else without_fences(turn.text)
    for sentence in split_sentences(text):
        said = _ENTREATY.sub("", phrasing.strip_openers(sentence.text))
        if sentence.asks or _WHOLE.search(said) or _REQUEST.match(said) or is_quoted(said):
            continue
        if stated := list(read_work(said, turn.at)):
            yield from stated
            continue
        for clause in phrasing.clauses_of(said):
            own = list(_own(subject.called, clause, turn)) if subject else []
            yield from own or read_named(clause, turn.at, people)


def _own(speaker: str, clause: str, turn: Turn) -> Iterator[Attributed]:
    """Yield the fact that a clause of the first person states about who speaks."""
    found = _FIRST.match(clause)
    said = phrasing.trim_tail(found["said"] or found["what"]).strip(" ,") if found else ""
    if found is None or not _by_itself(said):
        return
    timed = phrasing.resolve_times(said, turn.at)
    if found["what"]:
        text = f"{speaker}'s {phrasing.to_they(timed.text)}"
    else:
        text = f"{speaker} {phrasing.to_third(timed.text)}"
    claim = _find_claim(text, speaker, _OF_PEOPLE)
    lives = found["said"] and any(pattern.match(timed.text) for pattern in _STATES)
    lives = lives and not is_loose(text)
    if (claim or lives) and _is_whole(text):
        yield Attributed(speaker, PERSON, _draft(text, claim, timed.begun, turn.at))
