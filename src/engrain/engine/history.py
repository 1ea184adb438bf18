"""`history` and `undo`: who changed what, and taken back (S3.8)."""

from __future__ import annotations

from engrain.engine.moving import stamp_id
from engrain.engine.outcomes import Undone
from engrain.model.entry import read_entry
from engrain.model.errors import (
    ConflictError,
    MalformedError,
    NotFoundError,
    UsageError,
)
from engrain.model.history import decode_record, split_change
from engrain.model.instants import format_instant
from engrain.model.note import split_note
from engrain.seam.locator import Locator
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.store import Store
    from engrain.model.history import FileChange, Record
    from engrain.seam.search import Change
    from engrain.seam.storage import Stored

# Changes that nobody made on purpose, so that "the last one" never means them.
_UNASKED = ("undo", "external", "fold")


def list_changes(store: Store, reference: str | None, limit: int | None) -> list[Change]:
    """Changes, newest first, of one entry or of all."""
    if reference is None:
        return store.index.changes(limit=limit)
    found = store.index.changes(entry=_entry_id(store, reference), limit=limit)
    if not found:
        raise NotFoundError(f"the history has nothing about {reference!r}")
    return found


def read_at(store: Store, reference: str, at: float) -> bytes:
    """An entry's bytes as they stood at an instant. Raises NotFoundError."""
    entry = _entry_id(store, reference)
    for change in store.index.changes(entry=entry):
        if change.at <= at and change.locator is not None and change.after_hash is not None:
            return bytes_after(store, change)
    raise NotFoundError(f"{reference!r} was not there on {format_instant(at)}")


def undo_change(store: Store, name: str | None, reason: str = "") -> Undone:
    """Take one change back, as a change of its own.

    Without a name it is this device's last that still stands. Raises ConflictError, naming it,
    when a later change of substance stands on this one.
    """
    record = load_change(store, name or _last_standing(store))
    if record.files is None:
        raise ConflictError(f"the bytes of {record.change} were erased; it can't be undone")
    if taken := _taken_back(store).get(record.change):
        raise ConflictError(
            f"{record.change} was undone already, by {taken}",
            remedy=f"to bring it back, undo {taken}",
        )
    before = {file.path: bytes_before(store, record, file) for file in record.files}
    returning = {read_entry(path, raw).id: path for path, raw in before.items() if raw is not None}
    writes, expected = [], {}
    for file in record.files:
        locator = Locator(file.path)
        current = _current(store, locator)
        _refuse_later(store, record, file, current)
        if current is not None:
            store.preserve(locator, current, file.entry)
        expected[locator] = None if current is None else current.hash
        back = before[file.path]
        entry = file.entry
        if back is not None:
            entry = read_entry(file.path, back).id
        elif current is not None and file.entry not in returning:
            # It was made by this change: it is forgotten softly, lest a synchroniser revive it.
            back = _delete(store, file.path, current.raw)
        writes.append(Write(locator, back, entry))
    done = store.commit("undo", writes, expected, reason=reason, undoes=record.change)
    return Undone(record.change, done.change, done.entries)


def _entry_id(store: Store, reference: str) -> str:
    try:
        return store.find_one(reference).id
    except NotFoundError:
        return reference


def load_change(store: Store, name: str) -> Record:
    """A change by its name. Raises UsageError, NotFoundError, HistoryError."""
    parts = split_change(name)
    if parts is None:
        raise UsageError(
            f"{name!r} does not name a change", remedy="`engrain history` shows their names"
        )
    try:
        link = store.backend.find_change(*parts)
    except NotFoundError:
        raise NotFoundError(
            f"no change {name!r}", remedy="`engrain history` shows their names"
        ) from None
    return decode_record(link.line, link.payload)


def _last_standing(store: Store) -> str:
    taken = _taken_back(store)
    # By number and not by time: the clock may have been set back since.
    for change in sorted(
        store.index.changes(device=store.backend.device), key=lambda change: change.n
    )[::-1]:
        if change.op not in _UNASKED and change.change not in taken:
            return change.change
    raise NotFoundError("this device has made no change that could be undone")


def _taken_back(store: Store) -> dict[str, str]:
    """For each change that was undone, the undo that stands: one that was not undone itself.

    Told from what undoes what and never from times, since two devices' clocks may disagree.
    """
    undos = {
        change.change: change.undoes for change in store.index.changes(op="undo") if change.undoes
    }

    def depth(name: str) -> int:
        passed: set[str] = set()
        while name in undos and name not in passed:
            passed.add(name)
            name = undos[name]
        return len(passed)

    taken: dict[str, str] = {}
    # What undoes an undo is judged before it.
    for name in sorted(undos, key=depth, reverse=True):
        if name not in taken:
            taken[undos[name]] = name
    return taken


def _refuse_later(store: Store, record: Record, file: FileChange, current: Stored | None) -> None:
    hash_ = None if current is None else current.hash
    if hash_ == file.after_hash:
        return
    if current is not None and file.after is not None:
        try:
            if split_note(current.raw).substance() == split_note(file.after).substance():
                return
        except MalformedError:
            pass
    # Known by the bytes it left and not by its time: two devices' clocks may disagree.
    left = [
        change
        for change in store.index.changes(locator=Locator(file.path))
        if change.change != record.change and change.after_hash == hash_
    ]
    later = min(left, key=lambda change: change.op == "undo", default=None)
    by = f"{later.change} ({later.op})" if later else "an edit by another program"
    raise ConflictError(
        f"{file.path} was changed later, by {by}",
        path=file.path,
        remedy=f"undo {later.change} first" if later else "edit the file by hand",
    )


def _current(store: Store, locator: Locator) -> Stored | None:
    try:
        return store.backend.read(locator)
    except NotFoundError:
        return None


def _delete(store: Store, path: str, current: bytes) -> bytes:
    now = format_instant(store.clock.now())
    changes = {"status": "deleted", "deleted_at": now, "updated": now}
    return stamp_id(read_entry(path, current), changes)


def bytes_before(store: Store, record: Record, file: FileChange) -> bytes | None:
    """What a change found at a place, None when it made the file."""
    if file.before_hash is None:
        return None
    changes = store.index.changes(locator=Locator(file.path))
    if record.op == "external":
        return _bytes_seen_before(store, record, file, changes)
    if file.before_hash == file.after_hash:
        return file.after
    for change in changes:
        if change.after_hash == file.before_hash:
            return bytes_after(store, change)
    raise ConflictError(
        f"the history no longer has the bytes of {file.path} before this change", path=file.path
    )


def _bytes_seen_before(
    store: Store, record: Record, file: FileChange, changes: Sequence[Change]
) -> bytes | None:
    """What stood where another program wrote, None when it made the file.

    Such a record is made when the bytes are there already, so it can't say what was before them.
    """
    names = [change.change for change in changes]
    for change in changes[names.index(record.change) + 1 :]:
        if change.after_hash is not None and change.after_hash != file.after_hash:
            return bytes_after(store, change)
    if any(change.locator != file.path for change in store.index.changes(entry=file.entry)):
        raise ConflictError(
            f"{file.path} was moved there by another program, and nothing else",
            path=file.path,
            remedy="move it back by hand; its id and its links stay with it",
        )
    return None


def bytes_after(store: Store, change: Change) -> bytes:
    """What a change left at a place. Raises NotFoundError when it was erased, HistoryError."""
    for file in load_change(store, change.change).files or ():
        if file.path == change.locator and file.after is not None:
            return file.after
    raise NotFoundError(f"the bytes of {change.change} were erased")
