"""The rules of the validated path (S4.2, S4.3): how the facts of one entity change when another is
added.

The judge decides what a fact means for the others; this module applies that. The facts that hold in
the end do not depend on the order of arrival: a fact that was stated earlier is added as
historical, between the facts before and after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engrain.language.text.instants import format_instant
from engrain.model.facts.fact import HISTORICAL, MANUAL, MOST_REFS, Fact
from engrain.model.facts.judging import DISPUTED as AT_ODDS
from engrain.model.facts.judging import (
    DUPLICATE,
    NEW,
    OUTDATED,
    SUPERSEDES,
    FactVerdict,
    as_last_said,
    by_name,
    judge,
    last_said,
    met_there,
    moments_of,
    outranks,
    put_before,
    revived,
    said_within,
    statement_key,
)

CREATED = "created"
REINFORCED = "reinforced"
UNCHANGED = "unchanged"
SUPERSEDING = "superseding"
DISPUTED = "disputed"
HELD_ONCE = "historical"


@dataclass(slots=True, eq=False)
class Taken:
    """The result for a fact: the outcome (one of the words above), the `id` of the fact that has it
    now, the `others` that it superseded, disputes or is outdated by, and the reason in words."""

    outcome: str
    id: str
    others: Sequence[str] = ()
    reason: str = ""


class FactIntake:
    """Adds facts to those of one entity with these names, at the time `now`."""

    def __init__(self, facts: Iterable[Fact], names: Sequence[str], now: float) -> None:
        self._facts: dict[str, Fact] = {}
        self._holding: dict[str, Fact] = {}
        self._past: dict[str, Fact] = {}
        self._to_come: set[str] = set()
        self._names = names
        self._now = now
        self._same: dict[str, list[str]] = {}
        for fact in facts:
            self._put(fact)
            self._same.setdefault(statement_key(fact.content), []).append(fact.id)

    @property
    def facts(self) -> list[Fact]:
        """All facts as they are now, in the order of arrival."""
        return list(self._facts.values())

    def add(self, new: Fact, *, dated: bool = True) -> Taken:
        """Add a fact. One that is stated by hand and not `dated` counts as later than all
        others."""
        same = [self._facts[id_] for id_ in self._same.get(statement_key(new.content), ())]
        for fact in same:
            if met_there(fact, new, dated):
                return self._end(fact, new) or Taken(UNCHANGED, fact.id)
        for fact in same:
            if self._holds(fact) or said_within(new, fact):
                return self._strengthen(fact, new)
        if not new.active:
            return self._add(new, HELD_ONCE, reason="it held until then")
        return self._judge(new, at_once=not dated and new.source == MANUAL)

    def add_past(self, past: Fact) -> None:
        """Add a historical fact as it is, unless it is known."""
        same = (self._facts[id_] for id_ in self._same.get(statement_key(past.content), ()))
        if not any(fact.valid_to == past.valid_to and not fact.active for fact in same):
            self._add(past, HELD_ONCE)

    def resolve(self, id_: str) -> list[str]:
        """Let a disputed fact hold, make those that it disputes historical, and return their
        ids."""
        fact = self._facts[id_]
        others = [self._facts[other] for other in fact.disputes if other in self._facts]
        if not others:
            self._change(fact, disputes=())
            return []
        for other in others:
            self._turn(other, max(fact.since or self._now, other.since or self._now))
        ids = [other.id for other in others]
        self._change(self._facts[id_], supersedes=fact.supersedes or next(iter(ids), None))
        return ids

    def drop(self, id_: str) -> Fact:
        """Remove a fact and return it."""
        fact = self._facts.pop(id_)
        self._holding.pop(id_, None)
        self._past.pop(id_, None)
        self._to_come.discard(id_)
        self._same[statement_key(fact.content)].remove(id_)
        self._undispute(id_)
        return fact

    def _judge(self, new: Fact, at_once: bool) -> Taken:
        known = list(self._holding.values())
        planned: list[Fact] = []
        if self._to_come and self._has_begun(new):
            planned = [fact for fact in known if fact.id in self._to_come]
            known = [fact for fact in known if fact.id not in self._to_come]
        taken = self._judge_by(new, known, at_once)
        if planned:
            self._end_at_planned(self._facts[taken.id], planned)
        return taken

    def _has_begun(self, fact: Fact) -> bool:
        return (fact.since or 0.0) <= self._now

    def _end_at_planned(self, fact: Fact, planned: Sequence[Fact]) -> None:
        """Let a fact hold until a planned one replaces it."""
        verdict = judge(by_name(fact), planned, self._names)
        starts = [
            other.since
            for other in verdict.facts
            if other.since is not None and not outranks(fact, other)
        ]
        if verdict.kind == OUTDATED and fact.active and fact.valid_to is None and starts:
            self._change(fact, valid_to=format_instant(min(starts)))

    def _judge_by(self, new: Fact, known: list[Fact], at_once: bool) -> Taken:
        if at_once:
            known = [put_before(fact, new) for fact in known]
        holding = self._judge_among(new, known)
        if holding.kind == DUPLICATE and holding.facts:
            return self._strengthen(holding.facts[0], new)
        past = self._judge_past(new)
        if past.kind == DUPLICATE:
            return self._strengthen(past.facts[0], new)
        if later := [*_later(new, holding), *past.facts]:
            return self._add_past(new, later, holding.reason or past.reason)
        older = [fact for fact in holding.facts if not outranks(fact, new)]
        if holding.kind == SUPERSEDES and older:
            return self._supersede(new, older, holding.facts, holding.reason)
        if holding.kind in (SUPERSEDES, OUTDATED, AT_ODDS) and holding.facts:
            return self._dispute(new, holding.facts, holding.reason)
        return self._add(new, CREATED, reason=holding.reason)

    def _judge_past(self, new: Fact) -> FactVerdict:
        """Compare a fact with the historical ones. DUPLICATE: one said the same at its time.
        OUTDATED: later ones contradict it. Those that it superseded end when it began."""
        since = new.since
        if since is None or not self._past:
            return FactVerdict(NEW)
        before, after = self._split_past(new, since)
        answers = [
            self._judge_among(new, [by_name(revived(fact)) for fact in those])
            for those in (before, after)
            if those
        ]
        for verdict in answers:
            if verdict.kind == DUPLICATE and said_within(new, verdict.facts[0]):
                return verdict
        for verdict in answers:
            self._end_superseded(new, since, verdict)
        for verdict in answers:
            if later := _later(new, verdict):
                return FactVerdict(OUTDATED, later, verdict.reason)
        return FactVerdict(NEW)

    def _split_past(self, new: Fact, since: float) -> tuple[list[Fact], list[Fact]]:
        """Return the historical facts that held when a fact began, and those that began later."""
        dated = [(fact, fact.since) for fact in self._past.values() if fact.since is not None]
        before = [fact for fact, begun in dated if begun <= since and said_within(new, fact)]
        return before, [fact for fact, begun in dated if begun > since]

    def _end_superseded(self, new: Fact, since: float, verdict: FactVerdict) -> None:
        for fact in verdict.facts if verdict.kind == SUPERSEDES else ():
            if said_within(new, fact) and not outranks(fact, new):
                self._change(fact, valid_to=format_instant(since))

    def _judge_among(self, new: Fact, known: Sequence[Fact]) -> FactVerdict:
        """Return the judge's verdict, with the facts as they are stored here."""
        verdict = judge(by_name(new), known, self._names)
        concerned = [self._facts[fact.id] for fact in verdict.facts if fact.id in self._facts]
        return FactVerdict(verdict.kind, concerned, verdict.reason)

    def _add_past(self, new: Fact, later: Sequence[Fact], reason: str) -> Taken:
        """Add a fact that later ones contradict: it held until they began."""
        begun = new.since or self._now
        # A later fact that began before this one, but was repeated after it, ends it by that.
        ends = [
            at if at > begun else last_said(fact) or begun
            for fact in later
            if (at := fact.since) is not None
        ]
        end = format_instant(max(min(ends, default=self._now), begun))
        past = new.replace(status=HISTORICAL, valid_to=new.valid_to or end)
        return self._add(past, HELD_ONCE, [fact.id for fact in later], reason)

    def _supersede(
        self, new: Fact, older: Sequence[Fact], concerned: Sequence[Fact], reason: str
    ) -> Taken:
        since = new.since
        for fact in older:
            self._turn(fact, since)
        stronger = [fact for fact in concerned if fact not in older]
        new = new.replace(supersedes=older[-1].id)
        if stronger:
            self._dispute(new, stronger, reason)
        else:
            self._add(new, SUPERSEDING)
        return Taken(SUPERSEDING, new.id, [fact.id for fact in older], reason)

    def _dispute(self, new: Fact, others: Sequence[Fact], reason: str) -> Taken:
        for fact in others:
            self._change(fact, disputes=[*fact.disputes, new.id])
        ids = [fact.id for fact in others]
        return self._add(new.replace(disputes=ids), DISPUTED, ids, reason)

    def _add(self, new: Fact, outcome: str, others: Sequence[str] = (), reason: str = "") -> Taken:
        self._put(new)
        self._same.setdefault(statement_key(new.content), []).append(new.id)
        return Taken(outcome, new.id, others, reason)

    def _strengthen(self, fact: Fact, new: Fact) -> Taken:
        """Strengthen a fact that another source repeats."""
        full = len(fact.refs) >= MOST_REFS
        known = new.source_ref is not None and (
            full or new.source_ref in (fact.source_ref, *fact.refs)
        )
        if known:
            return self._end(fact, new) or Taken(UNCHANGED, fact.id)
        changed = fact.replace(
            seen=fact.seen + 1,
            refs=[*fact.refs, new.source_ref] if new.source_ref and not full else fact.refs,
            edge=fact.edge or new.edge,
            valid_from=fact.valid_from or new.valid_from,
            confidence=max(
                (sure for sure in (fact.confidence, new.confidence) if sure is not None),
                default=None,
            ),
            **moments_of(fact, new),
        )
        if outranks(new, fact):
            # A more trusted source replaces the wording.
            changed = changed.replace(content=new.content, trust=new.trust)
            self._same[statement_key(fact.content)].remove(fact.id)
            self._same.setdefault(statement_key(new.content), []).append(fact.id)
        self._put(changed)
        return self._end(changed, new) or Taken(REINFORCED, fact.id)

    def _end(self, fact: Fact, new: Fact) -> Taken | None:
        """Take over the end of a known fact if that was unknown."""
        if new.valid_to is None or fact.valid_to is not None or outranks(fact, new):
            return None
        if new.active:
            self._change(fact, valid_to=new.valid_to)
            return Taken(REINFORCED, fact.id)
        self._turn(fact, new.until)
        return Taken(HELD_ONCE, fact.id)

    def _turn(self, fact: Fact, at: float | None) -> None:
        """End a fact at a moment; before a future moment it still holds."""
        valid_to = fact.valid_to if at is None else format_instant(at)
        holds_yet = at is not None and at > self._now and at > (fact.since or 0.0)
        status = fact.status if holds_yet else HISTORICAL
        self._change(fact, status=status, valid_to=valid_to, disputes=())
        self._undispute(fact.id)

    def _undispute(self, id_: str) -> None:
        for fact in list(self._facts.values()):
            if id_ in fact.disputes:
                self._change(fact, disputes=[one for one in fact.disputes if one != id_])

    def _change(self, fact: Fact, **changes: object) -> None:
        self._put(self._facts[fact.id].replace(**changes))

    def _put(self, fact: Fact) -> None:
        """Store a fact, and the form in which the judge sees it."""
        self._facts[fact.id] = fact
        (self._to_come.discard if self._has_begun(fact) else self._to_come.add)(fact.id)
        holds = self._holds(fact)
        (self._past if holds else self._holding).pop(fact.id, None)
        if holds:
            self._holding[fact.id] = by_name(as_last_said(fact))
        else:
            self._past[fact.id] = fact

    def _holds(self, fact: Fact) -> bool:
        return fact.active and (fact.until is None or fact.until > self._now)


def _later(new: Fact, verdict: FactVerdict) -> list[Fact]:
    """Return the later facts that, by the verdict, make a new one outdated."""
    if verdict.kind != OUTDATED:
        return []
    return [fact for fact in verdict.facts if not outranks(new, fact)]
