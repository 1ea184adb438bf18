"""Extraction by rules: deterministic, without a model, precision before recall (S4.4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.prompts import request_in
from engrain.language.statements.predicates import PERSON, PROJECT
from engrain.language.text.fences import without_fences
from engrain.language.text.sentences import SaidSentence, is_quoted, split_speech
from engrain.learn.extraction import phrasing, statements
from engrain.learn.extraction.statements import NARROW, WIDE, Attributed, ClauseDraft, state
from engrain.model.facts.entity import OPERATOR_ENTITY
from engrain.model.facts.fact import AGENT, DOCUMENT, OPERATOR, OTHER, FactDraft, Turn
from engrain.seam.llm import Extractor

_MOST = 20_000
"""Characters of a turn that are read: what is longer was pasted, not said."""
_LONGEST = 400
"""Characters of a sentence that is read."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_SPEECH = read_regexes("extraction", "sentences")
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_BREAK = re.compile(r"(?<![.!?…])([.!?…]++)[\"'”’)\]]*+(?=\s+[\"'“‘(\[]?[A-Z0-9]|\s*$)")
_TICKED = re.compile(r"`([^`\s]{1,40})`")


def split_sentences(text: str) -> Iterator[SaidSentence]:
    """Yield the sentences of a text in their order, each on one line."""
    text = _FENCE.sub("\n", text[:_MOST].replace("\r\n", "\n")).replace("’", "'")
    for line in text.split("\n"):
        if _SPEECH["passed"].search(line):
            continue
        line = _TICKED.sub(r"\1", _MARKER.sub("", line)).replace("**", "").replace("__", "")
        for part in _SPEECH["pictures"].split(line):
            for said in split_speech(part, _BREAK, _SPEECH["short"], " ,"):
                if said.text and len(said.text) <= _LONGEST and "`" not in said.text:
                    yield said


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


_FIRST = re.compile(r"^I (?P<said>.+)$")
_TOOLS = read_words("extraction", "words")["tools"]
_PATTERNS = read_regexes("extraction", "rules")
_WHOLE, _CLAUSE, _REQUEST, _REPORTED, _ENTREATY = map(
    _PATTERNS.__getitem__, ("whole", "clause", "request", "reported", "entreaty")
)
_PLACE = re.compile(r"[A-Z][^\W\dA-Z_]+(?:[ -][A-Z][^\W\dA-Z_]+)*")
_COMPLETED = (
    ("been ", "have "),
    ("working on ", "am "),
    ("studying ", "am "),
    ("learning ", "am "),
)


class RulesExtractor(Extractor):
    """By the tables of patterns."""

    name = "rules"

    def extract(self, turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
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
                    confidence=statement.sure,
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
        yield from _sentence(said, turn, subject, people)


def _sentence(
    text: str, turn: Turn, subject: Speaker | None, people: Collection[str]
) -> Iterator[Attributed]:
    yield from statements.read_decision(text, turn.at)
    for clause in phrasing.clauses_of(text):
        core = phrasing.trim_tail(clause)
        if not _CLAUSE.search(core) and not _REPORTED.search(core):
            own = list(_own(subject.called, clause, turn)) if subject else []
            yield from own or statements.read_named(clause, turn.at, people)


def _own(speaker: str, clause: str, turn: Turn) -> Iterator[Attributed]:
    wide = turn.role == OTHER
    related = list(statements.read_relations(speaker, clause, turn.at, wide=wide))
    yield from related
    said = "" if related else _predicate(clause, wide=wide)
    statement = state(speaker, said, turn.at, tables=WIDE if wide else NARROW) if said else None
    # "I moved to Redux" is said at work, of work: one moves home to a place.
    if statement and (turn.role != OPERATOR or _is_placed(statement)):
        yield Attributed(speaker, PERSON, statement)


def _predicate(clause: str, *, wide: bool) -> str:
    """Return what a clause says behind "I", "" for nothing; `wide` also reads "we"."""
    if found := _FIRST.match(clause) or (_PATTERNS["together"].match(clause) if wide else None):
        return found["said"]
    if not wide:
        return ""
    if found := _PATTERNS["elliptic"].match(clause[:1].lower() + clause[1:]):
        said = found["said"]
        return next((lead + said for begun, lead in _COMPLETED if said.startswith(begun)), said)
    return ""


def _is_placed(statement: ClauseDraft) -> bool:
    """Return whether a move, if it is one, leads to something that looks like a place."""
    if statement.pattern != "moved":
        return True
    place = statement.edge[1] if statement.edge else ""
    return _PLACE.fullmatch(place) is not None and place.lower() not in _TOOLS
