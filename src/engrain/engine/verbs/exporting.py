"""Writing a vault out as the files of another layout: what every such export has (DESIGN section
14)."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.model.errors import EngrainError
from engrain.model.interchange.loki.layout import Names
from engrain.model.note.entry import Entry
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator


class Export:
    """One export: when all its files were taken, how many of what they hold (`counts`, by kind) and
    what is not among them and why (`left_out`)."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        """`project` leaves entries of that project and of none; None leaves all."""
        self._store = store
        self._project = project
        self._projects = None if project is None else (project, "")
        self._progress = progress
        self._names = Names()
        self.counts: dict[str, int] = {}
        self.left_out: list[tuple[str, str]] = []

    def _read(self, place: Locator) -> Entry | None:
        """The entry at a place; one that can't be read is left out."""
        try:
            return self._store.read_entry(place)
        except EngrainError as error:
            self.left_out.append((place, error.message))
            return None

    def _count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number
