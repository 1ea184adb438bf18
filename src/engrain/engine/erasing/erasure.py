"""Erases entries for good: the one exception to soft deletion (DESIGN section 7).

Each step is whole or absent, and the history verifies after each:

1. `erasing`, one change: the entries' files go, and tombstones come.
2. Links to them in other notes are rewritten, and what stays of changes that are about to go is
   recorded anew under the origin it has.
3. `erase`: a change that names those whose payloads go.
4. Those payloads are blanked.
5. What this device derived is cleaned.

After the first, the next scan on any device of the vault does the rest.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from engrain.engine.core.retrying import try_again
from engrain.engine.core.store import Actor, Store
from engrain.engine.episodes.index import NAME
from engrain.engine.erasing.names import Names
from engrain.engine.erasing.plan import keep_names, learn_names, unlink_note
from engrain.engine.erasing.survey import Met, survey
from engrain.engine.erasing.traces import ERASE, ERASING, find_traces
from engrain.engine.maps.map import list_maps
from engrain.model.errors import ConflictError
from engrain.model.facts.entity import FOLDER as ENTITIES
from engrain.model.facts.entity import INDEX, SUMMARY
from engrain.model.history.tombstone import compose_tombstone, stem_of
from engrain.model.note.entry import Entry
from engrain.model.note.ids import path_id
from engrain.model.note.tiers import record_kind
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import Stored, Write

_ATTEMPTS = 8
_AT_ONCE = 64
"""Files of one change at most, so that what they lose together one day is little."""
_NAMED_AT_ONCE = 1000


def destroy(store: Store, ids: Iterable[str], progress: Progress | None = None) -> list[str]:
    """Take entries out of the vault and out of this device's history: steps 1 to 4. Repeating it
    does what is left to do. Returns the names of the changes whose payloads went.

    Raises ConflictError where others keep changing the same notes, LockedError, StorageError.
    """
    ids = list(ids)

    def attempt() -> list[str]:
        names, places = _bury(store, ids, progress)
        _unlink(store, names)
        traces = find_traces(store.backend, names, progress)
        if traces.losing:
            _record_anew(store, traces.losing, traces.changes)
        _name(store, places, traces.changes)
        return traces.changes

    changes = try_again(attempt, _ATTEMPTS)
    store.backend.erase(changes)
    return changes


def _bury(
    store: Store, ids: Sequence[str], progress: Progress | None
) -> tuple[Names, dict[str, Locator]]:
    """Put tombstones in the places of the entries; where the tombstone of each id is."""
    met, _ = survey(store.backend, progress)
    names = learn_names(store, ids, met)
    keep_names(store, names, met)
    buried = {note.id: note.locator for note in met if note.buried and note.id in names.ids}
    live = [note for note in met if not note.buried and note.id in names.ids]
    if live:
        at = store.clock.now()
        writes = {note.locator: Write(note.locator, None, note.id) for note in live}
        expected: dict[Locator, str | None] = {note.locator: note.hash for note in live}
        for id_, place in _choose_places(live, buried).items():
            raw = compose_tombstone(
                id_, at, names.seals(id_), names.codes(id_), names.contents(id_)
            )
            writes[place] = Write(place, raw, id_)
            there = store.find_stored(place)
            expected.setdefault(place, there.hash if there else None)
            buried[id_] = place
        folders = dict.fromkeys(note.locator.folder for note in live)
        made = [place for folder in folders for place in _made_of(folder)]
        for place in dict.fromkeys((*made, *list_maps(store))):
            # It tells of what goes, and is made anew from what stays.
            if found := store.find_stored(place):
                writes[place] = Write(place, None, path_id(place))
                expected[place] = found.hash
        store.commit(ERASING, list(writes.values()), expected)
    nowhere = {id_: make_locator(f"Memory/{stem_of(id_)}.md") for id_ in names.ids}
    return names, nowhere | buried


def _made_of(folder: str) -> list[Locator]:
    """The generated files that tell of the records in a folder: the list of a day's episodes, the
    summary of an entity and the index of all of them."""
    if folder.startswith(f"{ENTITIES}/"):
        return [Locator(f"{folder}/{SUMMARY}"), Locator(INDEX)]
    return [Locator(f"{folder}/{NAME}")] if record_kind(folder) else []


def _choose_places(live: Iterable[Met], buried: Container[str]) -> dict[str, Locator]:
    """Where the tombstones come of entries that have none: beside what they replace."""
    places: dict[str, Locator] = {}
    for note in live:
        if note.id not in buried:
            folder = f"{note.locator.folder}/" if note.locator.folder else ""
            places.setdefault(note.id, make_locator(f"{folder}{stem_of(note.id)}.md"))
    return places


def _unlink(store: Store, names: Names) -> None:
    """Rewrite the links to what was erased in all notes that stay."""
    for _ in range(_ATTEMPTS):
        found = _find_links(store, names)
        if not found:
            return
        _attest(store, found, "the entry it linked to was erased")
    raise ConflictError("notes that link to it change all the time", remedy="try again")


def _find_links(store: Store, names: Names) -> list[tuple[Write, str]]:
    """What is to be written where a note that stays links to the erased, over which hash."""
    found: list[tuple[Write, str]] = []

    def look(locator: Locator, stored: Stored, entry: Entry) -> None:
        if entry.id not in names.ids:
            raw = unlink_note(names, entry)
            if raw != stored.raw:
                found.append((Write(locator, raw, entry.id), stored.hash))

    survey(store.backend, None, look)
    return found


def _record_anew(store: Store, losing: set[str], changes: Sequence[str]) -> None:
    """Record what stands now of entries whose changes are about to be erased, lest their bytes be
    taken for another program's. What no change explains yet is left to the scan."""
    store.upkeep.drain()
    going = set(changes)
    found: list[tuple[Write, str]] = []

    def look(locator: Locator, stored: Stored, entry: Entry) -> None:
        if entry.id in losing and store.index.knows_bytes(locator, stored.hash):
            left = [
                change
                for change in store.index.changes(entry=entry.id, locator=locator)
                if change.after_hash == stored.hash and change.change not in going
            ]
            # A record that gives its content an origin by itself needs no other.
            if not any(change.op in ("attest", "external") for change in left):
                found.append((Write(locator, stored.raw, entry.id), stored.hash))

    survey(store.backend, None, look)
    _attest(store, found, "what it was recorded with was erased")


def _attest(store: Store, found: Sequence[tuple[Write, str]], reason: str) -> None:
    """Commit files under the origin that they have now, as the index tells it."""
    store.upkeep.drain()
    by_origin: dict[str, list[tuple[Write, str]]] = {}
    for write, hash_ in found:
        rows = [row for row in store.index.lookup(write.locator) if row.locator == write.locator]
        known = rows and rows[0].hash == hash_ and rows[0].attested
        by_origin.setdefault(rows[0].source if known else "", []).append((write, hash_))
    for origin, those in by_origin.items():
        for start in range(0, len(those), _AT_ONCE):
            part = those[start : start + _AT_ONCE]
            store.commit(
                "attest" if origin else "external",
                [write for write, _ in part],
                {write.locator: hash_ for write, hash_ in part},
                reason=reason,
                actor=Actor(store.actor.agent, origin or "external"),
            )


def _name(store: Store, places: dict[str, Locator], changes: Sequence[str]) -> None:
    """Record which payloads are erased, with the tombstones that stand for it."""
    writes: list[Write] = []
    expected: dict[Locator, str | None] = {}
    for id_, place in places.items():
        stored = store.find_stored(place)
        expected[place] = stored.hash if stored else None
        writes.append(Write(place, stored.raw if stored else None, id_))
    for start in range(0, max(len(changes), 1), _NAMED_AT_ONCE):
        part = changes[start : start + _NAMED_AT_ONCE]
        store.commit(ERASE, writes, expected, undoes=" ".join(part))
