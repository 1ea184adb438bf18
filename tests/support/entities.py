"""Entities put into a store as they stand, without the path that validates facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engrain.engine.verbs.records import compose_record, save_record
from engrain.model.facts.entity import Entity, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.core.store import Store
    from engrain.model.facts.fact import Fact
    from engrain.model.note.field import Value


def file_entity(
    store: Store,
    slug: str,
    name: str,
    facts: Sequence[Fact],
    *,
    type_: str = "person",
    aliases: Sequence[str] = (),
) -> str:
    """File one; its id."""
    entity = Entity(name, type_, aliases, facts)
    extra: dict[str, Value] = {"slug": slug, "facts": entity.bookkeeping()}
    note = compose_record(store, "entity", entity.document(), extra=extra)
    return save_record(store, place_of(slug), note, op="learn").id
