"""Judges the facts of an entity anew, and shortens old ones (S4.3, S4.5, S4.9). An edit of the file
by hand leaves facts unjudged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engrain.language.text.fences import shorten
from engrain.language.text.instants import read_instant
from engrain.model.facts.entity import Entity
from engrain.model.facts.fact import HISTORICAL, Fact
from engrain.model.facts.intake import FactIntake
from engrain.model.facts.judging import DUPLICATE, NEW, FactVerdict, judge

SHORT = 80
"""Characters that a shortened fact keeps."""
_PASSES = 4
"""A repeated fact may gain a date, and then contradict another one in the next pass."""
MOST_JUDGED = 100
"""The latest active facts of an entity that are judged anew, each against all others."""


def settle_facts(entity: Entity, now: float) -> tuple[Entity, list[str]]:
    """Judge the active facts of an entity anew, the latest first; return the entity, and a line for
    each change.

    A fact that a later one contradicts turns historical or disputed, a repeated one makes the first
    surer, and one whose end has passed turns historical."""
    over = [fact.id for fact in entity.active if (fact.until or now + 1) <= now]
    ended = [fact.replace(status=HISTORICAL) if fact.id in over else fact for fact in entity.facts]
    entity = entity.replace(facts=ended) if over else entity
    lines = [f"{id_} is over" for id_ in over]
    for _ in range(_PASSES):
        entity, judged = _judge_anew(entity, now)
        if not judged:
            break
        lines += judged
    return entity, lines


def _judge_anew(entity: Entity, now: float) -> tuple[Entity, list[str]]:
    """Take in again, in one pass, the repeated facts, and after them the contradicting ones, so
    that contradictions are judged by the surest statement."""
    intake = FactIntake(entity.facts, entity.names, now)
    latest = [fact.id for fact in sorted(entity.active, key=_said, reverse=True)[:MOST_JUDGED]]
    lines: list[str] = []
    for repeated in (True, False):
        for id_ in latest:
            facts = {fact.id: fact for fact in intake.facts}
            verdict = _judge(facts, id_, entity.names)
            if verdict is None or repeated != (verdict.kind == DUPLICATE):
                continue
            taken = intake.take(intake.drop(id_).replace(disputes=()))
            by = ", ".join(other.id for other in verdict.facts)
            lines.append(f"{id_} is {taken.outcome}, by {by}")
    now_by_id = {fact.id: fact for fact in intake.facts}
    ordered = [now_by_id[one.id] for one in entity.facts if one.id in now_by_id]
    return (entity.replace(facts=ordered) if lines else entity), lines


def _judge(facts: Mapping[str, Fact], id_: str, names: Sequence[str]) -> FactVerdict | None:
    """Judge a fact against the other active ones; None where the verdict is known."""
    fact = facts.get(id_)
    if fact is None or not fact.active:
        return None
    verdict = judge(fact, [one for one in facts.values() if one.active and one.id != id_], names)
    known = all(other.id in fact.disputes for other in verdict.facts)
    return None if verdict.kind == NEW or known else verdict


def _said(fact: Fact) -> tuple[float, float, str]:
    return read_instant(fact.created_at) or 0.0, fact.since or 0.0, fact.id


def truncate_facts(entity: Entity, now: float, seconds: float) -> tuple[Entity, list[str]]:
    """Shorten the inactive facts that ended, or were said, more than `seconds` ago; return the
    entity and their ids. Dates and edge stay."""
    cut: list[str] = []
    facts: list[Fact] = []
    for fact in entity.facts:
        at = read_instant(fact.created_at) if fact.until is None else fact.until
        old = not fact.active and at is not None and at < now - seconds
        if old and not fact.truncated and len(fact.content) > SHORT:
            cut.append(fact.id)
            fact = fact.replace(content=shorten(fact.content, SHORT), truncated=True)
        facts.append(fact)
    return (entity.replace(facts=facts) if cut else entity), cut
