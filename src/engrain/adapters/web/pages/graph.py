"""Graph: the newest entries with their links, or the entries around one, in rings by distance; the
picture is always the same. A script draws it anew with forces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import cos, pi, sin

from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.adapters.web.pages.search import read_date, read_words
from engrain.engine.core.scope import Scope
from engrain.engine.graph import LINKS_TO
from engrain.language.text.instants import parse_moment
from engrain.model.facts.entity import KIND as ENTITY
from engrain.seam.rows import Edge, Row

_SHOWN, _MOST = 60, 10_000
_HOPS, _MOST_HOPS = 2, 6
_NEWEST = 200
"""The newest entries whose links the page shows first."""
_RING = 140.0
"""The least distance between two rings, in units of the picture."""
_ROOM = 46.0
"""The length that an entry needs on its ring."""
_TITLED, _LISTED = 1000, 60
"""The most edges with titles and rows in the table, around an entry and of the newest ones; a
picture with more than the first number is drawn by a script, if scripts are allowed, since its
layout takes the browser seconds."""
_WIDE = 1.5
"""The picture's width by its height: names are written horizontally."""
_LETTER, _LINE, _LABEL = 6.2, 15.0, 26
"""The size of a letter of a name, the height of a line, and the most letters of a name."""

Point = tuple[float, float]


def show(ask: Ask) -> Answer:
    """Show the entries around one, or the newest ones that are linked."""
    reference, memory = ask.get("id"), ask.memory
    kinds, relations = read_words(ask.get("kind")), read_words(ask.get("relation"))
    as_of = read_date(ask.get("as_of"), parse_moment)
    if reference:
        scope = Scope(all_projects=True, include_archive=True, as_of=as_of)
        hops = max(1, ask.number("hops", _HOPS, _MOST_HOPS))
        limit = max(1, ask.number("limit", _SHOWN, _MOST))
        center, graph = memory.graph.around(reference, hops=hops, limit=limit, scope=scope)
    else:
        center = None
        scope = Scope(all_projects=True, as_of=as_of)
        graph = memory.graph.read(scope, max(1, ask.number("limit", _NEWEST, _MOST)))
    edges = [edge for edge in graph.edges if not relations or name_relation(edge) in relations]
    rows = {
        number: row
        for number, row in graph.rows.items()
        if (center and row.id == center.id) or _is_asked(row, kinds, as_of)
    }
    edges = [edge for edge in edges if edge.source in rows and edge.target in rows]
    places = arrange(center, rows, edges)
    wide, high = (max((abs(at[axis]) for at in places.values()), default=0.0) for axis in (0, 1))
    counts = Counter(row.kind for row in graph.rows.values())
    values = {
        "center": center,
        "rows": {number: row for number, row in rows.items() if number in places},
        "edges": [edge for edge in edges if edge.source in places and edge.target in places],
        "places": places,
        "named": list_named(places, rows),
        "wide": wide + 100.0,
        "high": high + 40.0,
        "cut": graph.cut,
        "kinds": counts.most_common(),
        "relations": sorted({name_relation(edge) for edge in graph.edges}),
        "name_relation": name_relation,
        "many": len(edges) > _TITLED,
        "most_listed": _TITLED if center else _LISTED,
        "asked": {name: ask.get(name) for name in ("kind", "relation", "as_of", "hops", "limit")},
    }
    return Page("graph.html", values)


def _is_asked(row: Row, kinds: Sequence[str], at: float | None) -> bool:
    """Whether an entry is of these kinds and existed at a moment. An entity always counts, since
    its facts have dates of their own."""
    if kinds and row.kind not in kinds:
        return False
    begin = row.created if row.valid_from is None else row.valid_from
    return at is None or begin is None or begin <= at or row.kind == ENTITY


def name_relation(edge: Edge) -> str:
    """Return the relation of an edge, or the name of a plain link."""
    return edge.relation or LINKS_TO


def arrange(center: Row | None, rows: Mapping[int, Row], edges: Sequence[Edge]) -> dict[int, Point]:
    """Return the place of each entry that can be reached: in rings around the center, near the
    entry that it is reached from, in the order of ids, so that the picture is always the same.
    Without a center the entry with most edges is one, and linked entries that can't be reached
    from it are in the outermost ring."""
    near: dict[int, list[int]] = {number: [] for number in rows}
    for edge in edges:
        near[edge.source].append(edge.target)
        near[edge.target].append(edge.source)
    linked = sorted(filter(near.get, near), key=lambda one: (-len(near[one]), rows[one].id))
    if center:
        linked = [one for one, row in rows.items() if row.locator == center.locator]
    places: dict[int, Point] = dict.fromkeys(linked[:1], (0.0, 0.0))
    ring, radius, depth = linked[:1], 0.0, 0
    while ring:
        found: dict[int, None] = {}
        for number in ring:
            ordered = sorted(set(near[number]), key=lambda one: rows[one].id)
            found.update((one, None) for one in ordered if one not in places)
        ring = list(found) or [one for one in linked if one not in places]
        radius = max(radius + _RING, len(ring) * _ROOM / (2 * pi))
        for index, number in enumerate(ring):
            angle = 2 * pi * index / len(ring) - pi / 2 + 0.3 * depth
            places[number] = (round(_WIDE * radius * cos(angle), 1), round(radius * sin(angle), 1))
        depth += 1
    return places


def list_named(places: Mapping[int, Point], rows: Mapping[int, Row]) -> set[int]:
    """Return the entries whose names can be written under them so that no two names overlap."""
    taken: list[tuple[float, float, float]] = []
    named = set()
    for number, (x, y) in list(places.items())[:_TITLED]:
        half = min(len(rows[number].title), _LABEL) * _LETTER / 2
        free = (abs(y - high) > _LINE or abs(x - at) > half + wide for at, high, wide in taken)
        if all(free):
            taken.append((x, y, half))
            named.add(number)
    return named
