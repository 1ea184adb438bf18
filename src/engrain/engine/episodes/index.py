"""Writes the index of episodes for people and other programs: a generated file per day, and one for
all days (S2.2).

They are made from the episodes and rewritten only when they would change; recall never reads them.
A day is read again only when a checksum in its file differs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from engrain.engine.core.generated import count_values, read_generated, write_generated
from engrain.engine.core.store import Store
from engrain.engine.episodes.episode import FOLDER, KIND
from engrain.model.note.documents import write_json
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row

NAME = "index.json"
_SAID = "by engrain from the episodes; a change here is lost, and so is nothing when it is deleted"
_ALL = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
_BATCH = 64
"""Files that one commit writes."""


def write_episode_index(store: Store, days: Collection[str] | None = None) -> int:
    """Bring the generated files in step with the episodes, those of some `days` (YYYY-MM-DD) if
    given and that of all days; returns how many were written or removed. A file that another
    process is writing is left to that."""
    store.require_index()
    rows: dict[str, list[Row]] = {}
    for row in store.index.find(_ALL):
        folder, _, day = row.locator.folder.rpartition("/")
        if folder == FOLDER and row.locator.name != NAME:
            rows.setdefault(day, []).append(row)
    written = 0
    wanted: dict[Locator, bytes | None] = {}
    told: dict[str, Any] = {}
    for day in sorted(rows):
        place = Locator(f"{FOLDER}/{day}/{NAME}")
        before = read_generated(store, place)
        entries = _known(before, rows[day])
        if entries is None:
            entries = [_describe(store, row) for row in rows[day]]
            entries.sort(key=lambda entry: (str(entry["timestamp"]), str(entry["id"])))
            if days is None or day in days:
                content = {"_generated": _SAID, "day": day, "episodes": entries}
                wanted[place] = write_json({**content, "checksum": _sum(rows[day], entries)})
        told[day] = _count(entries)
        if len(wanted) == _BATCH:
            written += write_generated(store, wanted)
            wanted.clear()
    for place in _outdated(store, rows):
        wanted[place] = None
    whole = {"_generated": _SAID, "episodes": sum(map(len, rows.values())), "days": told}
    wanted[Locator(f"{FOLDER}/{NAME}")] = write_json(whole) if rows else None
    return written + write_generated(store, wanted)


def _describe(store: Store, row: Row) -> dict[str, Any]:
    """One episode's line; of one that can't be read just now, what the index has."""
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


def _known(before: dict[str, Any], rows: Sequence[Row]) -> list[dict[str, Any]] | None:
    """What a day's file says, where that is of these very episodes; else None."""
    entries = before.get("episodes")
    if isinstance(entries, list) and before.get("checksum") == _sum(rows, entries):
        return entries
    return None


def _sum(rows: Sequence[Row], entries: Sequence[dict[str, Any]]) -> str:
    sources = sorted((row.locator, row.id, row.hash) for row in rows)
    return hash_bytes(json.dumps([sources, entries], sort_keys=True).encode())


def _count(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "episodes": len(entries),
        "outcomes": count_values(entry["outcome"] for entry in entries),
        "first": entries[0]["timestamp"],
        "last": entries[-1]["timestamp"],
    }


def _outdated(store: Store, rows: dict[str, list[Row]]) -> list[Locator]:
    """The files of days that have no episodes any more, by the file of all days."""
    told = read_generated(store, Locator(f"{FOLDER}/{NAME}")).get("days")
    days = [day for day in told if day not in rows] if isinstance(told, dict) else []
    return [Locator(f"{FOLDER}/{day}/{NAME}") for day in days if "/" not in day and day[:1] != "."]
