"""Entities and facts as plain data, and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean_line
from engrain.engine.entities.files import Filed
from engrain.engine.entities.planning import REFUSED, FactOutcome
from engrain.model.facts.fact import Fact
from engrain.model.facts.intake import DISPUTED, HELD_ONCE, REINFORCED, SUPERSEDING, UNCHANGED
from engrain.model.note.tiers import ACTIVE

_SHORT = 8
_COLOURS = {DISPUTED: "warning", REFUSED: "bad", UNCHANGED: "dim"}
_OF_OTHERS = {
    SUPERSEDING: "no longer so",
    DISPUTED: "says otherwise, and it is not clear which holds",
    HELD_ONCE: "said otherwise later",
}


def describe_fact(fact: Fact) -> Data:
    """The seed's object, and beside it what else is known."""
    return {**fact.document(), "engrain": fact.bookkeeping()}


def describe_fact_outcome(outcome: FactOutcome) -> Data:
    return {
        "outcome": outcome.outcome,
        "entity": outcome.slug,
        "id": outcome.id,
        "others": list(outcome.others),
        "reason": outcome.reason,
        "maybe": list(outcome.maybe),
        "redacted": list(outcome.redacted),
    }


def describe_entity(filed: Filed) -> Data:
    """An entity in short, as a list has it."""
    entity = filed.entity
    return {
        "id": filed.id,
        "slug": filed.slug,
        "path": filed.locator,
        "name": entity.name,
        "type": entity.type,
        "aliases": list(entity.aliases),
        "status": filed.status,
        "facts": len(entity.facts),
        "active": len(entity.active),
        "disputed": len(filed.disputed),
        "maybe": list(filed.maybe),
        "updated": filed.note.own.get("updated"),
    }


def describe_whole(filed: Filed, facts: Iterable[Fact], summary: str) -> Data:
    """An entity with facts, and how a person would tell of it."""
    return {
        **describe_entity(filed),
        "summary": summary,
        "items": [describe_fact(fact) for fact in facts],
    }


def fact_outcome_lines(outcome: FactOutcome, filed: Filed, style: Style) -> Iterator[str]:
    """What became of a fact, and of those that it concerns."""
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
    if outcome.redacted:
        yield style("warning", f"  redacted: {', '.join(outcome.redacted)}")


def entity_list_lines(entities: Sequence[Filed], style: Style) -> Iterator[str]:
    for filed in entities:
        entity = filed.entity
        facts = f"{len(entity.active)} facts" if len(entity.active) != 1 else "1 fact"
        past = f", {len(entity.historical)} no longer so" if entity.historical else ""
        disputed = f", {len(filed.disputed)} disputed" if filed.disputed else ""
        about = f"{clean_line(entity.type)}, " if entity.type else ""
        yield f"{style('title', clean_line(entity.name))}  {style('dim', clean_line(filed.slug))}"
        line = f"  {about}{facts}{past}"
        yield f"{style('dim', line)}{style('warning', disputed)}"
        if entity.aliases:
            known = ", ".join(map(clean_line, entity.aliases))
            yield style("dim", f"  also known as {known}")
    if not entities:
        yield "No entities."


def entity_lines(filed: Filed, facts: Sequence[Fact], summary: str, style: Style) -> Iterator[str]:
    """An entity told, and its facts with where they come from."""
    for line in summary.strip().splitlines():
        if line.startswith("# "):
            yield style("title", clean_line(line[2:]))
        else:
            yield line
    if filed.maybe:
        others = ", ".join(map(clean_line, filed.maybe))
        yield style("warning", f"This may be {others}.")
    if filed.status != ACTIVE:
        back = f"`engrain restore {clean_line(filed.id)}` takes it back"
        yield style("warning", f"It is {clean_line(filed.status)}: {back}.")
    yield ""
    yield from fact_lines(filed, facts, style)


def fact_lines(filed: Filed, facts: Sequence[Fact], style: Style) -> Iterator[str]:
    """Facts, the newest first: what is disputed has a question mark, what held once a dash."""
    for fact in sorted(facts, key=lambda fact: (fact.since or 0.0, fact.id), reverse=True):
        mark = style("warning", "?") if fact.disputes else "•" if fact.active else style("dim", "–")
        yield f"{mark} {clean_line(fact.content)}"
        yield style("dim", f"    {_told(filed, fact)}")
    if not facts:
        yield "No facts."


def whole_fact_lines(filed: Filed, fact: Fact, style: Style) -> Iterator[str]:
    """One fact with all that is known of it."""
    yield style("title", clean_line(fact.content))
    edge = fact.edge
    told = {
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
    for name, value in told.items():
        if value:
            yield f"{style('dim', f'{name:<9}')}{clean_line(str(value))}"
    for label, ids in (("replaced", [fact.supersedes]), ("disputes", fact.disputes)):
        for id_ in filter(None, ids):
            other = filed.entity.find(id_)
            yield f"{style('dim', f'{label:<9}')}{clean_line(other.content if other else id_)}"


def _told(filed: Filed, fact: Fact) -> str:
    """When and where it was said, what it replaced, and by which it is found."""
    said = fact.valid_from or fact.created_at
    parts = [clean_line(fact.id)[-_SHORT:], "undated" if said is None else clean_line(said)[:10]]
    if fact.valid_to:
        parts[-1] += f" to {clean_line(fact.valid_to)[:10]}"
    parts.append(clean_line(" ".join(filter(None, (fact.source, fact.source_ref)))))
    if fact.seen:
        parts.append(f"met {fact.seen + 1} times")
    if fact.trust != "operator":
        parts.append(f"{clean_line(fact.trust)} said")
    replaced = filed.entity.find(fact.supersedes) if fact.supersedes else None
    if replaced is not None:
        parts.append(f"replaced: {clean_line(replaced.content)}")
    return ", ".join(parts)
