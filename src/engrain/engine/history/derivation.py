"""Finds what was derived from what a change wrote, and the change that derived it (S1.17).

An entry is derived from those in its `derived_from`. Undoing a change names what was made from its
entries, however far down, and may take that back too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engrain.engine.core.store import Store
from engrain.engine.history.history import Loader, bytes_before, load_change
from engrain.engine.history.reversal import same_substance
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.history.record import FileChange, Record
from engrain.model.note.entry import read_entry
from engrain.seam.rows import Row
from engrain.seam.search import Change

_WRITES = (
    "save",
    "import",
    "evolve",
    "edit",
    "external",
    "consolidate",
    "learn",
    "today",
    "crystallize",
)
"""Changes that give an entry its text; what all others do, nothing is derived from."""


def find_derived(store: Store, record: Record) -> list[Row]:
    """The entries, except forgotten ones, that are derived from what a change made or changed,
    directly or not: nearest first, each once. Cycles are handled."""
    made, changed = _written(store, record)
    seen = {*made, *changed}
    found = _children(store, made, seen)
    # What is older than a change was not made from what it wrote.
    found += [row for row in _children(store, changed, seen) if _is_later(store, row, record)]
    nearest = found
    seen.update(row.id for row in found)
    while nearest:
        nearest = _children(store, [row.id for row in nearest], seen)
        seen.update(row.id for row in nearest)
        found += nearest
    return list({row.id: row for row in found}.values())


def find_making(store: Store, row: Row, causes: Collection[str]) -> tuple[Record, list[FileChange]]:
    """The change that derived an entry from one of `causes` and left it as it is, and which files
    of that change to take back with it.

    Raises ConflictError, naming it, when another change of substance came later.
    """
    load = Loader(store)
    later = ""
    for change, record in _changes_that_left(store, row):
        files = record.files or ()
        try:
            before = {file.path: bytes_before(store, record, file, load) for file in files}
        except (ConflictError, NotFoundError):
            continue  # its bytes were erased
        if not _was_derived(row.id, before, causes):
            # What replaced another goes whole, or that one would stand in two places.
            whole = record.op == "evolve"
            return record, [file for file in files if whole or file.entry == row.id]
        later = later or f"{change.change} ({change.op})"
    raise ConflictError(
        f"{row.locator}, which is derived from it, was changed later, by"
        f" {later or 'an edit by another program'}",
        path=row.locator,
        remedy=f"see `engrain history {row.id}`, and undo that first",
    )


def _changes_that_left(store: Store, row: Row) -> Iterator[tuple[Change, Record]]:
    """The changes, newest first, that left an entry with the substance it has now."""
    stored = store.backend.read(row.locator)
    for change in store.index.changes(entry=row.id):
        if change.locator != row.locator or change.after_hash is None:
            continue
        record = load_change(store, change.change)
        left = next((one for one in record.files or () if one.path == row.locator), None)
        if left is None or left.after is None:
            continue
        if left.after_hash == stored.hash or same_substance(row.locator, left.after, stored.raw):
            yield change, record


def _written(store: Store, record: Record) -> tuple[list[str], list[str]]:
    """The ids of the entries that a change made, and of those whose text it changed."""
    files = record.files or ()
    if record.op not in _WRITES:
        return [], []
    load = Loader(store)  # many files were left by the same change
    before = {file.path: bytes_before(store, record, file, load) for file in files}
    there = {read_entry(path, raw).id for path, raw in before.items() if raw is not None}
    left = dict.fromkeys(file.entry for file in files if file.after_hash is not None)
    changed = [] if record.op == "evolve" else [id_ for id_ in left if id_ in there]
    return [id_ for id_ in left if id_ not in there], changed


def _children(store: Store, ids: list[str], seen: Collection[str]) -> list[Row]:
    return [
        row
        for row in (store.index.derived_from(ids) if ids else ())
        if row.primary and row.status != "deleted" and row.id not in seen
    ]


def _is_later(store: Store, row: Row, record: Record) -> bool:
    """Whether an entry was made after a change: by number where both are one device's."""
    changes = store.index.changes(entry=row.id)
    same = [change.n for change in changes if change.change == f"{record.device}-{change.n}"]
    if same:
        return min(same) > record.n
    return min((change.at for change in changes), default=record.at) >= record.at


def _was_derived(id_: str, before: dict[str, bytes | None], causes: Collection[str]) -> bool:
    """Whether an entry was there before a change, and derived from one of the causes already."""
    for path, raw in before.items():
        if raw is not None:
            entry = read_entry(path, raw)
            if entry.id == id_ and not set(causes).isdisjoint(entry.derived_from):
                return True
    return False
