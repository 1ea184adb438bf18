"""Keeps erased entries out of the index, and erases them again where they come back (DESIGN section
7).

Synchronisers, backups and conflict copies bring files back. They are recognised by id, or by the
code of their text in a tombstone, before they are indexed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engrain.engine.core.erased_contents import counts, find_erasures
from engrain.engine.core.guard import Guard
from engrain.engine.core.store import Store
from engrain.engine.core.vectors import embedded_keys
from engrain.engine.erasing.erasure import destroy
from engrain.engine.erasing.traces import ERASE, ERASING
from engrain.model.errors import EngrainError
from engrain.model.history.record import Record
from engrain.model.history.tombstone import PREFIX, codes_of, is_tombstone, seal_message
from engrain.model.note.entry import Entry, read_entry
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.search import Batch, Change, Document

_NOTE = "erasures"
_OPS = (ERASE, ERASING)


class ErasureGuard(Guard):
    """The erasures of one store, during one pass of its upkeep."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: list[Document] = []
        self._ids: set[str] | None = None
        self._seals: set[str] = set()

    def learn(self, records: Iterable[Record]) -> None:
        """Take in what records erase, where there is no index yet to tell it."""
        self._ids = set() if self._ids is None else self._ids
        for record in records:
            own = record.device == self._store.backend.device
            if record.op in _OPS and counts(self._store, own, record.attested):
                self._ids.update(record.entries)

    def learn_places(self, places: Iterable[Locator]) -> None:
        """Take in what the tombstones among some places know of their texts."""
        for place in places:
            if place.name.startswith(PREFIX):
                try:
                    entry = read_entry(place, self._store.backend.read(place).raw)
                except EngrainError:
                    continue
                self._seals.update(codes_of(entry, "seals"))

    def hold(self, batch: Batch) -> None:
        """Take out of a batch what was erased, as if nothing were there."""
        if not batch.documents:
            return
        if self._ids is None:
            self._ids = {change.entry for change in find_erasures(self._store)}
            places = [row.locator for id_ in self._ids for row in self._store.index.lookup(id_)]
            self.learn_places(places)
        if not self._ids and not self._seals:
            return
        held = [document for document in batch.documents if self._stops(document.entry)]
        if held:
            gone = {document.locator for document in held}
            batch.documents = [item for item in batch.documents if item.locator not in gone]
            batch.problems = [item for item in batch.problems if item.locator not in gone]
            batch.gone = [*batch.gone, *gone]
            self._held += held

    def settle(self, progress: Progress | None = None) -> None:
        """Complete every erasure, of this and other devices, and erase again what came back. Cheap
        when there is nothing to do.

        Raises what the store raises where it can't be written now.
        """
        found = find_erasures(self._store)
        if not found:
            return
        returned = self._judge()
        names = sorted({change.change for change in found})
        fresh = self._store.local.read_note(_NOTE) != names
        pending = [*returned, *(self._unfinished(found) if fresh else ())]
        if pending:
            if self._store.backend.probe():
                return  # looking through the whole vault would be for nothing
            destroy(self._store, dict.fromkeys(pending), progress)
        if self._store.backend.erase(_excused(found)) or fresh or pending:
            self.clean(progress)

    def clean(self, progress: Progress | None = None) -> None:
        """Rebuild what this device derived, without the erased, and note for which erasures that
        was done."""
        store = self._store
        with store.index.building():
            store.upkeep.make_anew(progress)
            store.index.sweep()
        if store.vectors.exist():
            store.vectors.index.purge(embedded_keys(store.index))
        found = find_erasures(self._store)
        store.local.drop_entries({change.entry for change in found})
        store.local.write_note(_NOTE, sorted({change.change for change in found}))

    def _stops(self, entry: Entry) -> bool:
        if is_tombstone(entry):
            return False
        if entry.id in (self._ids or ()):
            return True
        message = seal_message(entry) if self._seals else None
        code = self._store.attestor.sign(self._store.backend.vault, message) if message else ""
        return bool(code) and code in self._seals

    def _judge(self) -> list[str]:
        """The ids of what was held back that is to be erased. A known text under an id of its own
        may have been written anew, on purpose: what a change explains is taken in after all."""
        store = self._store
        if self._held:
            store.upkeep.drain()
        returned: list[str] = []
        mistaken: list[Locator] = []
        for document in self._held:
            id_ = document.entry.id
            if id_ in (self._ids or ()) or not store.index.changes(entry=id_, limit=1):
                returned.append(id_)
            else:
                mistaken.append(document.locator)
        self._held = []
        store.upkeep.refresh(mistaken)
        return returned

    def _unfinished(self, found: Sequence[Change]) -> list[str]:
        """The entries whose erasure is not whole in this device's chain: another device erased
        them, this one died at it, or it changed them since without knowing."""
        device = self._store.backend.device
        excused = _excused(found)
        own = [change for change in found if change.change == f"{device}-{change.n}"]
        done = {change.entry for change in own if change.op == ERASE}
        unfinished = []
        chains = self._store.backend.erasable()
        for id_ in dict.fromkeys(change.entry for change in found):
            left = [
                change
                for chain in chains
                for change in self._store.index.changes(entry=id_, device=chain)
            ]
            if id_ not in done or any(
                change.op != ERASE and change.change not in excused for change in left
            ):
                unfinished.append(id_)
        return unfinished


def _excused(found: Iterable[Change]) -> set[str]:
    """The names of the changes whose payloads were erased."""
    return {
        name for change in found if change.op == ERASE for name in (change.undoes or "").split()
    }
