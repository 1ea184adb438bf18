"""Takes edits by other programs into the index and into the history (S1.19)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.core.reading import read_places, read_seen
from engrain.engine.core.replaying import Stretch, read_chain
from engrain.model.errors import ConflictError, EngrainError, LockedError
from engrain.model.history.record import CANCEL, write_cancelled
from engrain.model.note.conflict_copies import may_be_merged, original_of
from engrain.model.note.entry import read_entry
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import is_conflict_copy
from engrain.seam.batches import BATCH, Batch
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator

if TYPE_CHECKING:
    from engrain.index.sqlite_index import SearchIndex
    from engrain.model.run_result import RunResult
    from engrain.seam.batches import Change
    from engrain.seam.clock import Clock
    from engrain.seam.derived import Guard, Progress
    from engrain.seam.looks import Seen
    from engrain.seam.rows import Row
    from engrain.seam.storage import Attestor, StorageBackend

LoadEdits: TypeAlias = "Callable[[SearchIndex, Clock, Callable[[], object]], Edits]"
"""Makes the `Edits` of one store for an index."""

REMOVED = "another program removed it"
"""The reason in the record of a removal."""
_LAST = (float("inf"), 0, 0)
_EXTERNAL_FILES = 64
_EXTERNAL_BYTES = 256 * 1024


@dataclass(slots=True, eq=False)
class Edits:
    """Reads what other programs changed, and records it. `drain` takes recorded changes into the
    index, and `clean` removes the secrets from a file's bytes."""

    _backend: StorageBackend
    _index: SearchIndex
    _attestor: Attestor
    _clock: Clock
    _drain: Callable[[], object]
    _clean: Callable[[Locator, bytes], bytes]

    def read(
        self, seen: Sequence[Seen], guard: Guard | None
    ) -> Iterator[tuple[Batch, list[tuple[Locator, str]]]]:
        """Read files into the index. Yield each batch, with the places of its unchanged files and
        their hashes."""
        for start in range(0, len(seen), BATCH):
            with self._index.exclusive():
                batch = read_seen(self._backend, seen[start : start + BATCH], self._index)
                known = [(place, self._index.hash_at(place) or "") for place, _ in batch.settled]
                if guard:
                    guard.hold_back(batch)
                self._index.apply(batch)
            yield batch, known

    def drop(self, gone: Sequence[Locator]) -> None:
        """Drop files from the index that are gone, unless they have come back."""
        with self._index.exclusive():
            batch = read_places(self._backend, gone)
            # Something that is no file is now at the place: a listing reports it.
            other = [one for one in batch.problems if one.fatal and not one.stamp]
            batch.gone = [*batch.gone, *(one.locator for one in other)]
            batch.problems = [one for one in batch.problems if one not in other]
            self._index.apply(batch)

    def find_copies(self, met: Sequence[Locator], rivals: Iterable[Row]) -> list[Locator] | None:
        """Return the conflict copies among some places; None if neither these nor `rivals`, which
        share an id, can be merged."""
        copies = [place for place in met if original_of(place)]
        if not copies and not any(may_be_merged(row.locator, row.kind) for row in rivals):
            return None
        return copies

    def read_everything(
        self, report: RunResult, progress: Progress | None, guard: Guard
    ) -> Iterator[Batch]:
        """Read the whole history and the whole store, for a rebuild of the index."""
        guard.learn(())  # there is no index to ask

        order: dict[str, tuple[float, int, int]] = {}
        for device in self._backend.heads():
            stretch = Stretch("")
            latest = 0.0  # a clock may have been set back
            for record, cursor in read_chain(self._backend, self._attestor, device, None):
                stretch.add(record, cursor)
                if record:
                    latest = max(latest, record.at)
                    for nth, file in enumerate(record.files or ()):
                        turn = latest, record.n, nth
                        order[file.path] = max(order.get(file.path, turn), turn)
                if stretch.full:
                    yield _learn(stretch, guard)
            batch = _learn(stretch, guard)
            # The newest change may still be being written. It is replayed after the rebuild.
            batch.cursors = {device: stretch.before}
            yield batch
        everything: list[Seen] = []
        marks = {}
        for group in self._backend.groups():
            everything += group.seen()
            marks[group.name] = (group.mark, group.size)
        # Passages get their numbers in the order in which the notes were written, as in an index
        # that takes in each change: recall takes what has greater numbers for newer.
        everything.sort(key=lambda item: order.get(item.locator, _LAST))
        for at in range(0, len(everything), BATCH):
            batch = read_seen(self._backend, everything[at : at + BATCH], None)
            guard.hold_back(batch)
            report.counts["seen"] += len(batch.documents) + len(batch.problems)
            report.counts["changed"] += len(batch.documents)
            report.counts["unreadable"] += sum(problem.fatal for problem in batch.problems)
            if progress:
                progress(report.counts["seen"], len(everything))
            yield batch
        yield Batch(scanned_at=self._clock.now(), marks=marks)

    def record(self, found: Iterable[tuple[Locator, str]]) -> None:
        """Record in the history the files among `found` whose bytes no recorded change explains."""
        if not self._backend.capabilities.edited_outside:
            return
        suspects = [(locator, hash_) for locator, hash_ in found if hash_]
        for _ in range(2):
            # Engrain's own writers record before they write, so a replay explains their files. A
            # second one is needed if another process replaced the index meanwhile.
            self._drain()
            suspects = self._index.unexplained(suspects)
            if not suspects:
                return
        unexplained = [locator for locator, _ in suspects]
        while unexplained:
            writes = []
            taken = size = 0
            while taken < min(len(unexplained), _EXTERNAL_FILES) and size < _EXTERNAL_BYTES:
                locator = unexplained[taken]
                taken += 1
                with suppress(EngrainError):
                    raw = self._backend.read(locator).raw
                    recorded = self._clean(locator, raw) if is_conflict_copy(locator) else None
                    id_ = read_entry(locator, raw).id
                    writes.append(Write(locator, raw, id_, hash_bytes(raw), recorded))
                    size += len(raw)
            try:
                if writes:
                    at = self._clock.now()
                    change = ChangeSet("external", writes, at=at, trust="external", patient=False)
                    self._backend.commit(change)
                    self._drain()
            except (ConflictError, LockedError):
                # Others are writing. A reader does not wait; the next scan checks these again.
                self._index.apply(
                    Batch(
                        settled=[(locator, "") for locator in unexplained],
                        groups={locator.folder: None for locator in unexplained},
                    )
                )
                return
            except EngrainError:
                return  # the store can't be written at all, but it can be read
            del unexplained[:taken]

    def record_missing(self, missing: Sequence[Change]) -> None:
        """Record that another program removed these files. Raises what the store raises."""
        for start in range(0, len(missing), _EXTERNAL_FILES):
            writes = [
                Write(change.locator, None, change.entry, removed=change.after_hash)
                for change in missing[start : start + _EXTERNAL_FILES]
                if change.locator
            ]
            at = self._clock.now()
            self._backend.commit(
                ChangeSet(
                    "external", writes, at=at, trust="external", reason=REMOVED, patient=False
                )
            )
        self._drain()

    def cancel_mistaken(self) -> None:
        """Record which `external` changes are void because a record that came later explains their
        bytes. If this device can't write, the next scan does it; its index knows already."""
        mistaken = self._index.mistaken()
        for start in range(0, len(mistaken), BATCH):
            undoes = write_cancelled(mistaken[start : start + BATCH])
            change = ChangeSet(CANCEL, (), at=self._clock.now(), undoes=undoes, patient=False)
            try:
                self._backend.commit(change)
            except EngrainError:
                return
        if mistaken:
            self._drain()


def _learn(stretch: Stretch, guard: Guard) -> Batch:
    records = stretch.pop_records()
    guard.learn(records)
    return Batch(records=records)
