"""What synthesis does to the facts of one entity: contradictions among them marked, by the path
that a new fact takes; what held once, long ago, cut short (S4.5, S4.9). Pure.

Facts come to stand beside one another unjudged where somebody edits a file by hand.
"""

from __future__ import annotations

from engrain.model.fact_intake import Intake
from engrain.model.fact_judging import DUPLICATE, NEW, judge
from engrain.model.instants import read_instant
from engrain.model.lines import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.entities import Entity
    from engrain.model.facts import Fact

SHORT = 80
"""Characters that stay of what was cut short."""
_PASSES = 4
"""One that is met again may get a date by it, and then say otherwise than another."""
MOST_JUDGED = 300
"""Of an entity's facts that hold, the latest are judged anew, each of them against all others."""


def settle_facts(entity: Entity, now: float) -> tuple[Entity, list[str]]:
    """The entity with the facts that hold judged one after the other, the latest first: those that
    say otherwise than a later one turn historical or are at odds with it, and one that says the
    same again makes the first surer. With it a line for each that was taken in anew, by id."""
    told: list[str] = []
    for _ in range(_PASSES):
        # What is said twice is one before it is held against others: it counts as its surer half.
        entity, same = _take_anew(entity, now, duplicates=True)
        entity, other = _take_anew(entity, now, duplicates=False)
        told += [*same, *other]
        if not same and not other:
            break
    return entity, told


def _take_anew(entity: Entity, now: float, *, duplicates: bool) -> tuple[Entity, list[str]]:
    """Take in again those of the facts that say the same as another, or those that say otherwise."""
    names = (entity.name, *entity.aliases)
    order = sorted(
        entity.active,
        key=lambda fact: (read_instant(fact.created_at) or 0.0, fact.since or 0.0, fact.id),
    )
    intake = Intake(entity.facts, names, now)
    facts = {fact.id: fact for fact in intake.facts}
    told: list[str] = []
    for id_ in [fact.id for fact in order[::-1]][:MOST_JUDGED]:
        fact = facts.get(id_)
        if fact is None or not fact.active:
            continue
        others = [other for other in facts.values() if other.active and other.id != fact.id]
        verdict = judge(fact, others, names)
        known = all(other.id in fact.disputes for other in verdict.facts)
        if verdict.kind == NEW or known or duplicates != (verdict.kind == DUPLICATE):
            continue
        intake.drop(fact.id)
        taken = intake.take(fact.replace(disputes=()))
        facts = {one.id: one for one in intake.facts}
        by = ", ".join(other.id for other in verdict.facts)
        told.append(f"{fact.id} is {taken.outcome}, by {by}")
    if not told:
        return entity, []
    return entity.replace(facts=[facts[one.id] for one in entity.facts if one.id in facts]), told


def truncate_facts(entity: Entity, now: float, seconds: float) -> tuple[Entity, list[str]]:
    """The entity with those of its facts cut short that hold no longer, and ended, or were said,
    more than so many `seconds` ago; and their ids. Dates and edge stay."""
    cut: list[str] = []
    facts: list[Fact] = []
    for fact in entity.facts:
        if _is_old(fact, now - seconds) and not fact.truncated and len(fact.content) > SHORT:
            cut.append(fact.id)
            fact = fact.replace(content=shorten(fact.content, SHORT), truncated=True)
        facts.append(fact)
    return (entity.replace(facts=facts) if cut else entity), cut


def _is_old(fact: Fact, before: float) -> bool:
    if fact.active:
        return False
    ended = fact.until
    at = read_instant(fact.created_at) if ended is None else ended
    return at is not None and at < before
