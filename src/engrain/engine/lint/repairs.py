"""The repairs of one lint, gathered file by file and made in one change."""

from __future__ import annotations

from engrain.engine.moving import free_place, settle
from engrain.model.entry import read_entry
from engrain.model.instants import format_instant
from engrain.model.tiers import tier_of
from engrain.seam.locator import Locator
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from engrain.engine.store import Store
    from engrain.model.entry import Entry
    from engrain.model.note import Note
    from engrain.seam.storage import Stored

    Change: TypeAlias = Callable[[Entry], Note]

OP = "lint"


class Repairs:
    """Changes of entries, each on top of those before it, and files that are made of others."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stored: dict[Locator, Stored] = {}
        self._entries: dict[Locator, Entry] = {}
        self._moved: dict[Locator, Locator] = {}
        self._made: dict[Locator, tuple[Write, str | None]] = {}

    def __len__(self) -> int:
        return len(self._entries) + len(self._made)

    def change(self, place: Locator, change: Change) -> None:
        """Change the entry at a place. Raises NotFoundError, MalformedError."""
        entry = self._open(place)
        self._entries[place] = read_entry(place, change(entry).raw)

    def move(self, place: Locator, folder: str) -> None:
        """Move the entry at a place to a folder; what only its place said is written into it."""
        entry = self._open(place)
        target = free_place(self._store, folder, entry)
        if target not in self._moved.values():
            self._moved[place] = target

    def make(self, writes: Iterable[Write], expected: dict[Locator, str | None]) -> None:
        """Write files that are no entries, over what was found in their places."""
        for write in writes:
            self._made[write.locator] = (write, expected[write.locator])

    def commit(self) -> str:
        """Make them all in one change, which is named; "" where nothing would change. Raises
        ConflictError where a file is no longer what it was when it was read."""
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
        for place, (write, before) in self._made.items():
            writes.append(write)
            expected[place] = before
        if not writes:
            return ""
        return self._store.commit(OP, writes, expected, known=known).change

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
        if tier_of(place) == "T3":
            note = note.patch({"updated": format_instant(self._store.clock.now())})
        return note.raw
