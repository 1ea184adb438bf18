"""Facts that can't both be so, laid before the operator (S4.3, S1.17).

No rule can say which of them holds. The proposal is the fact with the most trusted source, and of
several such the latest; `engrain fact settle` decides otherwise.
"""

from __future__ import annotations

from engrain.engine.core.moving import refuse_changed
from engrain.engine.core.store import Store
from engrain.engine.entities.files import write_entity
from engrain.engine.entities.resolution import open_entity
from engrain.model.facts.entity import FACTS, Entity, read_entity
from engrain.model.facts.fact import Fact
from engrain.model.facts.intake import Intake
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ORIGINS


def preview_settling(store: Store, entry: Entry) -> bytes | None:
    """Return an entity's file with its disputes settled, None where nothing is disputed."""
    note = entry.note
    if not isinstance(note, JsonNote):
        return None
    entity = read_entity(note.document, note.own)
    settled = _settle(entity, store.clock.now())
    if settled is entity:
        return None
    beside = settled.bookkeeping()
    return note.with_document(settled.document()).patch({FACTS: beside}).raw


def apply_settling(store: Store, id_: str, base: str, reason: str) -> None:
    """Settle an entity whose substance is still `base`. Raises ConflictError where it is not."""
    store.require_index()
    filed = open_entity(store, id_)
    refuse_changed(read_entry(filed.locator, filed.stored.raw), base)
    settled = _settle(filed.entity, store.clock.now())
    write_entity(store, filed.slug, filed, settled, {}, reason=reason)


def _settle(entity: Entity, now: float) -> Entity:
    """Return the entity with no fact disputed: the best supported facts hold."""
    intake = Intake(entity.facts, entity.names, now)
    settled = False
    while disputed := [fact for fact in intake.facts if fact.active and fact.disputes]:
        best = max(disputed, key=_weight)
        if not intake.settle(best.id):
            break
        settled = True
    return entity.replace(facts=intake.facts) if settled else entity


def _weight(fact: Fact) -> tuple[int, float, int, str]:
    return -ORIGINS.index(fact.trust), fact.since or 0.0, fact.seen, fact.id
