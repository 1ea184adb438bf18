"""`erase`: destroys entries for good, and again where synchronisers, backups or conflict copies
bring them back (S3.8, DESIGN section 7).

Returning files are recognised by id before they are indexed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engrain.engine.core.batches import counts, find_erasures
from engrain.engine.core.store import Store
from engrain.engine.core.vectors import embedded_keys
from engrain.engine.erasing.erasure import ERASE, ERASING, destroy
from engrain.engine.erasing.plan import PROPOSAL, ErasurePlan
from engrain.engine.indexes import list_maps, write_entity_index, write_episode_index, write_maps
from engrain.model.errors import StorageError
from engrain.model.history.record import Record, is_tombstone
from engrain.seam.batches import Batch, Change
from engrain.seam.derived import Guard, Progress

_NOTE = "erasures"
_OPS = (ERASE, ERASING)


class ErasureGuard(Guard):
    """The erasures of one store, during one pass of its upkeep."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: list[str] = []
        self._ids: set[str] | None = None

    def learn(self, records: Iterable[Record]) -> None:
        """Learn the erased ids from records, where there is no index yet."""
        self._ids = set() if self._ids is None else self._ids
        for record in records:
            own = record.device == self._store.backend.device
            if record.op in _OPS and counts(self._store, own, record.attested):
                self._ids.update(record.entries)

    def hold_back(self, batch: Batch) -> None:
        """Remove erased entries from a batch, as if their files did not exist."""
        if not batch.documents:
            return
        if self._ids is None:
            self._ids = {change.entry for change in find_erasures(self._store)}
        ids = self._ids
        held = [
            document
            for document in batch.documents
            if document.entry.id in ids and not is_tombstone(document.entry)
        ]
        if held:
            gone = {document.locator for document in held}
            batch.documents = [item for item in batch.documents if item.locator not in gone]
            batch.problems = [item for item in batch.problems if item.locator not in gone]
            batch.gone = [*batch.gone, *gone]
            self._held += (document.entry.id for document in held)

    def finish(self, progress: Progress | None = None) -> None:
        """Complete every erasure, of this and other devices, and erase returned entries again.
        Cheap when there is nothing to do. Raises what the store raises where it can't be written.
        """
        found = find_erasures(self._store)
        if not found:
            return
        if self._held:
            self._store.upkeep.drain()
        returned, self._held = self._held, []
        names = sorted({change.change for change in found})
        fresh = self._store.device.local.read_note(_NOTE) != names
        pending = [*returned, *(self._unfinished(found) if fresh else ())]
        if pending:
            if self._store.backend.probe():
                return  # nothing could be erased now
            destroy(self._store, dict.fromkeys(pending), progress)
        if self._store.backend.erase(_excused(found)) or fresh or pending:
            self.clean(progress)

    def clean(self, progress: Progress | None = None) -> None:
        """Rebuild this device's index without erased entries, and note the erasures covered."""
        store = self._store
        with store.index.building():
            store.upkeep.make_anew(progress)
            store.index.sweep()
        if store.models.vectors.exist():
            store.models.vectors.index.purge(embedded_keys(store.index))
        found = find_erasures(self._store)
        store.device.local.drop_entries({change.entry for change in found})
        store.device.local.write_note(_NOTE, sorted({change.change for change in found}))

    def _unfinished(self, found: Sequence[Change]) -> list[str]:
        """Return the entries whose erasure is incomplete in this device's chain: another device
        erased them, this one died during it, or it changed them since without knowing."""
        device = self._store.backend.device
        excused = _excused(found)
        own = [change for change in found if change.change == f"{device}-{change.n}"]
        done = {change.entry for change in own if change.op == ERASE}
        chains = self._store.backend.erasable()

        def has_traces(id_: str) -> bool:
            return any(
                change.op != ERASE and change.change not in excused
                for chain in chains
                for change in self._store.index.changes(entry=id_, device=chain)
            )

        ids = dict.fromkeys(change.entry for change in found)
        return [id_ for id_ in ids if id_ not in done or has_traces(id_)]


def _excused(found: Iterable[Change]) -> set[str]:
    return {
        name for change in found if change.op == ERASE for name in (change.undoes or "").split()
    }


ELSEWHERE = (
    "other devices of this vault, until they sync and run engrain: then they erase it themselves",
    "versions and trash that a synchroniser keeps",
    "backups, and snapshots of the file system",
    "the operator's own notes outside of the vault",
    "what was exported, copied or printed, or committed to a repository",
    "transcripts of agents' hosts, and whatever was read into a context already",
)
"""Places that no erasure reaches."""
_HIDDEN = "hidden folders in the vault, such as an editor's trash and its list of recent files"
_OTHERS = "files in the vault that are no notes, such as canvases and attachments"


@dataclass(slots=True, eq=False)
class Erased:
    """The result of an erasure: the erased ids, the changes whose payloads were erased, and the
    places that it does not reach."""

    ids: tuple[str, ...]
    changes: tuple[str, ...]
    unreachable: tuple[str, ...]


def erase_entries(store: Store, plan: ErasurePlan, progress: Progress | None = None) -> Erased:
    """Carry out a plan, whatever was edited since it was made. Raises StorageError where the store
    can't be written. Once begun, an interrupted erasure is completed by the next scan."""
    if blocked := store.backend.probe():
        raise StorageError(f"nothing was erased: {blocked}", remedy="see `engrain doctor`")
    # This comes first: afterwards the names are unknown.
    store.device.journal.forget(plan.names.tells)
    mapped = bool(list_maps(store))
    changes = destroy(store, plan.ids, progress, plan.survey)
    ErasureGuard(store).clean(progress)
    write_episode_index(store)
    write_entity_index(store)
    if mapped:
        write_maps(store)
    proposals = {file.id for file in plan.files if file.why == PROPOSAL}
    ids = tuple(id_ for id_ in plan.ids if id_ not in proposals)
    unreachable = tuple(list_unreachable(store, plan))
    return Erased(ids, tuple(changes), unreachable)


def erase_again(store: Store, ids: Iterable[str], progress: Progress | None = None) -> list[str]:
    """Erase those of some entries that a backup brought back with a history that lacks their
    erasure; return their ids. Raises StorageError where the store can't be written."""
    if blocked := store.backend.probe():
        raise StorageError(f"nothing was erased: {blocked}", remedy="see `engrain doctor`")
    done = {change.entry for change in find_erasures(store) if change.op == ERASE}
    back = [
        id_
        for id_ in dict.fromkeys(ids)
        if id_ not in done and store.index.changes(entry=id_, limit=1)
    ]
    if back:
        destroy(store, back, progress)
        ErasureGuard(store).clean(progress)
    return back


def list_unreachable(store: Store, plan: ErasurePlan) -> list[str]:
    """List the places that an erasure of this vault does not reach."""
    places = list(ELSEWHERE)
    can = store.backend.capabilities
    places += [_HIDDEN] if can.edited_outside else []
    places += [_OTHERS] if can.edited_outside or can.authenticated else []
    places += store.backend.unreachable()
    places += [f"{place}: its text mentions it, and stays as it is" for place in plan.mentions]
    places += [f"{place}: can't be read as a note, and mentions it" for place in plan.unreadable]
    places += [
        f"the id {id_}, which was written by hand: the history keeps every id"
        for id_ in plan.strange_ids
    ]
    return places
