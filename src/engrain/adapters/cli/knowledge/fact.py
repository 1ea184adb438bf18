"""`engrain fact`: what is known of people, companies and projects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, MemoryCommand, TypedCommand, argument, option
from engrain.adapters.cli.knowledge.entity import (
    OfEntity,
    describe_fact,
    fact_list,
    summarize_entity,
)
from engrain.adapters.cli.reading import read_date, read_text
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import clean_line, redacted_lines, style
from engrain.api.memory import Memory
from engrain.engine.entities.facts import REFUSED, FactOutcome
from engrain.engine.entities.files import FiledEntity
from engrain.model.errors import UsageError
from engrain.model.facts.fact import SOURCES, Fact
from engrain.model.facts.intake import DISPUTED, HELD_ONCE, REINFORCED, SUPERSEDING, UNCHANGED

_COLOURS = {DISPUTED: "warning", REFUSED: "bad", UNCHANGED: "dim"}
_OF_OTHERS = {
    SUPERSEDING: "no longer so",
    DISPUTED: "says otherwise, and it is not clear which holds",
    HELD_ONCE: "said otherwise later",
}


@dataclass(kw_only=True)
class AddFact(TypedCommand):
    """Add a fact about a person, a company or a project."""

    examples = """
engrain fact add --entity "Alice Moreau" --type person "Alice Moreau speaks Dutch."
engrain fact add --entity Alice --edge works_at:Acme "Alice Moreau works at Acme."
engrain fact add --entity Apollo --type project --date 2026-03-01 "Apollo uses Postgres."
"""
    text: str = argument("one statement, or -", "TEXT")
    entity: str = option("the entity the fact is about", "E", required=True)
    type: str | None = option("person, company, project, …", "T")
    edge: str | None = option("the fact as a relation, such as works_at:Acme", "P:O")
    date: str | None = option("the date it was stated; else now", "D")
    since: str | None = option("valid from", "D")
    until: str | None = option("valid until", "D")
    source: str | None = option("the type of source; else manual", choices=SOURCES)
    ref: str | None = option("which meeting, session or file", "REF")
    confidence: float | None = option("from 0 to 1", "C")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.facts.add(
            self.entity,
            read_text(self.text),
            type=self.type or "",
            edge=None if self.edge is None else _read_edge(self.edge),
            source=self.source or "manual",
            ref=self.ref,
            at=read_date(self.date),
            valid_from=read_date(self.since),
            valid_to=read_date(self.until),
            confidence=self.confidence,
        )
        data = fields(outcome, "outcome entity=slug id others reason maybe redacted")
        return data, _outcome_lines(outcome, memory.facts.entity(outcome.slug))


def _read_edge(text: str) -> tuple[str, str]:
    predicate, _, object_ = (part.strip() for part in text.partition(":"))
    if not (predicate and object_):
        raise UsageError(
            f"{text[:60]!r} is no relation",
            remedy="give a predicate and an object, such as works_at:Acme",
        )
    return predicate, object_


@dataclass(kw_only=True)
class ListFacts(OfEntity, MemoryCommand):
    """List the facts of an entity."""

    examples = """
engrain fact list alice-moreau --all
engrain fact list alice --as-of 2025-06-01
"""

    def run_in(self, memory: Memory) -> Answer:
        filed, facts = self.choose(memory, whole=self.all)
        return summarize_entity(filed, facts, ""), fact_list(filed, facts)


@dataclass(kw_only=True)
class ShowFact(TypedCommand):
    """Show a fact."""

    entity: str = argument("any name of an entity", "ENTITY")
    fact: str = argument("the fact's id", "FACT")

    def run_in(self, memory: Memory) -> Answer:
        return _answer(*memory.facts.show(self.entity, self.fact))


@dataclass(kw_only=True)
class SettleFact(ShowFact):
    """Say which of disputed facts holds."""

    examples = "engrain fact settle alice-moreau 8f3k2m1x"

    def run_in(self, memory: Memory) -> Answer:
        return _answer(*memory.facts.settle(self.entity, self.fact))


def _answer(filed: FiledEntity, fact: Fact) -> Answer:
    data = {"entity": filed.slug, **describe_fact(fact)}
    others = filter(None, map(filed.entity.find, filter(None, [fact.supersedes, *fact.disputes])))
    about = [f"about it: {clean_line(other.content)}" for other in others]
    return data, [*outline_lines(data), *about]


@dataclass(kw_only=True)
class ForgetFact(ShowFact):
    """Forget a fact."""

    examples = 'engrain fact forget alice-moreau 8f3k2m1x --reason "a joke"'
    reason: str | None = option("kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        filed, fact = memory.facts.forget(self.entity, self.fact, self.reason or "")
        lines = [f"forgotten: {fact.content}", f"  of {filed.slug}; `engrain undo` brings it back"]
        return {"entity": filed.slug, **describe_fact(fact)}, lines


def _outcome_lines(outcome: FactOutcome, filed: FiledEntity) -> Iterator[str]:
    fact = filed.entity.find(outcome.id)
    word = style(_COLOURS.get(outcome.outcome, "good"), outcome.outcome)
    said = "" if fact is None else f" {clean_line(fact.content)}"
    yield f"{word}{said}"
    name = f"{clean_line(filed.entity.name)} ({clean_line(filed.slug)})"
    times = f", met {fact.seen + 1} times" if fact and outcome.outcome == REINFORCED else ""
    yield style("dim", f"  of {name}, {clean_line(outcome.id)}{times}")
    for id_ in outcome.others:
        other = filed.entity.find(id_)
        if other is not None:
            said = _OF_OTHERS.get(outcome.outcome, "see")
            if outcome.outcome == SUPERSEDING and other.active:
                said = f"holds until {clean_line(other.valid_to or '')[:10]}"
            yield f"  {said}: {clean_line(other.content)}"
    if outcome.outcome == DISPUTED:
        yield style("dim", f"  `engrain fact settle {filed.slug} ID` says which holds")
    if outcome.maybe:
        others = ", ".join(map(clean_line, outcome.maybe))
        yield style("warning", f"  the name may also mean {others}: merge what is one")
    yield from redacted_lines(outcome.redacted)


COMMAND = {
    "list": ListFacts,
    "add": AddFact,
    "show": ShowFact,
    "forget": ForgetFact,
    "settle": SettleFact,
}
