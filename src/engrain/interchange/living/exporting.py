"""`export --format living`: writes memories as notes in the folders of a living memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engrain.engine.core.store import Store
from engrain.engine.core.weighing import Weighing
from engrain.interchange.exporting import Export, File
from engrain.model.interchange.living import folder_of, has_place, write_document
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ARCHIVE, LIVE, split_ending
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row


class LivingExport(Export):
    """An export that counts its notes by folder."""

    only = Filter(statuses=("active", "superseded", "archived"), zones=(LIVE, ARCHIVE))

    def __init__(
        self,
        store: Store,
        count_sessions: Callable[[Entry], int],
        project: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`count_sessions` says how many sessions have passed since an entry was recalled."""
        super().__init__(store, project, progress)
        self._count_sessions = count_sessions
        self._weighing = Weighing(store)

    def has_place(self, row: Row) -> bool:
        return has_place(row.kind, row.locator)

    def order(self, row: Row) -> tuple[str, str]:
        return row.id, row.locator

    def write(self, entry: Entry) -> Iterable[File]:
        if not isinstance(entry.note, JsonNote):
            folder = folder_of(entry)
            name = self.names.take(folder, split_ending(entry.path)[0], ".md")
            weight = self._weighing.weight_of(entry)
            self.count(folder)
            yield name, write_document(entry, name, weight, self._count_sessions(entry)).raw
