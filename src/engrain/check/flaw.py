"""Flaws, and the repairs of one run.

A flaw is fixed where only one result makes sense, else it is only reported. Repairs are gathered by
file and made in one change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias

from engrain.engine.core.drawing import draw_links
from engrain.engine.core.moving import free_place, settle
from engrain.engine.core.store import Operation, Store
from engrain.engine.indexes import write_maps
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import tier_of
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.storage import Stored

Change: TypeAlias = "Callable[[Entry], Note]"


class Repairs:
    """Changes of entries, each on top of the earlier ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stored: dict[Locator, Stored] = {}
        self._entries: dict[Locator, Entry] = {}
        self._moved: dict[Locator, Locator] = {}
        self._maps = False

    def change(self, place: Locator, change: Change) -> None:
        """Change the entry at a place. Raises NotFoundError, MalformedError."""
        entry = self._open(place)
        self._entries[place] = read_entry(place, change(entry).raw)

    def draw(self, entry: Entry) -> Note:
        """Return an entry's note with its typed links drawn."""
        return draw_links(self._store, entry.note, entry)

    def move(self, place: Locator, folder: str) -> None:
        """Move the entry at a place to a folder, and write the fields that its place implied."""
        entry = self._open(place)
        target = free_place(self._store, folder, entry)
        if target not in self._moved.values():
            self._moved[place] = target

    def write_maps(self) -> None:
        """Update the maps of contents after all other repairs."""
        self._maps = True

    def commit(self) -> str:
        """Make all repairs in one change and return its name, "" where nothing would change. Raises
        ConflictError where a file has changed since it was read."""
        operation = Operation()
        store = self._store.as_one_change(operation)
        writes = []
        known = []
        for place, entry in self._entries.items():
            stored, target = self._stored[place], self._moved.get(place, place)
            raw = self._finish(entry, target)
            if raw == stored.raw and target == place:
                continue
            self._store.preserve(place, stored, entry.id)
            if target != place:
                writes.append(Write(place, None, entry.id, stored.hash))
            before = stored.hash if target == place else None
            writes.append(Write(target, raw, entry.id, before))
            known.append(read_entry(target, raw))
        if writes:
            store.commit("check", writes, known=known)
        if self._maps:
            write_maps(store, begin=False)
        return operation.first or ""

    def _open(self, place: Locator) -> Entry:
        entry = self._entries.get(place)
        if entry is None:
            stored = self._stored[place] = self._store.backend.read(place)
            entry = self._entries[place] = read_entry(place, stored.raw)
        return entry

    def _finish(self, entry: Entry, target: Locator) -> bytes:
        """Return the bytes at its new place; the operator's notes get no time of change."""
        place = Locator(entry.path)
        if entry.note.raw == self._stored[place].raw and target == place:
            return entry.note.raw
        note = entry.note if target == place else settle(entry, entry.note, target)
        note = draw_links(self._store, note, read_entry(place, self._stored[place].raw))
        if tier_of(place) == "T3":
            note = note.patch({"updated": self._store.now})
        return note.raw


Mend: TypeAlias = "Callable[[Repairs], None]"


def change_at(place: Locator, change: Change) -> Mend:
    """Change the entry at a place by a change of its note."""
    return lambda repairs: repairs.change(place, change)


@dataclass(slots=True, eq=False)
class Flaw:
    """One flaw of the file at `place`, at `line` (from 1; 0 for the whole file). `mend` fixes it,
    None where the right state is unknown; `remedy` says what a person can do. `rule` and `severity`
    are those of the rule that found it."""

    place: str
    message: str
    _: KW_ONLY
    line: int = 0
    mend: Mend | None = None
    remedy: str | None = None
    rule: str = field(default="", init=False)
    severity: str = field(default="", init=False)

    @property
    def fixable(self) -> bool:
        """Whether `engrain check --fix` fixes it."""
        return self.mend is not None
