"""`export --format living`: memories as notes in the folders of the living memory, with the seed's
frontmatter (DESIGN section 14)."""

from __future__ import annotations

from engrain.engine.weighing import Weighing
from engrain.model.entry import read_entry
from engrain.model.errors import EngrainError
from engrain.model.json_note import JsonNote
from engrain.model.layouts.living import folder_of, has_place, write_document
from engrain.model.loki.layout import Names
from engrain.model.tiers import ARCHIVE, LIVE, split_ending
from engrain.seam.rows import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engrain.engine.store import Store
    from engrain.model.entry import Entry
    from engrain.seam.derived import Progress
    from engrain.seam.rows import Row

_STATUSES = ("active", "superseded", "archived")


class LivingExport:
    """One export: its `files`, and when they were all taken, how many of them are in which folder
    (`counts`) and what is not among them and why (`left_out`)."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        """`project` leaves entries of that project and of none; None leaves all."""
        self._store = store
        self._project = project
        self._progress = progress
        self._weighing = Weighing(store)
        self._names = Names()
        self.counts: dict[str, int] = {}
        self.left_out: list[tuple[str, str]] = []

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Each file's name, with `/`, and its bytes. What can't be read is left out."""
        self._store.require_index(scan=True)
        rows = self._find()
        for done, row in enumerate(rows, 1):
            entry = self._read(row)
            if entry is not None:
                folder = folder_of(entry)
                name = self._names.take(folder, split_ending(entry.path)[0], ".md")
                weight = self._weighing.weight_of(entry)
                self.counts[folder] = self.counts.get(folder, 0) + 1
                yield name, write_document(entry, name, weight).raw
            if self._progress:
                self._progress(done, len(rows))

    def _find(self) -> list[Row]:
        projects = None if self._project is None else (self._project, "")
        rows = self._store.index.find(
            Filter(statuses=_STATUSES, zones=(LIVE, ARCHIVE), projects=projects)
        )
        found = (row for row in rows if has_place(row.kind, row.locator))
        return sorted(found, key=lambda row: (row.id, row.locator))

    def _read(self, row: Row) -> Entry | None:
        try:
            entry = read_entry(row.locator, self._store.backend.read(row.locator).raw)
        except EngrainError as error:
            self.left_out.append((row.locator, error.message))
            return None
        return None if isinstance(entry.note, JsonNote) else entry
