"""`graph`: how entries hang together: neighbours, the way from one to another, what lies around
one, and the whole (S1.21).

What is walked is what somebody wrote: links, relations, facts, chains, sources. Beside it stand the
entries that this device recalled together, which are told only as neighbours.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from engrain.engine.co_recall import RECALLED_WITH, list_companions
from engrain.engine.scope import Scope, make_filter
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.graph_formats import Arrow, Node
from engrain.model.instants import format_instant
from engrain.seam.graph import STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from engrain.engine.store import Store
    from engrain.seam.graph import Edge, GraphView
    from engrain.seam.rows import Filter, Row

OUT, IN, BOTH = "out", "in", "both"
DIRECTIONS = (OUT, IN, BOTH)
LINKS_TO = "links_to"
"""What the relation of a plain link is called where it is shown."""
CO_RECALL = "recall"
"""The origin of an edge by use."""

MOST_HOPS = 12
_MOST_VISITED = 200_000
"""Entries looked at for a path: of more than these nobody has an overview."""
_HUBS = 10


class Graph:
    """Part of the graph: the entries of `rows` by number, and the edges among them. `cut` is
    whether there was more."""

    __slots__ = ("cut", "edges", "rows")

    def __init__(self, rows: Mapping[int, Row], edges: Sequence[Edge], cut: bool = False) -> None:
        self.rows = rows
        self.edges = edges
        self.cut = cut

    def nodes(self) -> Iterator[Node]:
        """The entries by their ids."""
        return map(make_node, sorted(self.rows.values(), key=lambda row: row.id))

    def arrows(self) -> Iterator[Arrow]:
        """The edges as they are told."""
        for edge in self.edges:
            yield make_arrow(edge, self.rows[edge.source].id, self.rows[edge.target].id)


class Neighbour:
    """An entry beside another: the `edge` that joins them, None where they were only recalled
    together, `outward` if it leaves the one that was asked about; `relation`, and the `sessions`
    they were recalled in."""

    __slots__ = ("edge", "outward", "relation", "row", "sessions")

    def __init__(
        self, row: Row, relation: str, outward: bool, edge: Edge | None, sessions: int = 0
    ) -> None:
        self.row = row
        self.relation = relation
        self.outward = outward
        self.edge = edge
        self.sessions = sessions


class Stats:
    """The graph in figures: entries, edges by (origin, relation), links by state, entries without
    an edge, groups that hang together, the largest of them, and the entries with most edges."""

    __slots__ = ("components", "edges", "entries", "hubs", "largest", "links", "orphans")

    def __init__(
        self,
        entries: int,
        edges: Mapping[tuple[str, str], int],
        links: Mapping[str, int],
        orphans: int,
        components: int,
        largest: int,
        hubs: Sequence[tuple[Row, int]],
    ) -> None:
        self.entries = entries
        self.edges = edges
        self.links = links
        self.orphans = orphans
        self.components = components
        self.largest = largest
        self.hubs = hubs


class _Lens:
    """The part of the graph that a scope lets see, at a moment if one is named, and of some
    relations."""

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
            self._rows[entry] = row if row is not None and _admits(self._only, row) else None
        return {entry: row for entry in entries if (row := self._rows[entry]) is not None}

    def admit(self, entry: int) -> None:
        """See an entry that was asked for, whatever the scope."""
        self._rows[entry] = self._view.rows([entry])[entry]

    def edges(self, entries: Sequence[int], direction: str = BOTH) -> list[Edge]:
        """The edges at some entries whose other end is in scope."""
        found: list[Edge] = []
        if direction != IN:
            found += self._view.edges_from(entries)
        if direction != OUT:
            found += self._view.edges_to(entries)
        found = [edge for edge in found if self._keeps(edge)]
        seen = self.see([end for edge in found for end in (edge.source, edge.target)])
        return [edge for edge in found if edge.source in seen and edge.target in seen]

    def all_edges(self) -> Iterator[Edge]:
        """Every edge of it."""
        page: list[Edge] = []
        for edge in self._view.edges():
            if self._keeps(edge):
                page.append(edge)
            if len(page) >= 1000:
                yield from self._both_seen(page)
                page = []
        yield from self._both_seen(page)

    def _both_seen(self, edges: Sequence[Edge]) -> Iterator[Edge]:
        seen = self.see([end for edge in edges for end in (edge.source, edge.target)])
        return (edge for edge in edges if edge.source in seen and edge.target in seen)

    def _keeps(self, edge: Edge) -> bool:
        asked = not self._relations or edge.relation in self._relations
        return asked and (self._at is None or edge.holds(self._at))


def list_neighbours(
    store: Store,
    reference: str,
    scope: Scope,
    *,
    relations: Collection[str] = (),
    direction: str = BOTH,
    limit: int | None = None,
) -> tuple[Row, list[Neighbour], int]:
    """The entry meant, what it is joined to, and how many more there are than `limit`.

    Raises NotFoundError, and UsageError for what is no direction.
    """
    if direction not in DIRECTIONS:
        raise UsageError(f"{direction!r} is no direction", remedy="use " + ", ".join(DIRECTIONS))
    store.require_index(scan=True)
    only = make_filter(scope, store.project)
    with store.index.view() as view:
        entry = _find(store, view, reference)
        lens = _Lens(view, only, relations, scope.as_of)
        lens.admit(entry)
        own = view.rows([entry])[entry]
        found = []
        for edge in lens.edges([entry], direction):
            outward = edge.source == entry
            other = edge.target if outward else edge.source
            row = lens.see([other])[other]
            found.append(Neighbour(row, edge.relation or LINKS_TO, outward, edge))
    if direction == BOTH and (not relations or RECALLED_WITH in relations):
        found += [
            Neighbour(one.row, RECALLED_WITH, True, None, one.sessions)
            for one in list_companions(store, own.id)
            if _admits(only, one.row)
        ]
    kept = found if limit is None else found[:limit]
    return own, kept, len(found) - len(kept)


def find_path(
    store: Store, start: str, goal: str, scope: Scope, *, hops: int = 6
) -> tuple[Graph, list[int]]:
    """The shortest way between two entries, whichever way its edges point, with the entries on it
    by number in order; none where there is none of so many hops. Of several the one whose entries
    come first by id.

    Raises NotFoundError, UsageError.
    """
    _check_hops(hops)
    store.require_index(scan=True)
    with store.index.view() as view:
        ends = [_find(store, view, start), _find(store, view, goal)]
        lens = _Lens(view, make_filter(scope, store.project), (), scope.as_of)
        for end in ends:
            lens.admit(end)
        way = _search(lens, ends[0], ends[1], hops)
        edges: list[Edge] = []
        for here, there in pairwise(way):
            joining = [e for e in lens.edges([here]) if {e.source, e.target} == {here, there}]
            edges += joining
        return Graph(view.rows(way or ends), edges), way


def _search(lens: _Lens, start: int, goal: int, hops: int) -> list[int]:
    """Breadth first from both ends, always from the side that has fewer open ends."""
    if start == goal:
        return [start]
    came: tuple[dict[int, int], dict[int, int]] = ({start: start}, {goal: goal})
    fronts = [[start], [goal]]
    for _ in range(hops):
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        own, others = came[side], came[1 - side]
        reached: dict[int, int] = {}
        order = {entry: place for place, entry in enumerate(fronts[side])}
        for edge in lens.edges(fronts[side]):
            for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
                if here in order and there not in own:
                    known = reached.get(there)
                    if known is None or order[here] < order[known]:
                        reached[there] = here
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
    """From an entry back to where the search began."""
    way = [entry]
    while came[entry] != entry:
        entry = came[entry]
        way.append(entry)
    return way


def walk_around(
    store: Store, reference: str, scope: Scope, *, hops: int = 2, limit: int = 100
) -> tuple[Row, Graph]:
    """What lies within some hops of an entry, the nearest first, `limit` entries at most.

    Raises NotFoundError, UsageError.
    """
    _check_hops(hops)
    if limit < 1:
        raise UsageError(f"a limit of {limit} shows nothing", remedy="give --limit 1 or more")
    store.require_index(scan=True)
    with store.index.view() as view:
        entry = _find(store, view, reference)
        lens = _Lens(view, make_filter(scope, store.project), (), scope.as_of)
        lens.admit(entry)
        seen, front, cut = {entry: view.rows([entry])[entry]}, [entry], False
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


def measure_graph(store: Store, scope: Scope) -> Stats:
    """The graph of a scope in figures. Links are counted over the whole vault."""
    store.require_index(scan=True)
    only = make_filter(scope, store.project)
    entries = store.index.count(only)
    with store.index.view() as view:
        lens = _Lens(view, only, (), scope.as_of)
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
        links = {state: view.count_links()[state] for state in STATES}
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


def read_graph(store: Store, scope: Scope) -> Graph:
    """The whole graph of a scope."""
    store.require_index(scan=True)
    only = make_filter(scope, store.project)
    with store.index.view() as view:
        rows = {
            number: row
            for row in store.index.find(only)
            if (number := view.number(row.locator)) is not None
        }
        lens = _Lens(view, only, (), scope.as_of)
        edges = [e for e in lens.all_edges() if e.source in rows and e.target in rows]
    return Graph(rows, edges)


def make_node(row: Row) -> Node:
    """An entry as a graph tells it."""
    return Node(
        row.id,
        row.title,
        kind=row.kind,
        status=row.status,
        project=row.project,
        tags=list(row.tags),
        path=str(row.locator),
    )


def make_arrow(edge: Edge, source: str, target: str) -> Arrow:
    """An edge as it is told, between two ids."""
    return Arrow(
        source,
        target,
        edge.relation or LINKS_TO,
        origin=edge.origin,
        valid_from=None if edge.valid_from is None else format_instant(edge.valid_from),
        valid_to=None if edge.valid_to is None else format_instant(edge.valid_to),
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


def _find(store: Store, view: GraphView, reference: str) -> int:
    """The entry that is meant: by id, path or slug, else as a link means it. Raises
    NotFoundError."""
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


def _admits(only: Filter, row: Row) -> bool:
    """What the index does with a filter, for one row of it."""
    if only.projects is not None and (row.project or "") not in only.projects:
        return False
    chosen = (
        (only.zones, row.zone), (only.statuses, row.status), (only.kinds, row.kind),
        (only.tiers, row.tier),
    )  # fmt: skip
    if any(choice and value not in choice for choice, value in chosen):
        return False
    return not only.tags or not set(only.tags).isdisjoint(row.tags)


def _check_hops(hops: int) -> None:
    if not 1 <= hops <= MOST_HOPS:
        raise UsageError(f"{hops} hops make no sense", remedy=f"give --hops 1 to {MOST_HOPS}")
