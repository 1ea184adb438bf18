"""Takes changes back: gathers the bytes that stood before them into one commit (S3.8)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.moving import free_place, stamp_id
from engrain.engine.core.store import Store
from engrain.engine.history.history import Loader, bytes_before
from engrain.model.errors import ConflictError, MalformedError
from engrain.model.history.record import FileChange, Record
from engrain.model.note.entry import parse_note, read_entry
from engrain.model.note.tiers import is_generated
from engrain.seam.locator import Locator
from engrain.seam.storage import Stored, Write, hash_of


class Reversal:
    """The writes that take changes back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._load = Loader(store)
        self.writes: list[Write] = []

    def writes_to(self, place: str) -> bool:
        """Whether one of the writes is to this place."""
        return any(write.locator == place for write in self.writes)

    def check(self, record: Record, files: Sequence[FileChange]) -> None:
        """Raise ConflictError when these files of a change can't be taken back now."""
        for file in files:
            bytes_before(self._store, record, file, self._load)
            current = self._store.find_stored(Locator(file.path))
            if _was_made_anew(file, current):
                continue
            if not self._displace(record, file, current):
                self._refuse_later(record, file, current)

    def take(self, record: Record, files: Sequence[FileChange]) -> None:
        """Gather the writes that take back these files of a change. Raises ConflictError when a
        later change of substance depends on one of them."""
        before = {file.path: bytes_before(self._store, record, file, self._load) for file in files}
        returning = {read_entry(path, raw).id for path, raw in before.items() if raw is not None}
        for file in files:
            locator = Locator(file.path)
            current = self._store.find_stored(locator)
            if _was_made_anew(file, current):
                continue
            if not self._displace(record, file, current):
                self._refuse_later(record, file, current)
            if current is not None:
                self._store.preserve(locator, current, file.entry)
            back = before[file.path]
            entry = file.entry
            if back is not None:
                entry = read_entry(file.path, back).id
            elif is_generated(file.path):
                pass  # no entry, so it goes, and is made again when it is next due
            elif current is not None and file.entry not in returning:
                # It was made by this change: it is forgotten softly, lest a synchroniser revive it.
                now = self._store.now
                changes = {"status": "deleted", "deleted_at": now, "updated": now}
                back = stamp_id(read_entry(file.path, current.raw), changes).raw
            self.writes.append(Write(locator, back, entry, hash_of(current)))

    def _displace(self, record: Record, file: FileChange, current: Stored | None) -> bool:
        """Move a forgotten entry out of a place that was free after the change, and is needed
        again: what was made there later and taken back left its file there."""
        if current is None or file.after_hash is not None:
            return False
        try:
            entry = read_entry(file.path, current.raw)
        except MalformedError:
            return False
        if entry.status != "deleted" or entry.id in record.entries:
            return False
        locator = Locator(file.path)
        place = free_place(self._store, locator.folder, entry)
        if self.writes_to(place):
            return False
        self.writes.append(Write(place, current.raw, entry.id))
        return True

    def _refuse_later(self, record: Record, file: FileChange, current: Stored | None) -> None:
        hash_ = None if current is None else current.hash
        if hash_ == file.after_hash:
            return
        if (
            current
            and file.after is not None
            and same_substance(file.path, current.raw, file.after)
        ):
            return
        # Known by the bytes it left and not by its time: two devices' clocks may disagree.
        left = [
            change
            for change in self._store.index.changes(locator=Locator(file.path))
            if change.change != record.change and change.after_hash == hash_
        ]
        later = min(left, key=lambda change: change.op == "undo", default=None)
        by = f"{later.change} ({later.op})" if later else "an edit by another program"
        raise ConflictError(
            f"{file.path} was changed later, by {by}",
            path=file.path,
            remedy=f"undo {later.change} first" if later else "edit the file by hand",
        )


def _was_made_anew(file: FileChange, current: Stored | None) -> bool:
    """Whether a generated file was generated again since a change: it will be once more."""
    hash_ = None if current is None else current.hash
    return is_generated(file.path) and hash_ != file.after_hash


def same_substance(path: str, one: bytes, other: bytes) -> bool:
    """Whether two versions of a note differ only in what recall and time change."""
    try:
        return parse_note(one, path).substance() == parse_note(other, path).substance()
    except MalformedError:
        return False
