"""The graph: how entries hang together (S1.21)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from engrain.engine.core.scope import Scope
    from engrain.engine.graph.figures import Stats
    from engrain.engine.graph.graph import Graph, Neighbour
    from engrain.seam.rows import Row


class Graphing(Base):
    """What is joined to what, by links, relations, facts, chains, sources and use."""

    def neighbors(
        self,
        reference: str,
        *,
        relations: Collection[str] = (),
        direction: str = "both",
        scope: Scope | None = None,
        limit: int | None = None,
    ) -> tuple[Row, list[Neighbour], int]:
        """The entry meant, what it is joined to, and how many more there are than `limit`; "out"
        is what it points at, "in" what points at it. `scope.as_of` asks for what held then.

        Raises NotFoundError, UsageError, IndexUnavailableError.
        """
        from engrain.engine.core.scope import Scope
        from engrain.engine.graph.graph import list_neighbours

        return list_neighbours(
            self._open_store(),
            reference,
            scope or Scope(),
            relations=relations,
            direction=direction,
            limit=limit,
        )

    def path(
        self, start: str, goal: str, *, hops: int = 6, scope: Scope | None = None
    ) -> tuple[Graph, list[int]]:
        """The shortest way between two entries, and the numbers of those on it in order; none
        where none is of so many hops. Raises what `neighbors` does."""
        from engrain.engine.core.scope import Scope
        from engrain.engine.graph.graph import find_path

        return find_path(self._open_store(), start, goal, scope or Scope(), hops=hops)

    def around(
        self, reference: str, *, hops: int = 2, limit: int = 100, scope: Scope | None = None
    ) -> tuple[Row, Graph]:
        """What lies within some hops of an entry, the nearest first. Raises what `neighbors`
        does."""
        from engrain.engine.core.scope import Scope
        from engrain.engine.graph.graph import walk_around

        return walk_around(self._open_store(), reference, scope or Scope(), hops=hops, limit=limit)

    def graph(self, scope: Scope | None = None) -> Graph:
        """The whole graph of a scope. Raises IndexUnavailableError."""
        from engrain.engine.core.scope import Scope
        from engrain.engine.graph.graph import read_graph

        return read_graph(self._open_store(), scope or Scope())

    def graph_stats(self, scope: Scope | None = None) -> Stats:
        """The graph of a scope in figures. Raises IndexUnavailableError."""
        from engrain.engine.core.scope import Scope
        from engrain.engine.graph.figures import measure_graph

        return measure_graph(self._open_store(), scope or Scope())
