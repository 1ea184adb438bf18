"""`graph stats`: measures the graph (S1.21)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engrain.engine.core.scope import Scope, filter_for
from engrain.engine.core.store import Store
from engrain.engine.graph.graph import LINKS_TO, ScopedGraph
from engrain.seam.rows import Row

_HUBS = 10


@dataclass(slots=True, eq=False)
class Stats:
    """The graph in figures: entries, edges by (origin, relation), links by state, entries without
    an edge, connected components and the largest of them, and the entries with most edges."""

    entries: int
    edges: Mapping[tuple[str, str], int]
    links: Mapping[str, int]
    orphans: int
    components: int
    largest: int
    hubs: Sequence[tuple[Row, int]]


def measure_graph(store: Store, scope: Scope | None = None) -> Stats:
    """The graph of a scope in figures. Links are counted over the whole vault."""
    scope = scope or Scope()
    store.require_index(scan=True)
    only = filter_for(store, scope)
    entries = store.index.count(only)
    with store.index.view() as view:
        lens = ScopedGraph(view, only, (), scope.as_of)
        groups = _Groups()
        kinds: Counter[tuple[str, str]] = Counter()
        degrees: Counter[int] = Counter()
        for edge in lens.all_edges():
            kinds[edge.origin, edge.relation or LINKS_TO] += 1
            degrees.update((edge.source, edge.target))
            groups.join(edge.source, edge.target)
        best = sorted(degrees, key=lambda number: -degrees[number])[: _HUBS * 2]
        rows = view.rows(best)
        hubs = sorted(((rows[n], degrees[n]) for n in best), key=lambda one: (-one[1], one[0].id))
        sizes = groups.sizes()
        links = view.count_links()
    alone = entries - len(degrees)
    return Stats(
        entries,
        dict(sorted(kinds.items())),
        links,
        alone,
        len(sizes) + alone,
        max(sizes, default=min(entries, 1)),
        hubs[:_HUBS],
    )


class _Groups:
    """Entries that hang together, joined edge by edge (Tarjan's union-find)."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def join(self, one: int, other: int) -> None:
        first, second = self._top(one), self._top(other)
        if first != second:
            self._above[max(first, second)] = min(first, second)

    def sizes(self) -> list[int]:
        """How many entries each group has."""
        return list(Counter(map(self._top, self._above)).values())

    def _top(self, entry: int) -> int:
        above = self._above
        above.setdefault(entry, entry)
        while above[entry] != entry:
            above[entry] = above[above[entry]]
            entry = above[entry]
        return entry
