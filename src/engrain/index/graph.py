"""The queries about the graph: links with their ends, and edges (S1.21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engrain.index.text import storable
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.graph import AMBIGUOUS, BROKEN, FIELD, ORIGINS, RESOLVED, Edge, Reference, Written

if TYPE_CHECKING:
    import apsw


_PAGE = 1000
"""The rows read at once of an unbounded result; no statement stays open in between."""
_COPIES = "SELECT entry FROM entries WHERE is_primary = 0"
_SAID = f"origin <= {ORIGINS.index(FIELD)}"
_STATES = {
    RESOLVED: "end IS NOT NULL AND rivals = 0",
    AMBIGUOUS: "rivals > 0",
    BROKEN: "end IS NULL",
}
_WRITTEN = (
    "entry, place, target, relation, origin, label, heading, valid_from, valid_to, end, rivals"
)


def number(connection: apsw.Connection, locator: str) -> int | None:
    found: int | None = connection.execute(
        "SELECT entry FROM entries WHERE locator = ?", (storable(locator),)
    ).get
    return found


_KIND = "relation, origin, valid_from, valid_to"
_REAL = f"end <> entry AND entry NOT IN ({_COPIES})"
_EDGES = f"SELECT DISTINCT l.entry, l.end, {_KIND} FROM json_each(?1) j CROSS JOIN links l"
# Reading stops after the first `most` (?2) different edges of each entry: the table and the index
# have them in this order already.
FROM = f"""
{_EDGES} ON l.entry = j.value AND l.place <= ifnull(CASE WHEN ?2 > 0 THEN (
  SELECT min(place) AS first FROM links WHERE entry = j.value AND {_REAL}
  GROUP BY end, {_KIND} ORDER BY first LIMIT 1 OFFSET ?2 - 1
) END, 9e18) WHERE {_REAL}
"""
TO = f"""
{_EDGES} INDEXED BY links_by_end ON l.end = j.value AND l.entry <= ifnull(CASE WHEN ?2 > 0 THEN (
  SELECT entry FROM (
    SELECT DISTINCT entry, {_KIND} FROM links INDEXED BY links_by_end
    WHERE end = j.value AND {_REAL} ORDER BY entry LIMIT 1 OFFSET ?2 - 1
  )
) END, 9e18) WHERE {_REAL}
"""


def edges_from(connection: apsw.Connection, entries: Sequence[int], most: int = 0) -> list[Edge]:
    return _edges(connection, FROM, 0, entries, most)


def edges_to(connection: apsw.Connection, entries: Sequence[int], most: int = 0) -> list[Edge]:
    return _edges(connection, TO, 1, entries, most)


def _edges(
    connection: apsw.Connection, query: str, here: int, entries: Sequence[int], most: int
) -> list[Edge]:
    """Return the edges that a query selects, at most `most` for each entry in column `here`."""
    counts: dict[int, int] = {}
    found = []
    for row in connection.execute(query, (str(list(entries)), most)):
        counts[row[here]] = counts.get(row[here], 0) + 1
        if not most or counts[row[here]] <= most:
            found.append(make_edge(row))
    return found


def edges(connection: apsw.Connection, after: tuple[int, int]) -> list[tuple[Any, ...]]:
    """Return the next links with ends after a place, as (entry, place, *columns of an edge)."""
    return connection.execute(
        "SELECT entry, place, entry, end, relation, origin, valid_from, valid_to FROM links"
        f" WHERE (entry, place) > (?, ?) AND end <> entry AND entry NOT IN ({_COPIES})"
        " ORDER BY entry, place LIMIT ?",
        (*after, _PAGE),
    ).fetchall()


def links(connection: apsw.Connection, state: str | None, after: tuple[int, int]) -> list[Written]:
    """Return the next links after a place (entry, place), of one state or of all."""
    inside = "true" if state is None else _STATES[state]
    return [
        _written(row)
        for row in connection.execute(
            f"SELECT {_WRITTEN} FROM links WHERE (entry, place) > (?, ?) AND {_SAID} AND {inside}"
            f" AND entry NOT IN ({_COPIES}) ORDER BY entry, place LIMIT ?",
            (*after, _PAGE),
        )
    ]


def links_of(connection: apsw.Connection, entry: int) -> list[Written]:
    rows = connection.execute(
        f"SELECT {_WRITTEN} FROM links WHERE entry = ? ORDER BY place", (entry,)
    )
    return [_written(row) for row in rows]


def orphans(connection: apsw.Connection) -> list[int]:
    rows = connection.execute(
        "SELECT e.entry FROM entries e WHERE e.is_primary = 1 AND e.zone = ? AND e.status = ?"
        " AND NOT EXISTS(SELECT 1 FROM links WHERE entry = e.entry AND end <> e.entry)"
        " AND NOT EXISTS(SELECT 1 FROM links INDEXED BY links_by_end"
        " WHERE end = e.entry AND entry <> e.entry) ORDER BY e.locator",
        (LIVE, ACTIVE),
    )
    return [entry for (entry,) in rows]


def names(connection: apsw.Connection, after: tuple[str, int]) -> list[tuple[str, int]]:
    """Return the next names of live, active entries after one of them."""
    return connection.execute(
        "SELECT n.key, n.entry FROM names n CROSS JOIN entries e ON e.entry = n.entry"
        " WHERE (n.key, n.entry) > (?, ?) AND e.is_primary = 1 AND e.zone = ? AND e.status = ?"
        " ORDER BY n.key, n.entry LIMIT ?",
        (*after, LIVE, ACTIVE, _PAGE),
    ).fetchall()  # type: ignore[return-value]  # of the columns' types


def names_of(connection: apsw.Connection, entries: Sequence[int]) -> list[tuple[str, int]]:
    """Return the names of those of some entries that are live and active."""
    return connection.execute(
        "SELECT n.key, n.entry FROM json_each(?) j CROSS JOIN names n ON n.entry = j.value"
        " CROSS JOIN entries e ON e.entry = n.entry"
        " WHERE e.is_primary = 1 AND e.zone = ? AND e.status = ? ORDER BY n.key, n.entry",
        (str(list(entries)), LIVE, ACTIVE),
    ).fetchall()  # type: ignore[return-value]  # of the columns' types


def make_edge(row: tuple[Any, ...]) -> Edge:
    """Make an edge from its columns."""
    source, target, relation, origin, valid_from, valid_to = row
    return Edge(source, target, relation, ORIGINS[origin], valid_from, valid_to)


def _written(row: tuple[Any, ...]) -> Written:
    entry, place, target, relation, origin, label, heading, valid_from, valid_to, end, rivals = row
    reference = Reference(
        target,
        relation,
        ORIGINS[origin],
        label=label,
        heading=heading,
        valid_from=valid_from,
        valid_to=valid_to,
    )
    return Written(entry, place, reference, end, rivals)
