"""People and projects: the facts about each, the times of facts, and disputes to settle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from engrain.adapters.web.asking import Answer, Ask, Moved, Page
from engrain.language.statements.predicates import COMPANY, PERSON, PLACE, PROJECT
from engrain.model.facts.fact import Fact

_SHOWN, _MOST = 100, 10_000
_TYPES = (PERSON, COMPANY, PROJECT, PLACE)


class _Span(NamedTuple):
    """A fact and the time in which it was true, as shares (0 to 1) of the time of all facts."""

    fact: Fact
    begin: float
    length: float


def show(ask: Ask) -> Answer:
    limit = ask.number("limit", _SHOWN, _MOST)
    found = ask.memory.facts.entities(
        ask.get("type") or None, disputed=bool(ask.get("disputed")), limit=limit + 1
    )
    asked = {"type": ask.get("type"), "disputed": ask.get("disputed")}
    more = min(2 * limit, _MOST) if len(found) > limit else 0
    values = {"found": found[:limit], "types": _TYPES, "asked": asked, "next": more}
    return Page("people.html", values)


def show_one(ask: Ask) -> Answer:
    filed = ask.memory.facts.entity(ask.get("name"))
    others = ask.memory.facts.entities(filed.entity.type or None, limit=_SHOWN)
    values = {
        "filed": filed,
        "others": [one for one in others if one.id != filed.id],
        "likely": set(filed.maybe),
        "summary": ask.memory.facts.summary(filed.id),
        "spans": _place(filed.entity.facts),
        "disputed": [fact for fact in filed.entity.active if fact.disputes],
    }
    return Page("person.html", values)


def change(ask: Ask) -> Answer:
    """Settle a dispute in favour of a fact, or forget a fact, as `engrain fact` does; merge another
    entity into this one as `engrain entity merge` does."""
    entity, fact = ask.sent("name"), ask.sent("fact")
    action = ask.sent("action")
    if action == "merge":
        filed = ask.memory.facts.merge(entity, ask.sent("other"))
        told = f"{ask.sent('other')} is a part of {filed.entity.name} now; undo takes it out."
    elif action == "forget":
        filed, _ = ask.memory.facts.forget(entity, fact)
        told = "Forgotten; undo brings it back."
    else:
        filed, _ = ask.memory.facts.settle(entity, fact)
        told = "Settled: the facts that disputed it are no longer true."
    return Moved(f"/person?name={quote(filed.slug, safe='')}", told)


def _place(facts: Sequence[Fact]) -> list[_Span]:
    """Return the facts with their times, the newest first."""
    dated = [fact.since for fact in facts if fact.since is not None]
    ends = [fact.until for fact in facts if fact.until is not None]
    first, last = min(dated, default=0.0), max([*dated, *ends], default=1.0)
    whole = (last - first) * 1.05 or 1.0

    def place(fact: Fact) -> _Span:
        begin = ((fact.since or first) - first) / whole
        end = 1.0 if fact.until is None else (fact.until - first) / whole
        if fact.until is None and not fact.active:
            end = begin
        return _Span(fact, begin, max(end - begin, 0.01))

    ordered = sorted(facts, key=lambda fact: (fact.since or 0.0, fact.id), reverse=True)
    return [place(fact) for fact in ordered]
