"""Extraction by rules: deterministic, without a model, precision before recall (S4.4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from engrain.language.lexicons import read_regexes, read_words
from engrain.language.statements.predicates import PERSON, PROJECT
from engrain.language.text.fences import without_fences
from engrain.learn.extraction.named import read_beside, read_decision, read_named
from engrain.learn.extraction.phrasing import clauses_of, strip_openers, trim_tail
from engrain.learn.extraction.plans import read_plan
from engrain.learn.extraction.relations import Told, read_asides, read_relations
from engrain.learn.extraction.screening import asserts, asserts_clause, told_to_remember
from engrain.learn.extraction.sentences import is_speech, split_sentences
from engrain.learn.extraction.statements import NARROW, WIDE, Statement, state
from engrain.learn.extraction.subjects import Subject, subject_of
from engrain.learn.transcripts.injected import request_in
from engrain.model.facts.fact import FactDraft
from engrain.model.facts.turns import AGENT, OPERATOR, OTHER, Turn
from engrain.seam.extractor import Extractor

_FIRST = re.compile(r"^I (?P<said>.+)$")
_TOOLS = read_words("extraction", "words")["tools"]
_PATTERNS = read_regexes("extraction", "rules")
_TOGETHER = _PATTERNS["together"]
_ELLIPTIC = _PATTERNS["elliptic"]
_PLACE = re.compile(r"[A-Z][^\W\dA-Z_]+(?:[ -][A-Z][^\W\dA-Z_]+)*")
_WE_ARE = _PATTERNS["we_are"]
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
            for told in _read(turn, subject, known):
                statement = told.statement
                name = subject.entity if subject and told.name == subject.called else told.name
                draft = FactDraft(
                    name,
                    statement.content,
                    entity_type=told.type,
                    edge=statement.edge,
                    at=turn.at,
                    valid_from=statement.begun,
                    confidence=statement.pattern.sure,
                )
                found.setdefault((draft.entity, draft.content), draft)
        return _with_whole_names(list(found.values()))


def _with_whole_names(drafts: list[FactDraft]) -> list[FactDraft]:
    """The drafts, those of "Apollo" under "Project Apollo" where that is what it is called too."""
    projects = {draft.entity for draft in drafts if draft.entity.startswith("Project ")}
    for draft in drafts:
        if f"Project {draft.entity}" in projects:
            draft.entity, draft.entity_type = f"Project {draft.entity}", PROJECT
    return drafts


def _read(turn: Turn, subject: Subject | None, people: Collection[str]) -> Iterator[Told]:
    if turn.role == AGENT:
        return
    text = request_in(turn.text) if turn.role == OPERATOR else without_fences(turn.text)
    for sentence in split_sentences(text):
        said = strip_openers(sentence.text)
        remembered = told_to_remember(said)
        said = said if remembered is None else remembered
        if not asserts(said, sentence.mark) or is_speech(said):
            continue
        yield from _sentence(said, turn, subject, people)


def _sentence(
    text: str, turn: Turn, subject: Subject | None, people: Collection[str]
) -> Iterator[Told]:
    yield from read_beside(text)
    yield from read_decision(text, turn.at)
    if subject:
        yield from read_asides(subject.called, text, turn.at, wide=turn.role == OTHER)
    for clause in clauses_of(text):
        if not asserts_clause(trim_tail(clause)):
            if (
                subject
                and turn.role == OTHER
                and (plan := read_plan(subject.called, clause, turn.at))
            ):
                yield Told(subject.called, PERSON, plan)
            continue
        told = list(_own(subject.called, clause, turn)) if subject else []
        yield from told or read_named(clause, turn.at, people)


def _own(speaker: str, clause: str, turn: Turn) -> Iterator[Told]:
    """What a clause tells of whoever says it."""
    wide = turn.role == OTHER
    told = list(read_relations(speaker, clause, turn.at, wide=wide))
    if told:
        yield from told
        return
    found = _FIRST.match(clause) or (_TOGETHER.match(clause) if wide else None)
    said = found["said"] if found else ""
    if wide and not found and (found := _ELLIPTIC.match(clause[:1].lower() + clause[1:])):
        said = found["said"]
        said = next((lead + said for begun, lead in _COMPLETED if said.startswith(begun)), said)
    if wide and not said and (found := _WE_ARE.match(clause)):
        said = "am " + found["said"]
    statement = state(speaker, said, turn.at, tables=WIDE if wide else NARROW) if said else None
    # "I moved to Redux" is told at work, of work: one moves home to a place.
    if statement and (turn.role != OPERATOR or _is_placed(statement)):
        yield Told(speaker, PERSON, statement)


def _is_placed(statement: Statement) -> bool:
    """Whether a move, if it is one, leads to what looks like a place."""
    if statement.pattern.name != "moved":
        return True
    place = statement.edge[1] if statement.edge else ""
    return _PLACE.fullmatch(place) is not None and place.lower() not in _TOOLS
