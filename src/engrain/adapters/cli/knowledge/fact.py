"""`engrain fact`: what is known of people, companies and projects."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.knowledge.entity import (
    choose_facts,
    describe_fact,
    fact_list,
    summarize_entity,
)
from engrain.adapters.cli.options import (
    TRUST,
    Answer,
    Arguments,
    Command,
    one_of,
    open_typed,
    read_date,
    read_text,
    take_words,
)
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import bold, clean_line, fact_lines, redacted_lines, style
from engrain.api.memory import Memory
from engrain.engine.entities.facts import REFUSED, FactOutcome
from engrain.engine.entities.files import FiledEntity
from engrain.model.errors import UsageError
from engrain.model.facts.fact import SOURCES, Fact
from engrain.model.facts.intake import DISPUTED, HELD_ONCE, REINFORCED, SUPERSEDING, UNCHANGED

_WORDS = {
    "add": "TEXT",
    "list": "ENTITY",
    "show": "ENTITY FACT",
    "forget": "ENTITY FACT",
    "settle": "ENTITY FACT",
}
_COLOURS = {DISPUTED: "warning", REFUSED: "bad", UNCHANGED: "dim"}
_OF_OTHERS = {
    SUPERSEDING: "no longer so",
    DISPUTED: "says otherwise, and it is not clear which holds",
    HELD_ONCE: "said otherwise later",
}


def _check(args: Arguments) -> None:
    take_words("fact", _WORDS)(args)
    if args.action == "add" and not args.entity:
        raise UsageError("the fact needs an entity", remedy="give --entity NAME")


def _add(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.facts.add(
        args.entity,
        read_text(args.words[0]),
        type=args.type or "",
        edge=None if args.edge is None else _read_edge(args.edge),
        source=args.source or "manual",
        ref=args.ref,
        at=read_date(args.date),
        valid_from=read_date(args.since),
        valid_to=read_date(args.until),
        confidence=args.confidence,
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


def _list(memory: Memory, args: Arguments) -> Answer:
    filed, facts = choose_facts(memory, args, whole=args.all)
    return summarize_entity(filed, facts, ""), fact_list(filed, facts)


def _show(memory: Memory, args: Arguments) -> Answer:
    act = memory.facts.show if args.action == "show" else memory.facts.settle
    filed, fact = act(*args.words)
    data = {"entity": filed.slug, **describe_fact(fact)}
    return data, _whole_lines(filed, fact)


def _forget(memory: Memory, args: Arguments) -> Answer:
    entity, fact_id = args.words
    filed, fact = memory.facts.forget(entity, fact_id, args.reason or "")
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


def _whole_lines(filed: FiledEntity, fact: Fact) -> Iterator[str]:
    yield bold(fact.content)
    edge = fact.edge
    values = {
        "id": fact.id,
        "of": f"{filed.entity.name} ({filed.slug})",
        "status": f"{fact.status}, disputed" if fact.disputes else fact.status,
        "said": fact.created_at,
        "again": fact.met,
        "since": fact.valid_from,
        "until": fact.valid_to,
        "source": " ".join(filter(None, (fact.source, fact.source_ref))),
        "met": f"{fact.seen + 1} times" if fact.seen else "",
        "also in": ", ".join(fact.refs),
        "edge": f"{edge.subject} {edge.predicate} {edge.object}" if edge else "",
        "origin": fact.trust,
        "sure": "" if fact.confidence is None else f"{fact.confidence:.2f}",
    }
    yield from fact_lines(values)
    for label, ids in (("replaced", [fact.supersedes]), ("disputes", fact.disputes)):
        for id_ in filter(None, ids):
            other = filed.entity.find(id_)
            yield f"{style('dim', f'{label:<9}')}{clean_line(other.content if other else id_)}"


COMMAND = Command(
    {"add": _add, "list": _list, "show": _show, "forget": _forget, "settle": _show},
    f"""
<add|list|show|forget|settle>  the action
words=TEXT|ENTITY [FACT]*  one statement to add, or -; else any name of an entity, and a
                    fact's id
--entity E          add: the entity the fact is about
--type T            add: person, company, project, …
--edge P:O          add: the fact as a relation, such as works_at:Acme
--date D            add: the date it was stated; else now
--since D           add: valid from
--until D           add: valid until
--source {one_of(SOURCES)}  add: the type of source; else manual
--ref REF           add: which meeting, session or file
--confidence C/float  add: from 0 to 1
{TRUST}
--all               list: include facts that are no longer valid
--as-of D           list: facts valid on that date
--known-at D        list: use only what was recorded up to that date
--reason WHY        forget: kept in the history
$ engrain fact add --entity "Alice Moreau" --type person "Alice Moreau speaks Dutch."
$ engrain fact add --entity Alice --edge works_at:Acme "Alice Moreau works at Acme."
$ engrain fact add --entity Apollo --type project --date 2026-03-01 "Apollo uses Postgres."
$ engrain fact list alice-moreau --all
$ engrain fact list alice --as-of 2025-06-01
$ engrain fact settle alice-moreau 8f3k2m1x
$ engrain fact forget alice-moreau 8f3k2m1x --reason "a joke"
""",
    check=_check,
    strict=True,
    opens=open_typed,
)
