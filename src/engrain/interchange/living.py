"""Import the notes of a living memory, and export memories as its notes.

After the import only this vault decides how often a memory was used, and whether it has faded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engrain.engine.core.store import Store
from engrain.engine.core.weighing import Weighing
from engrain.interchange.exporting import Export, File
from engrain.interchange.importing import LayoutImporter
from engrain.model.interchange.living import LIVING_LAYOUT, folder_of, has_place, quote_times
from engrain.model.interchange.table import STATUSES, LayoutRow, read_mark
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ARCHIVE, LIVE
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row


class LivingImporter(LayoutImporter):
    """Imports the notes of one living memory."""

    layout = LIVING_LAYOUT


class LivingExport(Export):
    """An export that counts its notes by folder."""

    layout = LIVING_LAYOUT
    only = Filter(statuses=STATUSES, zones=(LIVE, ARCHIVE))

    def __init__(
        self,
        store: Store,
        count_sessions: Callable[[Entry], int],
        project: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`count_sessions` returns the number of sessions since an entry was recalled."""
        super().__init__(store, project, progress)
        self._count_sessions = count_sessions
        self._weighing = Weighing(store)

    def has_place(self, row: Row) -> bool:
        return has_place(row.kind, row.locator)

    def order(self, row: Row) -> tuple[str, str]:
        return row.id, row.locator

    def write(self, entry: Entry) -> Iterable[File]:
        if not isinstance(entry.note, JsonNote):
            for name, raw in super().write(entry):
                yield name, quote_times(raw)

    def row_of(self, entry: Entry) -> LayoutRow:
        folder = folder_of(entry)
        return next(row for row in self.layout.rows if row.pattern.startswith(f"{folder}/"))

    def count_as(self, row: LayoutRow) -> str:
        return row.pattern.partition("/")[0]

    def describe(self, row: LayoutRow, entry: Entry, name: str) -> dict[str, Any]:
        """Return the note of an entry, with an estimated weight if none is known, and the sessions
        since it was recalled."""
        document = super().describe(row, entry, name)
        sessions = self._count_sessions(entry)
        if sessions or "sessions_since_recall" in document:
            document["sessions_since_recall"] = sessions
        without = read_mark(self.layout, entry).get("without") or ()
        if document.get("emotional_weight") is None and "emotional_weight" not in without:
            document["emotional_weight"] = self._weighing.weight_of(entry)
        return document
