"""Every source there is, and where its files are: those that were added, and the vault's own daily
notes, which are as trusted as who wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Store
from engrain.model.facts.daily import FOLDER, KIND
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter, Row
from engrain.seam.sources import OWN, Shelf, Source, SourceFile


def list_shelves(store: Store) -> list[tuple[Source, Shelf]]:
    """Each source and where its files are. Raises ConfigError, IndexUnavailableError."""
    found: list[tuple[Source, Shelf]] = [(one, store.sources) for one in store.sources.list()]
    only = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
    store.require_index(scan=True)
    by_origin: dict[str, list[Row]] = {}
    for row in store.index.find(only):
        if row.locator.startswith(f"{FOLDER}/"):
            by_origin.setdefault(counted_origin(row, store.settings), []).append(row)
    for origin, rows in sorted(by_origin.items()):
        source = Source(OWN, FOLDER, format="daily", trust=origin)
        found.append((source, _OwnNotes(store, rows)))
    return found


class _OwnNotes(Shelf):
    def __init__(self, store: Store, rows: Sequence[Row]) -> None:
        self._store = store
        self._rows = sorted(rows, key=lambda row: row.locator)

    def files(self, source: Source) -> Iterator[SourceFile | OSError]:  # noqa: ARG002 - the port's
        for row in self._rows:
            yield SourceFile(row.locator, 0, None, row.hash)

    def read(self, source: Source, name: str, offset: int = 0) -> Iterator[bytes]:  # noqa: ARG002
        yield self._store.backend.read(make_locator(name)).raw[offset:]
