"""Gathers the repairs of one lint by file, and makes them in one change.

Generated files are not part of it: they are made anew afterwards from their sources.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engrain.engine.core.drawing import draw_links
from engrain.engine.core.moving import free_place, settle
from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import tier_of
from engrain.seam.locator import Locator
from engrain.seam.storage import Stored, Write

Change: TypeAlias = "Callable[[Entry], Note]"
Generator: TypeAlias = "Callable[[Store], object]"
"""What brings generated files in step with their sources."""


OP = "lint"


class Repairs:
    """Changes of entries, each on top of those before it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stored: dict[Locator, Stored] = {}
        self._entries: dict[Locator, Entry] = {}
        self._moved: dict[Locator, Locator] = {}
        self._generators: list[Generator] = []

    def change(self, place: Locator, change: Change) -> None:
        """Change the entry at a place. Raises NotFoundError, MalformedError."""
        entry = self._open(place)
        self._entries[place] = read_entry(place, change(entry).raw)

    def draw(self, entry: Entry) -> Note:
        """An entry's note with its typed links drawn."""
        return draw_links(self._store, entry.note, entry)

    def move(self, place: Locator, folder: str) -> None:
        """Move the entry at a place to a folder, with what only its place said written into it."""
        entry = self._open(place)
        target = free_place(self._store, folder, entry)
        if target not in self._moved.values():
            self._moved[place] = target

    def generate(self, generate: Generator) -> None:
        """Have generated files made anew once all else is written."""
        if generate not in self._generators:
            self._generators.append(generate)

    def commit(self) -> str:
        """Make all repairs in one change and return its name, "" where no entry would change.
        Raises ConflictError where a file has changed since it was read."""
        writes: list[Write] = []
        expected: dict[Locator, str | None] = {}
        known: list[Entry] = []
        for place, entry in self._entries.items():
            stored, target = self._stored[place], self._moved.get(place, place)
            raw = self._finish(entry, target)
            if raw == stored.raw and target == place:
                continue
            self._store.preserve(place, stored, entry.id)
            expected[place] = stored.hash
            if target != place:
                writes.append(Write(place, None, entry.id))
                expected[target] = None
            writes.append(Write(target, raw, entry.id))
            known.append(read_entry(target, raw))
        change = ""
        if writes:
            change = self._store.commit(OP, writes, expected, known=known).change
        for generate in self._generators:
            generate(self._store)
        return change

    def _open(self, place: Locator) -> Entry:
        entry = self._entries.get(place)
        if entry is None:
            stored = self._stored[place] = self._store.backend.read(place)
            entry = self._entries[place] = read_entry(place, stored.raw)
        return entry

    def _finish(self, entry: Entry, target: Locator) -> bytes:
        """The bytes at the place where it ends up; the operator's notes are not stamped."""
        place = Locator(entry.path)
        if entry.note.raw == self._stored[place].raw and target == place:
            return entry.note.raw
        note = entry.note if target == place else settle(entry, entry.note, target)
        note = draw_links(self._store, note, read_entry(place, self._stored[place].raw))
        if tier_of(place) == "T3":
            note = note.patch({"updated": format_instant(self._store.clock.now())})
        return note.raw
