"""`memory.graph` and `memory.links`: how entries are joined."""

# Requirements: S1.8, S1.11, S1.21.

from __future__ import annotations

from collections.abc import Collection

from engrain.api.holder import Holder
from engrain.engine.core.scope import Scope
from engrain.engine.graph import (
    BOTH,
    Graph,
    Neighbour,
    find_path,
    list_neighbours,
    read_graph,
    walk_around,
)
from engrain.engine.indexes import Maps, check_maps, write_maps
from engrain.seam.rows import Row


class Graphs(Holder):
    """How entries are joined: by links, relations, facts, chains, sources and use."""

    def neighbors(
        self,
        reference: str,
        *,
        relations: Collection[str] = (),
        direction: str = BOTH,
        scope: Scope | None = None,
        limit: int | None = None,
    ) -> tuple[Row, list[Neighbour], int]:
        """List the neighbours of an entry; return the entry, the neighbours, and how many more
        there are than `limit`. The direction "out" follows edges from the entry, "in" edges to it.
        With `scope.as_of` only edges that held then count. Raises NotFoundError, UsageError,
        IndexUnavailableError."""
        return list_neighbours(
            self._open_store(),
            reference,
            relations=relations,
            direction=direction,
            scope=scope,
            limit=limit,
        )

    def path(
        self, start: str, goal: str, *, hops: int = 6, scope: Scope | None = None
    ) -> tuple[Graph, list[int]]:
        """Find the shortest path between two entries in any direction of edges; return it with the
        numbers of its entries in order, empty where it has more than `hops`. Of equal paths the one
        with the first ids is taken. Raises NotFoundError, UsageError."""
        return find_path(self._open_store(), start, goal, hops=hops, scope=scope)

    def around(
        self, reference: str, *, hops: int = 2, limit: int = 100, scope: Scope | None = None
    ) -> tuple[Row, Graph]:
        """Return the entries within some hops of an entry, the nearest first, at most `limit`.
        Raises NotFoundError, UsageError."""
        return walk_around(self._open_store(), reference, hops=hops, limit=limit, scope=scope)

    def read(self, scope: Scope | None = None) -> Graph:
        """Read the whole graph of a scope. Raises IndexUnavailableError."""
        return read_graph(self._open_store(), scope)


class Links(Holder):
    """The maps of contents."""

    def map(self, *, begin: bool = True) -> Maps:
        """Update the maps, in one change unless they are very many. Without `begin` no first map is
        made. Raises IndexUnavailableError; ConflictError where others keep writing them."""
        return write_maps(self._ready(scan=True), begin=begin)

    def check_map(self) -> Maps:
        """Plan the maps without writing them. Raises IndexUnavailableError."""
        return check_maps(self._ready(scan=True))
