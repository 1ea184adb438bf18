"""The exporter of every layout: it writes entries by the rows of a layout's table. What all exports
of entries share is in `EntryExport`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from engrain.engine.core.store import Store
from engrain.interchange.table import (
    KEPT,
    ExportNames,
    Layout,
    LayoutRow,
    compose_plain,
    day_in,
    describe_entry,
    fill_shape,
    stem_of,
)
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError
from engrain.model.note.documents import write_json
from engrain.model.note.entry import Entry
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row

File = tuple[str, bytes]
"""A file's name in the layout, with `/`, and its bytes."""


class EntryExport:
    """One export of entries: after it is over, the numbers of them by sort (`counts`), and the
    paths that were `left_out` with the reasons."""

    only: ClassVar[Filter]
    """The entries that the export can hold."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        """With `project` only entries of that project and of no project are exported."""
        self.store = store
        self.project = project
        self.counts: dict[str, int] = {}
        self.left_out: list[tuple[str, str]] = []
        self._progress = progress

    def find_rows(self) -> list[Row]:
        """Return the rows of the entries, sorted."""
        self.store.require_index(scan=True)
        projects = None if self.project is None else (self.project, "")
        rows = self.store.index.find(replace(self.only, projects=projects))
        return sorted(filter(self.has_place, rows), key=self.order)

    def read_entries(self, rows: Sequence[Row]) -> Iterator[Entry]:
        """Yield each entry that can be read; the others are left out."""
        for done, row in enumerate(rows, 1):
            if (entry := self.read(row.locator)) is not None:
                yield entry
            if self._progress:
                self._progress(done, len(rows))

    def has_place(self, _row: Row) -> bool:
        """Whether the export can hold an entry."""
        return True

    def order(self, row: Row) -> Any:
        """Return the key by which the entries are sorted."""
        return row.locator

    def read(self, place: Locator) -> Entry | None:
        """Return the entry at a path, None for one that can't be read, which is left out."""
        try:
            return self.store.read_entry(place)
        except EngrainError as error:
            self.left_out.append((place, error.message))
            return None

    def count(self, what: str, number: int = 1) -> None:
        """Count written entries."""
        self.counts[what] = self.counts.get(what, 0) + number


class Export(EntryExport):
    """An export whose `files` form a folder of another memory."""

    layout: ClassVar[Layout]
    _lists: dict[str, tuple[LayoutRow, list[Any]]]
    _shapes: dict[str, Any]

    def files(self) -> Iterator[File]:
        """Yield every file; entries that can't be read are left out."""
        self.names, self._lists, self._shapes = ExportNames(), {}, {}
        rows = self.find_rows()
        for row in self.layout.rows:
            if row.many and "{" not in row.pattern:
                self._lists[row.pattern] = (row, [])
        yield from self.begin()
        for entry in self.read_entries(rows):
            yield from self._write_kept(entry) if entry.kind == KEPT else self.write(entry)
        for name, (row, documents) in self._lists.items():
            yield name, write_json(fill_shape(self._shapes.get(name, row.shape), documents))
        yield from self.end()

    def write(self, entry: Entry) -> Iterable[File]:
        """Yield the file of one entry, unless it is one of a list."""
        return self.write_by(self.layout.row_of(self.layout.label_of(entry)), entry)

    def _write_kept(self, entry: Entry) -> Iterator[File]:
        """Yield a file that is kept as it came in; the shape of another file is noted for that."""
        document = entry.note.document
        path, row = str(document.get("path")), self.layout.row_at(str(document.get("path")))
        if row is None or document.get("layout") != self.layout.name:
            return
        if "shape" in document:
            self._shapes.setdefault(path, document["shape"])
        elif row.kind == KEPT and self.names.free(path):
            self.count(KEPT)
            yield path, str(document.get("text")).encode()
        else:
            self.left_out.append((entry.path, f"another file is {path}"))

    def write_by(self, row: LayoutRow, entry: Entry) -> Iterator[File]:
        """Yield the file of one entry by a row, unless it is one of a list."""
        self.count(row.label or row.kind)
        if row.many:
            name = row.pattern.format(day=self._day_of(entry))
            _, documents = self._lists.setdefault(name, (row, []))
            documents.append(self.describe(row, entry, name))
            return
        name = self.name_of(row, entry)
        document = self.describe(row, entry, name)
        yield name, compose_plain(document).raw if row.is_markdown else write_json(document)

    def describe(self, row: LayoutRow, entry: Entry, name: str) -> dict[str, Any]:
        """Return the document of an entry for a file."""
        return describe_entry(self.layout, row, entry, name)

    def name_of(self, row: LayoutRow, entry: Entry) -> str:
        """Return the name of an entry's file: that with which it came, else one by its row."""
        if "{" not in row.pattern:
            return row.pattern
        stem = stem_of(entry.path)
        name = self._name_that_came(row, entry) or row.pattern.format(
            day=self._day_of(entry),
            date=stem,
            name=row.prefix + (stem if row.is_markdown else entry.id).replace("/", "-"),
        )
        folder, _, stem = name.rpartition("/")
        ending = "." + row.pattern.rpartition(".")[2]
        return self.names.reserve(folder, stem.removesuffix(ending), ending)

    def _name_that_came(self, row: LayoutRow, entry: Entry) -> str:
        """Return the name of the file with which an entry came in, "" for one made here."""
        if entry.source.get("kind") != self.layout.name or "{path}" not in self.layout.ref:
            return ""
        head = row.pattern.partition("/")[0]
        found = re.search(rf"/({re.escape(head)}/.+)#", str(entry.source.get("ref")))
        return found[1] if found and row.holds(found[1]) else ""

    def _day_of(self, entry: Entry) -> str:
        """Return the day of an entry's folder, else of its creation."""
        made = "undated" if entry.created is None else format_instant(entry.created)[:10]
        return day_in(entry.path.split("/")[-2]) or made

    def begin(self) -> Iterable[File]:
        """Yield the files before those of the entries."""
        return ()

    def end(self) -> Iterable[File]:
        """Yield the files made of all entries together."""
        return ()
