"""Writes the indexes of entities and episodes for people and other programs (S2.2, S4.1).

There is one generated file of all entities, one of the episodes of each day, and one of all days.
They are made from the entries and rewritten only when they would change; Engrain never reads them
to find an entry. An entity, or a day, is read again only when a checksum in its file differs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from engrain.engine.core.store import Store
from engrain.engine.entities.files import ACTIVE_ENTITIES, try_filed
from engrain.engine.episodes.episode import FOLDER, KIND
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.facts.entity import INDEX, slug_at
from engrain.model.note.documents import object_of, objects_of, parse_object, write_json
from engrain.model.note.ids import path_id
from engrain.model.note.json_note import GENERATED_BY, JsonNote
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Write, hash_of

ENTITIES = Locator(INDEX)
NAME = "index.json"
"""The name of the indexes of episodes."""
_SAID = "by engrain from the {}; a change here is lost, and so is nothing when it is deleted"
_EPISODES = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
_BATCH = 64
"""Files that one commit writes."""
_HEAD_BYTES = 8192
"""Room for what stands before the entities."""


def write_entity_index(store: Store) -> bool:
    """Update the index of entities; return whether it was written or removed. If another process is
    writing it, it is left to that process."""
    store.require_index()
    before = objects_of(_read(store, ENTITIES).get("entities"))
    known = {(line.get("slug"), line.get("hash")): line for line in before}
    rows = store.index.find(ACTIVE_ENTITIES)
    described = (
        known.get((slug_at(row.locator), row.hash)) or _describe_entity(store, row.locator)
        for row in rows
    )
    lines = sorted(filter(None, described), key=lambda line: str(line["slug"]))
    # A file that is full keeps the entities that changed last.
    latest = sorted(lines, key=lambda line: str(line["updated"]), reverse=True)
    sizes = accumulate(len(_line(line).encode()) + 2 for line in latest)
    room = sum(size <= MAX_NOTE_BYTES - _HEAD_BYTES for size in sizes)
    fitting = {line["slug"] for line in latest[:room]}
    kept = [line for line in lines if line["slug"] in fitting]
    head = {
        GENERATED_BY: _SAID.format("entities"),
        "types": _count_values(line.get("type") for line in lines),
        "omitted": len(lines) - len(kept),
    }
    start = write_json(head).decode().rpartition("\n}")[0]
    text = f'{start},\n  "entities": [\n' + ",\n".join(map(_line, kept)) + "\n  ]\n}\n"
    return bool(_write(store, {ENTITIES: text.encode() if kept else None}))


def _line(described: dict[str, Any]) -> str:
    return "    " + json.dumps(described, ensure_ascii=False)


def _describe_entity(store: Store, place: Locator) -> dict[str, Any] | None:
    filed = try_filed(store, place)
    if filed is None:
        return None
    return {
        "slug": filed.slug,
        "name": filed.entity.name,
        "type": filed.entity.type,
        "aliases": list(filed.entity.aliases),
        "facts": len(filed.entity.facts),
        "active": len(filed.entity.active),
        "updated": object_of(filed.note.own).get("updated"),
        "hash": filed.stored.hash,
    }


def write_episode_index(store: Store, days: Collection[str] | None = None) -> int:
    """Update the indexes of episodes, those of some `days` (YYYY-MM-DD) or all, and that of all
    days; return the number of files written or removed. A file that another process is writing is
    left to that process."""
    store.require_index()
    rows = _sort_by_day(store.index.find(_EPISODES))
    written = 0
    wanted: dict[Locator, bytes | None] = {}
    counted: dict[str, Any] = {}
    for day, found in sorted(rows.items()):
        entries, changed = _read_day(store, day, found)
        if changed and (days is None or day in days):
            content = {"_generated": _SAID.format("episodes"), "day": day, "episodes": entries}
            wanted[_place_of(day)] = write_json({**content, "checksum": _sum(found, entries)})
        counted[day] = {
            "episodes": len(entries),
            "outcomes": _count_values(entry["outcome"] for entry in entries),
            "first": entries[0]["timestamp"],
            "last": entries[-1]["timestamp"],
        }
        if len(wanted) == _BATCH:
            written += _write(store, wanted)
            wanted.clear()
    for day in object_of(_read(store, _place_of("")).get("days")):
        if day not in rows and "/" not in day and day[:1] != ".":
            wanted[_place_of(day)] = None
    whole = {"_generated": _SAID.format("episodes"), "episodes": sum(map(len, rows.values()))}
    wanted[_place_of("")] = write_json({**whole, "days": counted}) if rows else None
    return written + _write(store, wanted)


def _sort_by_day(found: Iterable[Row]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for row in found:
        folder, _, day = row.locator.folder.rpartition("/")
        if folder == FOLDER and row.locator.name != NAME:
            rows.setdefault(day, []).append(row)
    return rows


def _read_day(store: Store, day: str, rows: Sequence[Row]) -> tuple[list[dict[str, Any]], bool]:
    """Describe each episode of a day; return also whether its file needs an update."""
    before = _read(store, _place_of(day))
    entries = before.get("episodes")
    if isinstance(entries, list) and before.get("checksum") == _sum(rows, entries):
        return entries, False
    described = [_describe_episode(store, row) for row in rows]
    described.sort(key=lambda entry: (str(entry["timestamp"]), str(entry["id"])))
    return described, True


def _place_of(day: str) -> Locator:
    return Locator(f"{FOLDER}/{day}/{NAME}" if day else f"{FOLDER}/{NAME}")


def _describe_episode(store: Store, row: Row) -> dict[str, Any]:
    entry = store.find_entry(row.locator)
    document = entry.note.document if entry and isinstance(entry.note, JsonNote) else {}
    return {
        "id": row.id,
        "timestamp": document.get("timestamp"),
        "goal": row.title,
        "outcome": document.get("outcome"),
        "agent": document.get("agent"),
        "file": row.locator.name,
    }


def _sum(rows: Sequence[Row], entries: Sequence[dict[str, Any]]) -> str:
    sources = sorted((row.locator, row.id, row.hash) for row in rows)
    return hash_bytes(json.dumps([sources, entries], sort_keys=True).encode())


def _read(store: Store, place: Locator) -> dict[str, Any]:
    try:
        return parse_object(store.backend.read(place).raw)
    except EngrainError:
        return {}


def _write(store: Store, wanted: Mapping[Locator, bytes | None]) -> int:
    """Write generated files in one commit, or remove them (None), where they would change; return
    the number. If another process writes one at this moment, they are left to that process."""
    writes = []
    for place, after in wanted.items():
        try:
            before = store.backend.read(place)
        except EngrainError:
            before = None
        if after != (before and before.raw):
            writes.append(Write(place, after, path_id(place), hash_of(before)))
    try:
        if writes:
            store.commit("index", writes)
    except ConflictError:
        return 0
    return len(writes)


def _count_values(values: Iterable[object]) -> dict[str, int]:
    return dict(sorted(Counter(str(value or "unknown") for value in values).items()))
