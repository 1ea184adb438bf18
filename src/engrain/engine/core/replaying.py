"""Brings a search index up to date with the changes recorded since its last update.

The records of all new changes are taken in first, then each place that they name is read once,
however often it changed. All of it is one transaction of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.core.reading import mark_for_scan, read_places
from engrain.model.errors import HistoryError
from engrain.model.history.line import is_blank
from engrain.model.history.record import check_code, decode_record
from engrain.model.note.note import base_device, is_branch
from engrain.model.note.tiers import is_generated
from engrain.seam.batches import BATCH, Batch
from engrain.seam.locator import Locator

if TYPE_CHECKING:
    from engrain.index.sqlite_index import SearchIndex
    from engrain.model.history.record import FileChange, Record
    from engrain.model.note.entry import Entry
    from engrain.seam.derived import MakeGuard
    from engrain.seam.storage import Attestor, StorageBackend


Parsed: TypeAlias = "Mapping[tuple[str, str], Entry]"
"""Parsed entries by path and hash."""
HURRIED = 128
"""The most records and files, together, that a reader in a hurry takes in: some 20 ms."""
ALWAYS_REPLAYED = 2_000
"""The number of changed notes up to which the index is never rebuilt, however small it is."""


def is_rebuild_cheaper(places: int, entries: int) -> bool:
    """Whether replaying `places` changed notes costs more than rebuilding an index of `entries`.

    Measured with 60,000 records: a record costs 0.07 ms either way; a note costs 0.27 ms in the
    existing index, because its old rows must be removed, and 0.15 ms in a new one. So a rebuild is
    faster if nearly everything is new, and soon slower if much is known already.
    """
    return places > ALWAYS_REPLAYED and places > entries


def read_chain(
    backend: StorageBackend, attestor: Attestor, device: str, after: str | None
) -> Iterator[tuple[Record | None, str]]:
    """Yield the records of a device behind a cursor, each with the cursor behind it; None in place
    of an unreadable record."""

    def holds(message: bytes, code: str) -> bool:
        return attestor.holds(backend.vault, message, code)

    for link in backend.chain(device, after):
        try:
            record = decode_record(link.line, link.payload, with_bytes=False)
            record.device = device  # the chain decides, not the record: changes are named by it
            record.attested = (
                not is_blank(link.payload)
                if link.vouched
                else check_code(link.line, link.payload, holds, base_device(device))
            )
        except HistoryError:
            # The rest of the chain still counts; `check` reports this record.
            record = None
        yield record, link.cursor


class Stretch:
    """A part of one device's chain while it is read: the records not taken yet, the newest record
    with those flushed together with it, and the cursors before and behind these."""

    __slots__ = ("before", "cursor", "newest", "records")

    def __init__(self, cursor: str) -> None:
        self.records: list[Record] = []
        self.newest: list[Record] = []
        self.before = self.cursor = cursor

    def add(self, record: Record | None, cursor: str) -> None:
        if not record or not record.together:
            self.before, self.newest = self.cursor, []
        self.cursor = cursor
        if record:
            self.records.append(record)
            self.newest.append(record)

    @property
    def full(self) -> bool:
        """Whether there are enough records for a batch."""
        return len(self.records) >= BATCH

    def pop_records(self) -> list[Record]:
        """Return the records that were added since the last call."""
        taken, self.records = self.records, []
        return taken


class Replay:
    """One update of the index by replay, in one transaction."""

    def __init__(
        self,
        backend: StorageBackend,
        index: SearchIndex,
        attestor: Attestor,
        make_guard: MakeGuard,
        parsed: Parsed,
        hurried: bool,
        may_rebuild: bool,
    ) -> None:
        """Prepare a replay. If `hurried`, it stops before more than HURRIED records and files; with
        `may_rebuild` it gives up if a rebuild is cheaper. `parsed` needs no parsing any more."""
        self._backend = backend
        self._index = index
        self._attestor = attestor
        self._make_guard = make_guard
        self._parsed = parsed
        self._most = HURRIED if hurried else None
        self._may_rebuild = may_rebuild
        self._entries: int | None = None
        self._replayed = 0
        self._places: dict[Locator, bool] = {}
        self._hashes: dict[Locator, str] = {}

    def run(self) -> int | None:
        """Take in the new changes, and return the number of their records. Return None if a rebuild
        is cheaper: then the index may have some of the records, but no cursor has moved."""
        with self._index.exclusive():
            return self._run()

    def _run(self) -> int | None:
        cursors = self._index.cursors()
        chains = {}
        heads = self._backend.heads()
        # The records of a new branch may have been in the base chain at positions that other
        # records have now, so the base chain is read anew.
        anew = {base_device(chain) for chain in heads if is_branch(chain) and chain not in cursors}
        for device, head in heads.items():
            if cursors.get(device) != head or device in anew:
                known = "" if device in anew else cursors.get(device)
                chains[device] = Stretch(known or "")
                if not self._follow(device, chains[device]):
                    return None
        self._read(place for place, foreign in self._places.items() if not foreign)
        self._read((place for place, foreign in self._places.items() if foreign), foreign=True)
        for device, chain in chains.items():
            self._end(device, chain)
        return self._replayed

    def _follow(self, device: str, chain: Stretch) -> bool:
        """Take in the records of a device, and note the places that they name. Return False as soon
        as these are so many that a rebuild is cheaper."""
        foreign = device != self._backend.device
        for record, cursor in read_chain(self._backend, self._attestor, device, chain.cursor):
            files = record.files or () if record else ()
            if self._most is not None and self._work() + 1 + len(files) > self._most:
                break
            chain.add(record, cursor)
            self._replayed += 1
            for file in files:
                place = Locator(file.path)
                # Moved to the end: the places are read in the order of their last changes.
                self._places[place] = self._places.pop(place, False) or foreign
            if chain.full:
                self._index.apply(Batch(records=chain.pop_records()))
                if self._is_too_much():
                    return False
        self._index.apply(Batch(records=chain.pop_records()))
        return not self._is_too_much()

    def _work(self) -> int:
        return self._replayed + len(self._places)

    def _is_too_much(self) -> bool:
        if not self._may_rebuild or len(self._places) <= ALWAYS_REPLAYED:
            return False
        if self._entries is None:
            self._entries = self._index.status().entries
        return is_rebuild_cheaper(len(self._places), self._entries)

    def _read(self, places: Iterable[Locator], *, foreign: bool = False) -> None:
        """Read places into the index; of `foreign` ones, which other devices changed, leave out
        erased entries."""
        wanted = list(places)
        guard = self._make_guard() if foreign and wanted and self._index.erasures() else None
        for start in range(0, len(wanted), BATCH):
            batch = read_places(self._backend, wanted[start : start + BATCH], parsed=self._parsed)
            if guard:
                guard.hold_back(batch)
            mark_for_scan(batch, self._index)
            self._index.apply(batch)
            self._hashes.update((one.locator, one.hash) for one in batch.documents)

    def _end(self, device: str, chain: Stretch) -> None:
        """Move the index's cursor for a device's chain behind the records that were taken in.

        A record is written before its files. So if files of the newest record, or of those flushed
        together with it, are not as recorded, its writer may still be writing: while any writer is
        at work, the cursor stays before these records, and the next replay repeats them. Once none
        is, theirs has finished or died, because a writer holds one lock from the record to the last
        file. Then the files are read once more, and the cursor moves: any difference that is left
        was made by somebody else. Later changes are found by a scan, and a change that a dead
        writer left half done is read again by whoever completes it (`IndexUpkeep.ensure`).
        """
        cursor = chain.cursor
        late = [Locator(file.path) for file in self._late(chain.newest)]
        if late:
            if self._backend.is_busy():
                cursor = chain.before
            else:
                self._read(late, foreign=device != self._backend.device)
        self._index.apply(Batch(cursors={device: cursor}))

    def _late(self, records: Iterable[Record]) -> Iterator[FileChange]:
        """Yield the files of some records that were not read as recorded, without generated files,
        which are no entries."""
        for file in (file for record in records for file in record.files or ()):
            known = self._hashes.get(Locator(file.path))
            if known != file.after_hash and not is_generated(file.path):
                yield file
