"""Judges the facts of an entity anew, and shortens old ones (S4.3, S4.5, S4.9). An edit of the file
by hand leaves facts unjudged."""

from __future__ import annotations

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
        anew = _Anew(entity, now)
        anew.take_all()
        if not anew.lines:
            break
        entity = anew.entity
        lines += anew.lines
    return entity, lines


class _Anew:
    """One pass over the facts of an entity; `lines` has a line for each fact that was judged
    again."""

    def __init__(self, entity: Entity, now: float) -> None:
        self._whole = entity
        self._names = entity.names
        self._intake = FactIntake(entity.facts, self._names, now)
        self._facts = {fact.id: fact for fact in entity.facts}
        self.lines: list[str] = []

    @property
    def entity(self) -> Entity:
        """The entity as it is now, its facts in their original order."""
        facts = [self._facts[one.id] for one in self._whole.facts if one.id in self._facts]
        return self._whole.replace(facts=facts)

    def take_all(self) -> None:
        """Take in again the contradicting facts, and before them the repeated ones, so that
        contradictions are judged by the surest statement."""
        otherwise = []
        for fact in sorted(self._whole.active, key=_said, reverse=True)[:MOST_JUDGED]:
            verdict = self._judge(fact.id)
            if verdict is not None and verdict.kind == DUPLICATE:
                self._take(fact.id, verdict)
            elif verdict is not None:
                otherwise.append(fact.id)
        for id_ in otherwise:
            if verdict := self._judge(id_):
                self._take(id_, verdict)

    def _judge(self, id_: str) -> FactVerdict | None:
        """Judge a fact against the other active ones; None where the verdict is known."""
        fact = self._facts.get(id_)
        if fact is None or not fact.active:
            return None
        others = [other for other in self._facts.values() if other.active and other.id != id_]
        verdict = judge(fact, others, self._names)
        known = all(other.id in fact.disputes for other in verdict.facts)
        return None if verdict.kind == NEW or known else verdict

    def _take(self, id_: str, verdict: FactVerdict) -> None:
        fact = self._intake.drop(id_)
        taken = self._intake.take(fact.replace(disputes=()))
        self._facts = {one.id: one for one in self._intake.facts}
        by = ", ".join(other.id for other in verdict.facts)
        self.lines.append(f"{id_} is {taken.outcome}, by {by}")


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
