"""One change whole: what it did to each file (S3.8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.engine.core.store import Store
from engrain.engine.history.history import Loader, bytes_before, list_parts, load_change
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.history.record import Record

MOST_FILES = 100
"""Files of a change that are shown; of an import there may be any number."""


@dataclass(slots=True, eq=False)
class Version:
    """What a change did to one file: the bytes before and after it, None where there was no file,
    or the history no longer has them, which `lost` then says."""

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
    files: tuple[Version, ...]
    more: bool


def show_change(store: Store, change: str) -> ShownChange:
    """One change with all that belongs to it, whichever of its commits is named. Raises UsageError,
    NotFoundError, HistoryError."""
    first = load_change(store, change)
    if first.part_of is not None:
        first = load_change(store, first.part_of)
    names = list_parts(store, first.change)
    files: list[Version] = []
    more = False
    for version in _versions(store, names):
        more = len(files) == MOST_FILES
        if more:
            break
        files.append(version)
    return ShownChange(tuple(names), first, tuple(files), more)


def _versions(store: Store, names: list[str]) -> Iterator[Version]:
    load = Loader(store)
    for name in names:
        record = load(name)
        for file in record.files or ():
            try:
                before, lost = bytes_before(store, record, file, load), ""
            except (ConflictError, NotFoundError) as error:
                before, lost = None, error.message
            yield Version(file.path, file.entry, before, file.after, lost)
