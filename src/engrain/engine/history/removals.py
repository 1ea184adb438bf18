"""Notes that another program removed: which are missing, and which the history calls removed
(S1.19)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from engrain.engine.core.store import Store
from engrain.language.text.folding import name_key
from engrain.model.errors import EngrainError, UsageError
from engrain.model.history.line import split_change
from engrain.model.history.record import decode_record
from engrain.model.note.entry import read_entry
from engrain.model.note.tiers import split_ending
from engrain.seam.batches import Change
from engrain.seam.locator import Locator

_PREFIX = 4
_MOST_NAMED = 5


@dataclass(slots=True, eq=False)
class Removed:
    """A note whose file is gone: its id, its place and the time of the removal's record (epoch
    seconds), None if none was made yet."""

    id: str
    place: Locator
    at: float | None


def list_missing(store: Store) -> list[Removed]:
    """List the notes whose files are gone, and that no record calls removed: too many went at once.
    Raises IndexUnavailableError."""
    return [
        Removed(change.entry, change.locator, None)
        for change in store.upkeep.list_missing()
        if change.locator
    ]


def list_removed(store: Store) -> list[Removed]:
    """List the notes that another program removed by a record and that are still gone, newest
    first. Raises IndexUnavailableError."""
    found = {}
    for change in store.index.changes(op="external"):
        place = change.locator
        if place is None or change.after_hash is not None or change.entry in found:
            continue
        if store.index.hash_at(place) is None and store.find_exact(change.entry) is None:
            found[change.entry] = Removed(change.entry, place, change.at)
    return [*found.values()]


def accept_missing(store: Store) -> int:
    """Record that the missing notes were removed on purpose; return their number. Each can still be
    restored. Raises what the store raises."""
    missing = store.upkeep.list_missing()
    store.upkeep.edits().record_missing(missing)
    return len(missing)


def find_removed(store: Store, reference: str) -> str | None:
    """Return the id of the removed or missing note that a reference means: an id or its beginning,
    a place, a file's name or a title. Return None for none. Raises UsageError for several."""
    gone = {one.id: one for one in (*list_missing(store), *list_removed(store))}
    for matches in (_is_named, _is_titled):
        found = [one for one in gone.values() if matches(store, one, reference)]
        if len(found) > 1:
            names = ", ".join(f"{one.id} ({one.place})" for one in found[:_MOST_NAMED])
            raise UsageError(f"{reference!r} may mean {len(found)} removed notes: {names}")
        if found:
            return found[0].id
    return None


def _is_named(_: Store, one: Removed, reference: str) -> bool:
    begins = len(reference) >= _PREFIX and one.id.startswith(reference)
    stem = split_ending(one.place.name)[0]
    return begins or reference in (one.id, one.place) or name_key(reference) == name_key(stem)


def _is_titled(store: Store, one: Removed, reference: str) -> bool:
    key = name_key(reference)
    return any(name_key(title) == key for title in _read_titles(store, one))


def _read_titles(store: Store, one: Removed) -> Iterator[str]:
    for change in store.index.changes(locator=one.place):
        with suppress(EngrainError):
            if raw := read_left(store, change):
                yield read_entry(one.place, raw).title
                return


def read_left(store: Store, change: Change) -> bytes | None:
    """Return the bytes that a change left at its place, None if it left none or they were erased.
    Raises NotFoundError, HistoryError."""
    name = split_change(change.change)
    if change.locator is None or change.after_hash is None or name is None:
        return None
    link = store.backend.find_change(*name)
    files = decode_record(link.line, link.payload).files or ()
    return next((file.after for file in files if file.path == change.locator), None)
