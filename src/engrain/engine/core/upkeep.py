"""Keeps the search index in step with the store (S1.19, DESIGN section 8).

Recorded changes are replayed from where the index stopped, which covers every write by Engrain.
Edits by other programs are found by looks and scans (`scanning`), and are put into the history.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engrain.engine.core.freshness import ATTEMPTS, Freshness, ReadAgain, TakeIn
from engrain.engine.core.scanning import Scan
from engrain.model.errors import EngrainError, IndexUnavailableError, StorageError
from engrain.model.run_result import RunResult
from engrain.seam.derived import MAINTAINED
from engrain.seam.locator import Locator

if TYPE_CHECKING:
    from engrain.engine.core.edits import Edits, LoadEdits
    from engrain.index.sqlite_index import SearchIndex
    from engrain.model.note.entry import Entry
    from engrain.seam.batches import Change
    from engrain.seam.clock import Clock
    from engrain.seam.derived import Guard, MakeGuard, Progress
    from engrain.seam.storage import StorageBackend

T = TypeVar("T")

MergeCopies: TypeAlias = "Callable[[Sequence[Locator]], set[Locator]]"
"""Merges the conflict copies among some places, and files that share an id with another. Returns
the places that were dealt with."""

MANY_REMOVED = 10
_MANY_SHARE = 0.2
"""More files than both, gone at once, are no deletion before the operator says so: a backup may be
half restored, or a folder not mounted."""


def are_many(removed: int, left: int) -> bool:
    """Whether so many of all notes are gone at once that a mistake is likely."""
    return removed > max(MANY_REMOVED, _MANY_SHARE * (removed + left))


REBUILD_FIRST = 20_000
"""The most entries for which a missing index is rebuilt before a call is answered."""
SCAN_NOTED_SECONDS = 60.0
"""The least seconds between notes of scans that found nothing, so that not every scan writes."""
NOTED_CHANGES = 16
"""The number of a process's own changes that are indexed in one transaction."""


class Uncollected:
    """A block in which no garbage is collected, for work that keeps many objects, none of them in a
    circle: to look through them takes a tenth of a dream or a rebuild."""

    __slots__ = ("_collects",)

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collects:
            gc.enable()


class IndexUpkeep(Freshness):
    """Keeps one store's search index up to date. `noted` counts entries written by this process."""

    def __init__(
        self,
        backend: StorageBackend,
        index: SearchIndex,
        clock: Clock,
        read_again: ReadAgain,
        take_in: TakeIn,
        make_guard: MakeGuard,
        load_edits: LoadEdits,
        merge_copies: MergeCopies,
    ) -> None:
        super().__init__(backend, index, read_again, take_in)
        self._make_guard = make_guard
        self._load_edits = load_edits
        self._merge = merge_copies
        self._clock = clock
        self.noted = 0
        self._rebuilding = Lock()

    def edits(self) -> Edits:
        """Load what takes in edits by other programs: most commands find none."""
        return self._load_edits(self._index, self._clock, self.drain)

    @property
    def wrote_much(self) -> bool:
        """Whether this process wrote more than is indexed in one transaction."""
        return self.noted > NOTED_CHANGES

    def ensure(self, *, look: bool = False, scan: bool = False) -> str | None:
        """Make the index able to answer: complete a dead writer's changes, rebuild or replay, and
        on request look for changes by other programs, or scan for all of them.

        Return the reason if it can't answer (callers then scan the files themselves), else None.
        """
        completed = self._backend.recover()
        reason = ""
        for _ in range(ATTEMPTS):
            try:
                unfit = self._index.check()
                if unfit and any(n >= REBUILD_FIRST for n, _ in enumerate(self._backend.scan())):
                    return f"the index is {unfit}; run `engrain jobs reindex`"
                if unfit and (guard := self._rebuild_once()):
                    self._finish_erasures(guard)
                    if look or scan:
                        self._merge_known()
                else:
                    self.drain()
                    self._read_completed(completed)
                    self._index_edits(look, scan)
                return None
            except IndexUnavailableError as error:
                reason = error.message
            except StorageError as error:
                return error.message  # the history can't be read now; the files may be
        return reason

    def _index_edits(self, look: bool, scan: bool) -> None:
        if not self._backend.capabilities.edited_outside:
            return
        if scan:
            self.scan()
        elif look:
            self.look()

    def _rebuild_once(self) -> Guard | None:
        """Rebuild, and return the guard to be settled; return None if another process rebuilt the
        index while this one waited."""
        with self._rebuilding, self._index.building():
            if not self._index.check():
                return None
            return self._rebuild(RunResult(dict.fromkeys(MAINTAINED, 0)))

    def note_change(self, known: Sequence[Entry] = ()) -> None:
        """Note a change that was just written. `known` are entries that are parsed already."""
        self._parsed.update({(entry.path, entry.hash): entry for entry in known})
        self.noted += max(1, len(known))
        self._noted += 1

    def index_noted(self) -> None:
        """Index the noted changes, if there are enough for a transaction.

        Readers replay missing changes anyway, so the last few may wait for a reader, for the next
        batch, or for `close`. An index that fails is repaired by the next reader.
        """
        if self._noted >= NOTED_CHANGES:
            self._index_now()

    def _index_now(self) -> None:
        try:
            self.drain()
        except EngrainError:
            return  # the next reader repairs it

    def flush(self) -> None:
        """Index all noted changes; for the end of a call that wrote much."""
        if self._noted:
            self._index_now()

    def index_copies(self, copies: Iterable[str]) -> None:
        """Index conflict copies that were just made, and record them in the history without
        secrets. If that fails, the next scan does it."""
        places = [Locator(copy) for copy in copies]
        try:
            self.refresh(places)
            self.edits().record((place, self._index.hash_at(place) or "") for place in places)
        except EngrainError:
            return

    def rebuild(self, progress: Progress | None = None) -> RunResult:
        """Rebuild the index from the store alone."""
        report = RunResult(dict.fromkeys(MAINTAINED, 0))
        self._finish_erasures(self._rebuild(report, progress), progress)
        self._merge_known()
        return report

    def make_anew(self, progress: Progress | None = None) -> None:
        """Rebuild the index only: erased entries that came back are kept out of it, but their files
        stay, and no conflict copy is merged."""
        self._rebuild(RunResult(dict.fromkeys(MAINTAINED, 0)), progress)

    def fill(self, other: SearchIndex, progress: Progress | None = None) -> IndexUpkeep:
        """Fill another index of the same store from the files, and write nothing else; return what
        keeps that index up to date."""
        upkeep = copy(self)
        upkeep._index = other
        upkeep._parsed, upkeep._noted = {}, 0
        upkeep._fill(RunResult(dict.fromkeys(MAINTAINED, 0)), progress)
        return upkeep

    def _fill(self, report: RunResult, progress: Progress | None) -> Guard:
        guard = self._make_guard()
        with Uncollected():
            self._index.rebuild(self.edits().read_everything(report, progress, guard))
        self._replay()
        return guard

    def _rebuild(self, report: RunResult, progress: Progress | None = None) -> Guard:
        guard = self._fill(report, progress)
        self._resolve_forks()
        self.edits().record((Locator(at), hash_) for at, _, hash_, _ in self._index.stamps())
        self._record_removals(None)
        self.edits().cancel_mistaken()
        return guard

    def _finish_erasures(self, guard: Guard | None, progress: Progress | None = None) -> None:
        """Erase entries again that came back after an erasure, if the store can be written now."""
        if guard:
            try:
                guard.finish(progress)
            except EngrainError:
                return  # the next scan does it

    def drain(self) -> RunResult:
        """Take in all recorded changes that are new to the index, by a rebuild if they are so many
        that this is cheaper."""
        replayed = self._replay(may_rebuild=True)
        if replayed is None:
            replayed = self._catch_up_anew()
        return RunResult(dict.fromkeys(MAINTAINED, 0) | {"seen": replayed, "changed": replayed})

    def _catch_up_anew(self) -> int:
        """Rebuild, unless another process did so while this one waited, and return the number of
        notes read (or records replayed). Readers use the old index until then."""
        with self._rebuilding, self._index.building():
            replayed = self._replay(may_rebuild=True)
            if replayed is not None:
                return replayed
            report = RunResult(dict.fromkeys(MAINTAINED, 0))
            guard = self._rebuild(report)
        self._finish_erasures(guard)
        return report.counts["changed"]

    def scan(self, progress: Progress | None = None) -> RunResult:
        """Check everything in the store, and apply edits by other programs."""
        scan = self._begin_scan()
        self._learned = True
        scan.compare_all(progress)
        self._end_scan(scan, progress)
        return scan.report

    def look(self) -> None:
        """Compare a bounded part of the store, or all of a small one, so that edits by other
        programs are found within the number of calls that `docs/recall.md` states."""
        turn = self._index.turn()
        scan = self._begin_scan()
        then = scan.compare_part(turn)
        if then is None:
            scan.compare_all()
        elif then is not turn:
            self._index.note_turn(then)
        if len(scan.gone) > MANY_REMOVED and then is not None:
            scan.compare_all()  # to see how many went at once
        self._end_scan(scan)

    def _begin_scan(self) -> Scan:
        self._resolve_forks()
        guard = self._make_guard() if self._index.erasures() else None
        return Scan(self._backend, self._index, self.edits, guard, self._clock.now())

    def _end_scan(self, scan: Scan, progress: Progress | None = None) -> None:
        changed = scan.changed
        if scan.complete is not None and (
            any(hash_ for _, hash_ in changed)
            or scan.complete - (self._index.scanned_at() or 0) > SCAN_NOTED_SECONDS
        ):
            self._index.note(scanned_at=scan.complete)
            self._learned = True
        merged = self._merge_copies([place for place, _ in changed])
        if found := [item for item in changed if item[0] not in merged]:
            self.edits().record(found)
        if scan.gone:
            self._record_removals(scan.gone)
        if changed or self._learned:
            self.edits().cancel_mistaken()
            self._learned = False
        self._finish_erasures(scan.guard, progress)

    def _merge_known(self) -> None:
        """Merge the conflict copies among all files of a new index."""
        self._merge_copies([Locator(place) for place, *_ in self._index.stamps()])

    def _merge_copies(self, met: Sequence[Locator]) -> set[Locator]:
        if not self._backend.capabilities.edited_outside:
            return set()
        rivals = self._index.duplicates()
        if not met and not rivals:
            return set()
        copies = self.edits().find_copies(met, rivals)
        return set() if copies is None else self._merge(copies)

    def verify(self) -> list[str]:
        """Compare the index with the store, byte for byte, and return the differences in words."""
        differences = []
        known = {locator: hash_ for locator, _, hash_, _ in self._index.stamps()}
        for seen in self._backend.scan():
            hash_ = known.pop(seen.locator, None)
            if hash_ is None:
                differences.append(f"{seen.locator} is not in the index")
            elif hash_:
                try:
                    if self._backend.read(seen.locator).hash != hash_:
                        differences.append(f"{seen.locator} differs from the index")
                except EngrainError as error:
                    differences.append(f"{seen.locator}: {error.message}")
        return differences + [f"{locator} is only in the index" for locator in known]

    def list_missing(self, places: Iterable[Locator] | None = None) -> list[Change]:
        """Return the changes whose bytes should be at some places, or at any, but were removed by
        another program; no record says so yet."""
        if not self._backend.capabilities.edited_outside:
            return []
        return [
            change
            for change in self._index.absent(places)
            if change.locator and self._backend.is_gone(change.locator)
        ]

    def _record_removals(self, places: Iterable[Locator] | None) -> None:
        """Record which files another program removed, unless so many are gone at once that the
        operator is to confirm it (`accept_missing`)."""
        if not self._backend.capabilities.edited_outside:
            return
        self.drain()
        missing = self.list_missing(places)
        if missing and not are_many(len(missing), self._index.status().entries):
            try:
                self.edits().record_missing(missing)
            except EngrainError:
                return  # the store can't be written now; `doctor` reports the files

    def _resolve_forks(self) -> None:
        """Separate chains that several installations wrote under one id, and replay them."""
        cursors = self._index.cursors()
        heads = self._backend.heads()
        halted = {device: cursors.get(device, "") for device in heads}
        halted = {d: cursor for d, cursor in halted.items() if cursor != heads[d]}
        if self._backend.resolve_forks(halted):
            self._replay()
