"""Makes a search index fresh enough for a reader: takes in changes that were recorded since, and
reads files again about which the index proved wrong (S1.19, DESIGN section 8).

`upkeep` does the rest: it looks for edits by other programs, and rebuilds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engrain.model.errors import IndexUnavailableError, StorageError
from engrain.seam.locator import Locator

if TYPE_CHECKING:
    from engrain.index.sqlite_index import SearchIndex
    from engrain.model.history.record import Record
    from engrain.model.note.entry import Entry
    from engrain.seam.rows import Row
    from engrain.seam.storage import StorageBackend

T = TypeVar("T")

ReadAgain: TypeAlias = "Callable[[SearchIndex, Iterable[Locator]], None]"
"""Reads places again into an index that proved wrong about them (`reading.read_again`)."""
TakeIn: TypeAlias = "Callable[[SearchIndex, dict[tuple[str, str], Entry], bool, bool], int | None]"
"""Takes recorded changes into an index, with entries that are parsed already, as far as a reader in
a hurry does if the first flag is set; with the second it gives up if a rebuild is cheaper."""


ATTEMPTS = 5
"""The most attempts at reading from an index that other processes change or replace."""


class Freshness:
    """Keeps the search index of one store as new as its history."""

    def __init__(
        self, backend: StorageBackend, index: SearchIndex, read_again: ReadAgain, take_in: TakeIn
    ) -> None:
        self._backend = backend
        self._index = index
        self._read_again = read_again
        self._take_in = take_in
        self._parsed: dict[tuple[str, str], Entry] = {}
        self._noted = 0
        self._learned = False  # whether records came since `Edits.cancel_mistaken` last ran

    def ensure_quickly(self) -> str | None:
        """Make the index able to answer a reader in a hurry: wait for no rebuild, take in a bounded
        part of the new changes, and do without those that another writer is indexing. Return the
        reason if it can't answer, else None."""
        completed = self._backend.recover()
        if unfit := self._index.check():
            return f"the index is {unfit}; run `engrain jobs reindex`"
        try:
            self._replay(hurried=True)
            self._read_completed(completed)
        except (IndexUnavailableError, StorageError):
            return None  # another writer is indexing, or reading fails: do without the changes
        return None

    def refresh(self, locators: Iterable[Locator]) -> None:
        """Read these places again, because the index proved wrong about them."""
        self._read_again(self._index, locators)

    def read_fresh(self, read: Callable[[], T], rows_of: Callable[[T], Iterable[Row]]) -> T:
        """Return what `read` finds in the index. While files of its rows are not as indexed,
        refresh them and read again, at most five times."""
        for _ in range(ATTEMPTS):
            found = read()
            stamps = self._index.stamps_of([row.locator for row in rows_of(found)])
            stale = self._backend.find_changed(stamps)
            if not stale:
                break
            self.refresh(map(Locator, stale))
        return found

    def _read_completed(self, records: Sequence[Record]) -> None:
        """Read the files of changes that a dead writer left half done and that were completed just
        now: a replay before that read the old files."""
        if places := [Locator(file.path) for record in records for file in record.files or ()]:
            self.refresh(places)

    def _replay(self, *, hurried: bool = False, may_rebuild: bool = False) -> int | None:
        """Take in all recorded changes that are new to the index, and return their number; None if
        a rebuild is cheaper and `may_rebuild`."""
        parsed, self._parsed, self._noted = self._parsed, {}, 0
        cursors = self._index.cursors()
        if all(cursors.get(device) == head for device, head in self._backend.heads().items()):
            return 0
        self._learned = True
        return self._take_in(self._index, parsed, hurried, may_rebuild)
