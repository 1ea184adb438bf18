"""People and projects: the facts about each, the times of facts, and disputes to settle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from engrain.adapters.web.asking import Answer, Ask, Moved, Page
from engrain.api.memory import Memory
from engrain.engine.entities.files import MERGED_INTO, FiledEntity
from engrain.language.statements.predicates import COMPANY, PERSON, PLACE, PROJECT
from engrain.model.facts.entity import slug_at
from engrain.model.facts.fact import Fact
from engrain.model.note.entry import read_entry
from engrain.seam.batches import Change

_SHOWN, _MOST = 100, 10_000
_MERGES = 50
"""The latest changes of an entity among which merges are searched."""
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
        "merged": _list_merged(ask.memory, filed) if filed.entity.aliases else [],
        "others": [one for one in others if one.id != filed.id],
        "likely": set(filed.maybe),
        "summary": ask.memory.facts.summary(filed.id),
        "spans": _place(filed.entity.facts),
        "disputed": [fact for fact in filed.entity.active if fact.disputes],
    }
    return Page("person.html", values)


def change(ask: Ask) -> Answer:
    """Settle a dispute in favour of a fact, or forget a fact, as `engrain fact` does; merge another
    entity into this one as `engrain entity merge` does, and split it off again."""
    entity, fact = ask.sent("name"), ask.sent("fact")
    action = ask.sent("action")
    if action == "merge":
        filed = ask.memory.facts.merge(entity, ask.sent("other"))
        told = f"{ask.sent('other')} is a part of {filed.entity.name} now; Split takes it out."
    elif action == "split":
        ask.memory.undo(ask.sent("change"), "split in the console")
        filed, told = ask.memory.facts.entity(entity), "They are two again."
    elif action == "forget":
        filed, _ = ask.memory.facts.forget(entity, fact)
        told = "Forgotten; undo brings it back."
    else:
        filed, _ = ask.memory.facts.settle(entity, fact)
        told = "Settled: the facts that disputed it are no longer true."
    return Moved(f"/person?name={quote(filed.slug, safe='')}", told)


def _list_merged(memory: Memory, filed: FiledEntity) -> list[tuple[Change, str]]:
    """Return the changes that merged another entity into one, and not undone, with its slug."""
    found, undone = list[tuple[Change, str]](), set[str | None]()
    for one in memory.history(filed.id, _MERGES):
        undone.add(one.undoes)
        if one.op != "learn" or one.change in undone:
            continue
        for file in memory.show_change(one.change).files:
            entry = (
                read_entry(file.path, file.after) if file.after and file.entry != filed.id else None
            )
            if entry and entry.fields.get(MERGED_INTO) == filed.slug:
                found.append((one, slug_at(file.path)))
    return found


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
