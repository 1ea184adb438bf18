"""Writes the generated files for people and other programs: indexes of entities and episodes (S2.2,
S4.1), and maps of contents (S1.8). They are rewritten only when they would change.

There is one index of all entities, one of the episodes of each day, and one of all days. Engrain
never reads them to find an entry; an entity, or a day, is read again only when a checksum in its
file differs. The maps are `_index.md` at the vault's root, in `Memory/` and of each project, with
further pages where one would be too long. A map whose first line a person removed is theirs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from engrain.engine.core.store import Store, try_again
from engrain.engine.entities.files import ACTIVE_ENTITIES, try_filed
from engrain.engine.episodes.episode import FOLDER, KIND
from engrain.language.text.fences import shorten
from engrain.language.text.folding import slugify
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.facts.entity import INDEX, slug_at
from engrain.model.map_pages import (
    MapItem,
    MapSection,
    compose_link,
    compose_map,
    find_gist,
    is_generated_map,
    sections_of,
)
from engrain.model.note.documents import object_of, objects_of, parse_object, write_json
from engrain.model.note.json_note import GENERATED_BY
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes, path_id
from engrain.model.note.tiers import (
    ACTIVE,
    LIVE,
    PROJECTS,
    SUPERSEDED,
    is_map,
    map_page,
    project_of,
)
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import COUNTED, Filter, Row
from engrain.seam.storage import hash_of

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
    days."""
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
    document = entry.note.document if entry else {}
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


_LISTED = Filter(statuses=(ACTIVE, SUPERSEDED), zones=(LIVE,), successions=COUNTED)
_GIST = 240
"""Characters of an entry's gist that are kept until its line is written."""
_MEMORY = "Memory"
_ROOT_HEADING, _MEMORY_HEADING = "Map of the vault", "Map of memory"
_ALL_PROJECTS = "_projects"
"""The key of the list of projects, which is no kind's slug."""


@dataclass(slots=True, eq=False)
class Maps:
    """The result of writing the maps: the number of `pages` and `entries`; the places `written` and
    `removed`, and those left alone: `kept`, which are not marked as generated, and `unreadable`."""

    entries: int
    pages: int = field(default=0, init=False)
    kept: list[str] = field(default_factory=list, init=False)
    unreadable: list[str] = field(default_factory=list, init=False)
    written: list[str] = field(default_factory=list, init=False)
    removed: list[str] = field(default_factory=list, init=False)


def write_maps(store: Store, *, begin: bool = True) -> Maps:
    """Update the maps, in one change unless they are very many. Without `begin` no first map is
    made. Raises IndexUnavailableError; ConflictError where others keep writing them."""

    def write() -> Maps:
        maps, writes = _plan(store, begin=begin)
        for start in range(0, len(writes), _BATCH):
            store.commit("map", writes[start : start + _BATCH])
        return maps

    return try_again(write, after=store.pause)


def list_maps(store: Store) -> list[Locator]:
    """List the maps that are still marked as generated, and their further pages."""
    found = []
    for place in sorted(filter(is_map, store.backend.others())):
        try:
            if is_generated_map(store.backend.read(place).raw):
                found.append(place)
        except EngrainError:
            continue  # it vanished just now, or can't be read
    return found


def check_maps(store: Store, *, begin: bool = True) -> Maps:
    """Plan the maps without writing them. Without `begin` no first map is planned. Raises
    IndexUnavailableError."""
    return _plan(store, begin=begin)[0]


def _plan(store: Store, *, begin: bool) -> tuple[Maps, list[Write]]:
    store.require_index()
    before = {place for place in store.backend.others() if is_map(place)}
    if not begin and not before:
        return Maps(0), []
    listed = Listed(store)
    maps = Maps(listed.count)
    wanted: dict[Locator, bytes | None] = dict.fromkeys(before)
    wanted |= {place: text.encode() for place, text in _Composer(listed).compose()}
    writes: list[Write] = []
    for place, after in sorted(wanted.items(), key=lambda item: item[0]):
        maps.pages += after is not None
        try:
            stored = store.find_stored(place)
        except EngrainError:
            maps.unreadable.append(place)
            continue
        if stored is not None and not is_generated_map(stored.raw):
            maps.kept.append(place)
        elif (None if stored is None else stored.raw) != after:
            (maps.removed if after is None else maps.written).append(place)
            writes.append(Write(place, after, path_id(place), hash_of(stored)))
    return maps, writes


class _Composer:
    """Composes the pages."""

    def __init__(self, listed: Listed) -> None:
        self._listed = listed

    def compose(self) -> Iterator[tuple[Locator, str]]:
        """Yield every page and its text."""
        if not self._listed.count and not self._listed.records:
            return
        yield from self._compose_root()
        whole = f"Part of {self._link('', _ROOT_HEADING)}."
        own, records = self._listed.own, self._listed.records
        if own or records:
            lead = [_count(len(own)), "", whole]
            if records:
                kinds = (f"{count} of kind {kind}" for kind, count in sorted(records.items()))
                lead += ["", f"Records, which are no notes: {', '.join(kinds)}."]
            sections = sections_of(own, projects=True)
            yield from self._pages(_MEMORY, _MEMORY_HEADING, lead, sections)
        for folder, items in self._listed.projects.items():
            lead = [_count(len(items)), "", whole]
            sections = sections_of(items, projects=False)
            yield from self._pages(folder, _heading(folder), lead, sections)

    def _compose_root(self) -> Iterator[tuple[Locator, str]]:
        shared, own = self._listed.shared, self._listed.own
        lead = [_count(len(shared))]
        if own or self._listed.records:
            lead += ["", f"The agent's own: {self._link(_MEMORY, _MEMORY_HEADING)} ({len(own)})."]
        sections = sections_of(shared, projects=True)
        projects = [
            f"- {self._link(folder, _heading(folder))} ({len(items)})"
            for folder, items in sorted(self._listed.projects.items())
        ]
        if projects:
            sections.insert(0, MapSection(_ALL_PROJECTS, "Projects", projects))
        yield from self._pages("", _ROOT_HEADING, lead, sections)

    def _pages(
        self, folder: str, heading: str, lead: Sequence[str], sections: Sequence[MapSection]
    ) -> Iterator[tuple[Locator, str]]:
        pages = compose_map(folder, heading, lead, sections)
        return ((Locator(place), text) for place, text in pages)

    def _link(self, folder: str, heading: str) -> str:
        return compose_link(map_page(folder), heading)


def _heading(folder: str) -> str:
    return f"Map of {folder.partition('/')[2]}"


def _count(number: int) -> str:
    return "1 note." if number == 1 else f"{number} notes."


class Listed:
    """The entries that maps list, by tier and by project folder. Records of JSON are only
    counted."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        self.shared: list[MapItem] = []
        self.own: list[MapItem] = []
        self.projects: dict[str, list[MapItem]] = {}
        self.records: dict[str, int] = {}
        rows = sorted(store.index.find(_LISTED), key=lambda row: row.locator)
        folders = _find_folders(rows)
        for row in rows:
            if row.locator.endswith(".json"):
                self.records[row.kind] = self.records.get(row.kind, 0) + 1
                continue
            item = _read_item(store, row)
            self.count += 1
            if row.project:
                self.projects.setdefault(folders[_key(row.project)], []).append(item)
            if row.tier == "T3":
                self.own.append(item)
            elif project_of(row.locator) is None:
                self.shared.append(item)


def _find_folders(rows: Iterable[Row]) -> dict[str, str]:
    folders: dict[str, str] = {}
    for row in rows:
        if row.project:
            key = _key(row.project)
            folders.setdefault(key, f"{PROJECTS}/{key}")
            if row.locator.startswith(f"{PROJECTS}/{row.project}/"):
                folders[key] = f"{PROJECTS}/{row.project}"
    return folders


def _key(project: str) -> str:
    return slugify(project, "project")


def _read_item(store: Store, row: Row) -> MapItem:
    entry = store.find_entry(row.locator)
    gist = shorten(find_gist(entry.fields, entry.text), _GIST) if entry else ""
    status = row.status_for(COUNTED)
    return MapItem(row.locator, row.title, row.kind, status, row.project or "", row.tags, gist)
