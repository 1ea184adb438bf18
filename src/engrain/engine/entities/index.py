"""Writes the index of entities for people and other programs: one generated file (S4.1).

It is made from the entities and rewritten only when it would change; Engrain never reads it to find
an entity. An entity is read again only when its checksum in the file differs.
"""

from __future__ import annotations

import json
from typing import Any

from engrain.engine.core.generated import count_values, read_generated, write_generated
from engrain.engine.core.store import Store
from engrain.engine.entities.files import ACTIVE_ENTITIES, try_filed
from engrain.model.facts.entity import INDEX, slug_at
from engrain.model.note.documents import object_of, objects_of, write_json
from engrain.model.note.json_note import GENERATED_BY
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.seam.locator import Locator

PLACE = Locator(INDEX)
_SAID = "by engrain from the entities; a change here is lost, and so is nothing when it is deleted"
_HEAD_BYTES = 8192
"""Room for what stands before the entities."""


def write_entity_index(store: Store) -> bool:
    """Bring the generated file in step with the entities; returns whether it was written or
    removed. Where another process is writing it, it is left to that."""
    store.require_index()
    before = objects_of(read_generated(store, PLACE).get("entities"))
    known = {(one.get("slug"), one.get("hash")): one for one in before}
    told = []
    for row in store.index.find(ACTIVE_ENTITIES):
        slug = slug_at(row.locator)
        line = known.get((slug, row.hash)) or _describe(store, row.locator)
        if line is not None:
            told.append(line)
    told.sort(key=lambda line: str(line["slug"]))
    types = count_values(line.get("type") for line in told)
    told, left = _bound(told)
    said = {GENERATED_BY: _SAID, "types": types, "omitted": left}
    return bool(write_generated(store, {PLACE: _write(said, told) if told else None}))


def _bound(told: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """As many entities as one file holds, those that changed last, and how many are left out."""
    room = MAX_NOTE_BYTES - _HEAD_BYTES
    kept = set()
    for line in sorted(told, key=lambda line: str(line["updated"]), reverse=True):
        room -= len(_line(line).encode()) + 2
        if room < 0:
            break
        kept.add(line["slug"])
    return [line for line in told if line["slug"] in kept], len(told) - len(kept)


def _write(said: dict[str, Any], told: list[dict[str, Any]]) -> bytes:
    """The file, an entity a line."""
    head = write_json(said).decode().rpartition("\n}")[0]
    lines = ",\n".join(map(_line, told))
    return f'{head},\n  "entities": [\n{lines}\n  ]\n}}\n'.encode()


def _line(described: dict[str, Any]) -> str:
    return "    " + json.dumps(described, ensure_ascii=False)


def _describe(store: Store, place: Locator) -> dict[str, Any] | None:
    filed = try_filed(store, place)
    if filed is None:
        return None
    entity = filed.entity
    return {
        "slug": filed.slug,
        "name": entity.name,
        "type": entity.type,
        "aliases": list(entity.aliases),
        "facts": len(entity.facts),
        "active": len(entity.active),
        "updated": object_of(filed.note.own).get("updated"),
        "hash": filed.stored.hash,
    }
