"""`history`: who changed what, and what a file held at any time (S3.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import TypeAlias

from engrain.engine.core.store import Store
from engrain.engine.history.removals import find_removed
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, ErasedError, NotFoundError, UsageError
from engrain.model.history.line import split_change
from engrain.model.history.record import CANCELLED, EXTERNAL, FileChange, Record, decode_record
from engrain.seam.batches import Change
from engrain.seam.locator import Locator

Load: TypeAlias = "Callable[[str], Record]"


def list_changes(
    store: Store,
    reference: str | None = None,
    limit: int | None = None,
    *,
    since: float | None = None,
    until: float | None = None,
) -> list[Change]:
    """List the changes of one entry or of all, newest first."""
    if reference is None:
        return store.index.operations(_TOGETHER, limit, since, until)
    found = store.index.changes(entry=_entry_id(store, reference), limit=limit)
    if not found:
        store.find_one(reference)  # says which title it may have been
        raise NotFoundError(f"the history has nothing about {reference!r}")
    return found


_TOGETHER = ("import",)
"""Ops that are listed as one row, also where one commit was enough for all their files."""


def list_parts(store: Store, change: str) -> list[str]:
    """List the names of all changes of an operation in order; `change` is the first of them."""
    parts = {one.n: one.change for one in store.index.changes(part_of=change)}
    return [change, *(parts[n] for n in sorted(parts))]


def read_at(store: Store, reference: str, at: float) -> bytes:
    """Read an entry's bytes as they were at an instant. Raises NotFoundError."""
    entry = _entry_id(store, reference)
    for change in store.index.changes(entry=entry):
        if change.at <= at and change.locator is not None and change.after_hash is not None:
            return bytes_after(store, change)
    raise NotFoundError(f"{reference!r} was not there on {format_instant(at)}")


def _entry_id(store: Store, reference: str) -> str:
    try:
        return store.find_one(reference).id
    except ErasedError as error:
        return error.entry
    except NotFoundError:
        return find_removed(store, reference) or reference


def load_change(store: Store, name: str) -> Record:
    """Load a change by its name, without the files that it took for another program's by mistake.
    Raises UsageError, NotFoundError, HistoryError."""
    parts = split_change(name)
    remedy = "`engrain history` shows their names"
    if parts is None:
        raise UsageError(f"{name!r} does not name a change", remedy=remedy)
    try:
        link = store.backend.find_change(*parts)
    except NotFoundError:
        raise NotFoundError(f"no change {name!r}", remedy=remedy) from None
    record = decode_record(link.line, link.payload)
    record.device = parts[0]  # names of changes are by chain
    if record.op == EXTERNAL and record.files:
        void = {change.locator for change in store.index.changes(change=name, op=CANCELLED)}
        record.files = tuple(file for file in record.files if file.path not in void)
    return record


def make_loader(store: Store) -> Load:
    """Return a `load_change` that keeps the last few, for callers that read many files."""
    return lru_cache(4)(partial(load_change, store))


def bytes_before(
    store: Store, record: Record, file: FileChange, load: Load | None = None
) -> bytes | None:
    """Return the bytes at a place before a change, None when it made the file. Raises ConflictError
    where the history no longer has them."""
    load = load or make_loader(store)
    if file.before_hash is None:
        return None
    if record.op == EXTERNAL:
        changes = store.index.changes(locator=Locator(file.path))
        return _bytes_seen_before(store, record, file, changes, load)
    if file.before_hash == file.after_hash:
        return file.after
    # A merged conflict copy has the bytes that a change left at its original's place.
    for where in ({"locator": Locator(file.path)}, {"entry": file.entry}):
        for change in store.index.changes(**where, after_hash=file.before_hash, limit=1):
            return bytes_after(store, change, load)
    raise ConflictError(
        f"the history no longer has the bytes of {file.path} before this change", path=file.path
    )


def _bytes_seen_before(
    store: Store, record: Record, file: FileChange, changes: Sequence[Change], load: Load
) -> bytes | None:
    """Return the bytes before a write by another program, None when it made the file. The record of
    such a write is made afterwards, so it lacks them."""
    names = [change.change for change in changes]
    for change in changes[names.index(record.change) + 1 :]:
        if change.after_hash is not None and change.after_hash != file.after_hash:
            return bytes_after(store, change, load)
    if any(change.locator != file.path for change in store.index.changes(entry=file.entry)):
        raise ConflictError(
            f"{file.path} was moved there by another program, and nothing else",
            path=file.path,
            remedy="move it back by hand; its id and its links stay with it",
        )
    return None


def taken_back(store: Store, id_: str, op: str) -> Iterator[Change]:
    """Yield the changes of one op to an entry that were undone."""
    for undo in store.index.changes(entry=id_, op="undo"):
        for change in store.index.changes(entry=id_, change=undo.undoes) if undo.undoes else ():
            if change.op == op:
                yield change


def bytes_after(store: Store, change: Change, load: Load | None = None) -> bytes:
    """Return the bytes that a change left at a place. Raises NotFoundError when they were erased,
    HistoryError."""
    record = load(change.change) if load else load_change(store, change.change)
    for file in record.files or ():
        if file.path == change.locator and file.after is not None:
            return file.after
    raise NotFoundError(f"the bytes of {change.change} were erased")


MOST_FILES = 100
"""Files of a change that are shown at most."""


@dataclass(slots=True, eq=False)
class FileVersion:
    """One file of a change: the bytes before and after it, None where there was no file, or where
    the history no longer has them; then `lost` is the reason."""

    path: str
    entry: str
    before: bytes | None
    after: bytes | None
    lost: str = ""


@dataclass(slots=True, eq=False)
class ShownChange:
    """A change: the names of its commits, the `record` of the first, up to `MOST_FILES` of its
    files, and whether `more` have changed."""

    names: tuple[str, ...]
    record: Record
    files: tuple[FileVersion, ...]
    more: bool


def show_change(store: Store, change: str) -> ShownChange:
    """Load a whole change, whichever of its commits is named. Raises UsageError, NotFoundError,
    HistoryError."""
    first = load_change(store, change)
    if first.part_of is not None:
        first = load_change(store, first.part_of)
    names = list_parts(store, first.change)
    files = list(islice(_versions(store, names), MOST_FILES + 1))
    more = len(files) > MOST_FILES
    return ShownChange(tuple(names), first, tuple(files[:MOST_FILES]), more)


def _versions(store: Store, names: list[str]) -> Iterator[FileVersion]:
    load = make_loader(store)
    for name in names:
        record = load(name)
        for file in record.files or ():
            try:
                before, lost = bytes_before(store, record, file, load), ""
            except (ConflictError, NotFoundError) as error:
                before, lost = None, error.message
            yield FileVersion(file.path, file.entry, before, file.after, lost)
