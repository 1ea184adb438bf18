"""The graph as one view of the index shows it."""

from __future__ import annotations

from engrain.index import graph, matching
from engrain.index.connection import guarded
from engrain.index.text import storable
from engrain.seam.graph import GraphView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

    from engrain.seam.graph import Claim, Edge, Reference, Written
    from engrain.seam.rows import Row


class SqliteGraph(GraphView):
    """The graph of one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def number(self, locator: str) -> int | None:
        return guarded(graph.number, self._connection, storable(locator))

    def edges_from(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        return guarded(graph.edges_from, self._connection, entries, most)

    def edges_to(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        return guarded(graph.edges_to, self._connection, entries, most)

    def edges(self) -> Iterator[Edge]:
        after = (-1, -1)
        told: set[tuple[object, ...]] = set()  # of the entry whose links are read
        while rows := guarded(graph.edges, self._connection, after):
            for row in rows:
                if row[0] != after[0]:
                    told.clear()
                after = row[:2]
                if row[2:] not in told:
                    told.add(row[2:])
                    yield graph.make_edge(row[2:])

    def links(self, state: str | None = None) -> Iterator[Written]:
        after = (-1, -1)
        while found := guarded(graph.links, self._connection, state, after):
            yield from found
            after = (found[-1].source, found[-1].place)

    def links_of(self, entry: int) -> list[Written]:
        return guarded(graph.links_of, self._connection, entry)

    def count_links(self) -> dict[str, int]:
        return guarded(graph.count_links, self._connection)

    def orphans(self) -> list[int]:
        return guarded(graph.orphans, self._connection)

    def claims(self, entries: Sequence[int] | None = None) -> list[Claim]:
        from engrain.index.succession import list_claims

        return guarded(list_claims, self._connection, entries)

    def waiting_claims(self, names: Sequence[str]) -> list[tuple[int, str, str]]:
        from engrain.index.succession import list_waiting

        return guarded(list_waiting, self._connection, names)

    def meant(self, name: str) -> list[int]:
        from engrain.index.links import list_meant

        return guarded(list_meant, self._connection, name)

    def lead(self, reference: Reference, folder: str) -> tuple[int | None, int]:
        from engrain.index.links import lead

        return guarded(lead, self._connection, reference, folder)

    def names(self) -> Iterator[tuple[str, int]]:
        after = ("", -1)
        while found := guarded(graph.names, self._connection, after):
            yield from found
            after = found[-1]

    @property
    def label_first(self) -> bool:
        from engrain.index.links import is_label_first

        return guarded(is_label_first, self._connection)

    def rows(self, entries: Sequence[int]) -> dict[int, Row]:
        return guarded(matching.rows, self._connection, entries)
