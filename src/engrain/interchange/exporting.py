"""The one exporter of foreign layouts: a subclass per layout says only what differs (DESIGN 14)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from engrain.engine.core.store import Store
from engrain.model.errors import EngrainError
from engrain.model.interchange.documents import Names
from engrain.model.note.entry import Entry
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row

File = tuple[str, bytes]
"""A file's name in the layout, with `/`, and its bytes."""


class Export(ABC):
    """One export: its `files`, and once all were taken, how many of each sort they hold (`counts`)
    and which places were `left_out` and why."""

    only: ClassVar[Filter]
    """Which entries the layout has a place for."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        """With `project` only entries of that project and of no project are exported."""
        self.store = store
        self.project = project
        self.names = Names()
        self.counts: dict[str, int] = {}
        self.left_out: list[tuple[str, str]] = []
        self._progress = progress

    def files(self) -> Iterator[File]:
        """Write every file; entries that can't be read are left out."""
        self.store.require_index(scan=True)
        projects = None if self.project is None else (self.project, "")
        rows = self.store.index.find(self.only.replace(projects=projects))
        rows = sorted(filter(self.has_place, rows), key=self.order)
        yield from self.begin()
        for done, row in enumerate(rows, 1):
            entry = self.read(row.locator)
            if entry is not None:
                yield from self.write(entry)
            if self._progress:
                self._progress(done, len(rows))
        yield from self.end()

    @abstractmethod
    def write(self, entry: Entry) -> Iterable[File]:
        """The files of one entry that can be written as it comes."""

    def begin(self) -> Iterable[File]:
        """The files before those of the entries."""
        return ()

    def end(self) -> Iterable[File]:
        """The files made of all entries together."""
        return ()

    def has_place(self, _row: Row) -> bool:
        """Whether the layout has a place for an entry."""
        return True

    def order(self, row: Row) -> Any:
        """What the entries are sorted by."""
        return row.locator

    def read(self, place: Locator) -> Entry | None:
        """The entry at a place; None for one that can't be read, which is left out."""
        try:
            return self.store.read_entry(place)
        except EngrainError as error:
            self.left_out.append((place, error.message))
            return None

    def count(self, what: str, number: int = 1) -> None:
        """Count what was written."""
        self.counts[what] = self.counts.get(what, 0) + number
