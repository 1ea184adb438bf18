"""`export --format living`: memories as notes in the folders of the living memory, with the seed's
frontmatter (DESIGN section 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engrain.engine.core.store import Store
from engrain.engine.core.weighing import Weighing
from engrain.engine.verbs.exporting import Export
from engrain.model.interchange.layouts.living import folder_of, has_place, write_document
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ARCHIVE, LIVE, split_ending
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row

_STATUSES = ("active", "superseded", "archived")


class LivingExport(Export):
    """One export: its `files`, and when they were all taken, how many of them are in which folder
    (`counts`) and what is not among them and why (`left_out`)."""

    def __init__(
        self,
        store: Store,
        count_sessions: Callable[[Entry], int],
        project: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`count_sessions` tells how many sessions have passed since an entry was recalled."""
        super().__init__(store, project, progress)
        self._count_sessions = count_sessions
        self._weighing = Weighing(store)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Each file's name, with `/`, and its bytes. What can't be read is left out."""
        self._store.require_index(scan=True)
        rows = self._find()
        for done, row in enumerate(rows, 1):
            entry = self._read(row.locator)
            if entry is not None and not isinstance(entry.note, JsonNote):
                folder = folder_of(entry)
                name = self._names.take(folder, split_ending(entry.path)[0], ".md")
                weight = self._weighing.weight_of(entry)
                self._count(folder)
                sessions = self._count_sessions(entry)
                yield name, write_document(entry, name, weight, sessions).raw
            if self._progress:
                self._progress(done, len(rows))

    def _find(self) -> list[Row]:
        rows = self._store.index.find(
            Filter(statuses=_STATUSES, zones=(LIVE, ARCHIVE), projects=self._projects)
        )
        found = (row for row in rows if has_place(row.kind, row.locator))
        return sorted(found, key=lambda row: (row.id, row.locator))
