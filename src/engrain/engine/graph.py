"""`graph`: neighbours of an entry, paths, its surroundings, and the whole graph (S1.21).

Walks follow links, relations, facts, successions and sources.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from engrain.engine.core.scope import Scope, admits, filter_for, read_moment
from engrain.engine.core.store import Store
from engrain.index.links import list_meant
from engrain.index.view import IndexView
from engrain.language.text.instants import format_instant
from engrain.model.errors import NotFoundError, UsageError
from engrain.seam.rows import Edge, Filter, Row

OUT, IN, BOTH = "out", "in", "both"
DIRECTIONS = (OUT, IN, BOTH)
LINKS_TO = "links_to"
"""What the relation of a plain link is called where it is shown."""
_PAGE = 1000
"""Edges whose ends are looked at at once."""


@dataclass(slots=True, eq=False)
class ScopedGraph:
    """The part of the graph in a scope, at a moment if one is given, and of some relations."""

    _view: IndexView
    _only: Filter
    _relations: Collection[str] = ()
    _at: float | None = None
    _rows: dict[int, Row | None] = field(default_factory=dict, init=False)

    def see(self, entries: Iterable[int]) -> dict[int, Row]:
        """Return those of some entries that are in scope."""
        new = [entry for entry in dict.fromkeys(entries) if entry not in self._rows]
        found = self._view.rows(new)
        for entry in new:
            row = found.get(entry)
            self._rows[entry] = row if row is not None and admits(self._only, row) else None
        return {entry: row for entry in entries if (row := self._rows[entry]) is not None}

    def admit(self, entry: int) -> Row:
        """Add an entry that was asked for, whatever the scope."""
        row = self._rows[entry] = self._view.rows([entry])[entry]
        return row

    def edges(self, entries: Sequence[int], direction: str = BOTH) -> list[Edge]:
        """List the edges at some entries whose other end is in scope."""
        found = []
        if direction != IN:
            found += self._view.edges_from(entries)
        if direction != OUT:
            found += self._view.edges_to(entries)
        return list(self._both_seen([edge for edge in found if self._keeps(edge)]))

    def all_edges(self) -> Iterator[Edge]:
        """Yield every edge whose ends are in scope."""
        kept = filter(self._keeps, self._view.edges())
        while page := list(islice(kept, _PAGE)):
            yield from self._both_seen(page)

    def _both_seen(self, edges: Sequence[Edge]) -> Iterator[Edge]:
        seen = self.see([end for edge in edges for end in (edge.source, edge.target)])
        return (edge for edge in edges if edge.source in seen and edge.target in seen)

    def _keeps(self, edge: Edge) -> bool:
        asked = not self._relations or (edge.relation or LINKS_TO) in self._relations
        return asked and (self._at is None or edge.holds(self._at))


def find_entry(store: Store, view: IndexView, reference: str) -> int:
    """Find the number of an entry by id, path or slug, else as a link means it. Raises
    NotFoundError."""
    try:
        number = view.number(store.find_one(reference).locator)
    except NotFoundError:
        meant = view.ask(list_meant, reference)
        if not meant:
            raise
        return meant[0]
    if number is None:
        raise NotFoundError(f"no entry {reference!r} any more")
    return number


MOST_HOPS = 12
_MOST_VISITED = 200_000
"""Entries that a search for a path visits at most."""


@dataclass(slots=True, eq=False)
class Graph:
    """Part of the graph: entries by number (`rows`), and the edges among them. `cut` says whether
    there was more."""

    rows: Mapping[int, Row]
    edges: Sequence[Edge]
    cut: bool = False

    def describe(self) -> dict[str, object]:
        """Return the graph in the node-link form that networkx and D3 read."""
        nodes = [
            {
                "id": row.id,
                "title": row.title,
                "kind": row.kind,
                "status": row.status,
                "project": row.project,
                "tags": list(row.tags),
                "path": str(row.locator),
            }
            for row in sorted(self.rows.values(), key=lambda row: row.id)
        ]
        head = {"directed": True, "multigraph": True, "graph": {}}
        return {**head, "nodes": nodes, "edges": self.describe_edges(), "cut": self.cut}

    def describe_edges(self) -> list[dict[str, object]]:
        """Return the edges between ids."""
        return [
            {
                "source": self.rows[edge.source].id,
                "target": self.rows[edge.target].id,
                "relation": edge.relation or LINKS_TO,
                **describe_validity(edge),
            }
            for edge in self.edges
        ]


@dataclass(slots=True, eq=False)
class Neighbour:
    """An entry beside the one asked about: the `edge` between them, `outward` if it points away
    from the latter, and the `relation`."""

    row: Row
    relation: str
    outward: bool
    edge: Edge


def list_neighbours(
    store: Store,
    reference: str,
    *,
    relations: Collection[str] = (),
    direction: str = BOTH,
    scope: Scope | None = None,
    limit: int | None = None,
) -> tuple[Row, list[Neighbour], int]:
    """List the neighbours of an entry; return the entry, the neighbours, and how many more there
    are than `limit`."""
    scope = scope or Scope()
    if direction not in DIRECTIONS:
        raise UsageError(f"{direction!r} is no direction", remedy="use " + ", ".join(DIRECTIONS))
    store.require_index(scan=True)
    only = filter_for(store, scope)
    with store.index.view() as view:
        entry = find_entry(store, view, reference)
        lens = ScopedGraph(view, only, relations, read_moment(scope.as_of))
        own = lens.admit(entry)
        found = []
        for edge in lens.edges([entry], direction):
            outward = edge.source == entry
            other = edge.target if outward else edge.source
            row = lens.see([other])[other]
            found.append(Neighbour(row, edge.relation or LINKS_TO, outward, edge))
    kept = found[:limit]
    return own, kept, len(found) - len(kept)


def find_path(
    store: Store, start: str, goal: str, *, hops: int = 6, scope: Scope | None = None
) -> tuple[Graph, list[int]]:
    """Find the shortest path between two entries in any direction of edges."""
    scope = scope or Scope()
    _check_hops(hops)
    store.require_index(scan=True)
    with store.index.view() as view:
        ends = [find_entry(store, view, start), find_entry(store, view, goal)]
        lens = ScopedGraph(view, filter_for(store, scope), (), read_moment(scope.as_of))
        for end in ends:
            lens.admit(end)
        way = _search(lens, ends[0], ends[1], hops)
        edges: list[Edge] = []
        for here, there in pairwise(way):
            edges += (e for e in lens.edges([here]) if {e.source, e.target} == {here, there})
        return Graph(view.rows(way or ends), edges), way


def _search(lens: ScopedGraph, start: int, goal: int, hops: int) -> list[int]:
    """Search breadth first from both ends, always from the side that has fewer open ends."""
    if start == goal:
        return [start]
    came = ({start: start}, {goal: goal})
    fronts = [[start], [goal]]
    for _ in range(hops):
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        own, others = came[side], came[1 - side]
        reached: dict[int, int] = {}  # each new entry, with the first of the front beside it
        order = {entry: place for place, entry in enumerate(fronts[side])}
        for edge in lens.edges(fronts[side]):
            for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
                if here in order and there not in own:
                    reached[there] = min(reached.get(there, here), here, key=order.__getitem__)
        own.update(reached)
        rows = lens.see(reached)
        fronts[side] = sorted(reached, key=lambda entry: rows[entry].id)
        if met := [entry for entry in fronts[side] if entry in others]:
            first, second = _trace(came[0], met[0]), _trace(came[1], met[0])
            return [*reversed(first), *second[1:]]
        if not fronts[side] or len(own) + len(others) > _MOST_VISITED:
            return []
    return []


def _trace(came: Mapping[int, int], entry: int) -> list[int]:
    way = [entry]
    while came[entry] != entry:
        entry = came[entry]
        way.append(entry)
    return way


def walk_around(
    store: Store, reference: str, *, hops: int = 2, limit: int = 100, scope: Scope | None = None
) -> tuple[Row, Graph]:
    """Return the entries within some hops of an entry, the nearest first, at most `limit`. Raises
    NotFoundError, UsageError."""
    scope = scope or Scope()
    _check_hops(hops)
    if limit < 1:
        raise UsageError(f"a limit of {limit} shows nothing", remedy="give --limit 1 or more")
    store.require_index(look=True)
    with store.index.view() as view:
        entry = find_entry(store, view, reference)
        lens = ScopedGraph(view, filter_for(store, scope), (), read_moment(scope.as_of))
        seen, front, cut = {entry: lens.admit(entry)}, [entry], False
        for _ in range(hops):
            ends = [end for edge in lens.edges(front) for end in (edge.source, edge.target)]
            rows = {number: row for number, row in lens.see(ends).items() if number not in seen}
            front = sorted(rows, key=lambda number: rows[number].id)
            cut = cut or len(front) > limit - len(seen)
            front = front[: limit - len(seen)]
            seen.update((number, rows[number]) for number in front)
            if cut or not front:
                break
        inside = [e for e in lens.edges(list(seen), OUT) if e.target in seen]
        return seen[entry], Graph(seen, inside, cut)


def read_graph(store: Store, scope: Scope | None = None, limit: int | None = None) -> Graph:
    """Read the whole graph of a scope, or of its `limit` newest entries, for which no scan is made.
    Raises IndexUnavailableError."""
    scope = scope or Scope()
    store.require_index(scan=limit is None, look=limit is not None)
    only = filter_for(store, scope)
    with store.index.view() as view:
        rows = {
            number: row
            for row in store.index.find(only, limit)
            if (number := view.number(row.locator)) is not None
        }
        lens = ScopedGraph(view, only, (), read_moment(scope.as_of))
        found = lens.all_edges() if limit is None else lens.edges(list(rows), OUT)
        edges = [e for e in found if e.source in rows and e.target in rows]
    return Graph(rows, edges)


def describe_validity(edge: Edge) -> dict[str, object]:
    """Return where an edge comes from and the dates between which it holds, None for no date."""
    return {
        "origin": edge.origin,
        "valid_from": None if edge.valid_from is None else format_instant(edge.valid_from),
        "valid_to": None if edge.valid_to is None else format_instant(edge.valid_to),
    }


def _check_hops(hops: int) -> None:
    if not 1 <= hops <= MOST_HOPS:
        raise UsageError(f"{hops} hops make no sense", remedy=f"give --hops 1 to {MOST_HOPS}")
