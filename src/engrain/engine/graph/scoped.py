"""Limits the graph to a scope, a moment and some relations (S1.21)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from engrain.engine.core.scope import admits
from engrain.engine.core.store import Store
from engrain.model.errors import NotFoundError
from engrain.seam.graph import Edge, GraphView
from engrain.seam.rows import Filter, Row

OUT, IN, BOTH = "out", "in", "both"
DIRECTIONS = (OUT, IN, BOTH)
LINKS_TO = "links_to"
"""What the relation of a plain link is called where it is shown."""
_PAGE = 1000
"""Edges whose ends are looked at at once."""


class ScopedGraph:
    """The part of the graph in a scope, at a moment if one is given, and of some relations."""

    def __init__(
        self,
        view: GraphView,
        only: Filter,
        relations: Collection[str] = (),
        at: float | None = None,
    ) -> None:
        self._view = view
        self._only = only
        self._relations = {"" if name == LINKS_TO else name for name in relations}
        self._at = at
        self._rows: dict[int, Row | None] = {}

    def see(self, entries: Iterable[int]) -> dict[int, Row]:
        """Those of some entries that are in scope."""
        new = [entry for entry in dict.fromkeys(entries) if entry not in self._rows]
        found = self._view.rows(new)
        for entry in new:
            row = found.get(entry)
            self._rows[entry] = row if row is not None and admits(self._only, row) else None
        return {entry: row for entry in entries if (row := self._rows[entry]) is not None}

    def admit(self, entry: int) -> Row:
        """Take an entry that was asked for into view, whatever the scope."""
        row = self._rows[entry] = self._view.rows([entry])[entry]
        return row

    def edges(self, entries: Sequence[int], direction: str = BOTH) -> list[Edge]:
        """The edges at some entries whose other end is in scope."""
        found: list[Edge] = []
        if direction != IN:
            found += self._view.edges_from(entries)
        if direction != OUT:
            found += self._view.edges_to(entries)
        return list(self._both_seen([edge for edge in found if self._keeps(edge)]))

    def all_edges(self) -> Iterator[Edge]:
        """Every edge of it."""
        page: list[Edge] = []
        for edge in self._view.edges():
            if self._keeps(edge):
                page.append(edge)
            if len(page) >= _PAGE:
                yield from self._both_seen(page)
                page = []
        yield from self._both_seen(page)

    def _both_seen(self, edges: Sequence[Edge]) -> Iterator[Edge]:
        seen = self.see([end for edge in edges for end in (edge.source, edge.target)])
        return (edge for edge in edges if edge.source in seen and edge.target in seen)

    def _keeps(self, edge: Edge) -> bool:
        asked = not self._relations or edge.relation in self._relations
        return asked and (self._at is None or edge.holds(self._at))


def find_entry(store: Store, view: GraphView, reference: str) -> int:
    """The number of the entry that a reference means: by id, path or slug, else as a link means it.
    Raises NotFoundError."""
    try:
        number = view.number(store.find_one(reference).locator)
    except NotFoundError:
        meant = view.meant(reference)
        if not meant:
            raise
        return meant[0]
    if number is None:
        raise NotFoundError(f"no entry {reference!r} any more")
    return number
