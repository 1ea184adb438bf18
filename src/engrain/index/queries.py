"""The queries about entries, their links, problems and the history, in SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engrain.index.rows import ROW, make_conditions, make_keys, make_row
from engrain.index.text import storable
from engrain.seam.graph import FIELD, ORIGINS
from engrain.seam.locator import Locator
from engrain.seam.search import Change, IndexStatus, Problem

if TYPE_CHECKING:
    import apsw

    from engrain.index.rows import Value
    from engrain.seam.rows import Filter, Row


PREFIX = 4
"""The fewest characters of an id's beginning to look up; fewer would match too many ids."""
_LAST = "\U0010ffff"
_NO_LIMIT = 2**62
_MAX_LIMIT = 2**31

_CHANGE = (
    "change, at, op, entry, locator, before_hash, after_hash, agent, trust, undoes, reason, "
    "attested, part_of FROM changes"
)


_SAID = f"l.origin <= {ORIGINS.index(FIELD)}"
"""The condition for explicit links, in a text or in frontmatter."""


def status(connection: apsw.Connection) -> IndexStatus:
    entries, problems, scanned_at = connection.execute(
        "SELECT (SELECT count(*) FROM entries)"
        " - (SELECT count(*) FROM entries WHERE is_primary = 0),"
        " (SELECT count(*) FROM problems), (SELECT value FROM meta WHERE key = 'scanned_at')"
    ).get
    return IndexStatus(True, "", entries, problems, scanned_at)


def ping(connection: apsw.Connection) -> object:
    """Run the cheapest query that fails if the tables are missing."""
    return connection.execute("SELECT 1 FROM meta LIMIT 1").get


def hash_at(connection: apsw.Connection, locator: Locator) -> str | None:
    found: str | None = connection.execute(
        "SELECT hash FROM entries WHERE locator = ?", (storable(locator),)
    ).get
    return found


def cursors(connection: apsw.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT device, cursor FROM cursors"))


def scanned_at(connection: apsw.Connection) -> float | None:
    found: float | None = connection.execute("SELECT value FROM meta WHERE key = 'scanned_at'").get
    return found


_FIGURE = "figure:"
"""The prefix in `meta` of the keys of figures that callers store with `put_figures`."""


def figure(connection: apsw.Connection, key: str) -> float | None:
    found: float | None = connection.execute(
        "SELECT value FROM meta WHERE key = ?", (_FIGURE + key,)
    ).get
    return found


def figures(connection: apsw.Connection, prefix: str) -> dict[str, float]:
    prefix = _FIGURE + prefix
    found = connection.execute(
        "SELECT substr(key, length(?1) + 1), value FROM meta"
        " WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key",
        (prefix,),
    )
    return dict(found)


def put_figures(connection: apsw.Connection, prefix: str, figures: Mapping[str, float]) -> None:
    prefix = _FIGURE + prefix
    connection.execute("DELETE FROM meta WHERE substr(key, 1, length(?1)) = ?1", (prefix,))
    connection.executemany(
        "INSERT INTO meta VALUES(?, ?)", [(prefix + key, value) for key, value in figures.items()]
    )


def versions(
    connection: apsw.Connection, *, without: str, ids: Sequence[str] | None = None
) -> list[tuple[object, ...]]:
    where, values = "zone <> ?", [without]
    if ids is not None:
        where += " AND id IN (SELECT value FROM json_each(?) k)"
        values.append(json.dumps(list(map(storable, ids))))
    return connection.execute(
        "SELECT locator, hash, trust, attested, is_primary, replaced FROM entries"
        f" WHERE {where} ORDER BY locator",
        values,
    ).fetchall()


def find(connection: apsw.Connection, only: Filter, limit: int | None = None) -> list[Row]:
    where, values = make_conditions(only)
    return _rows(
        connection,
        f"WHERE {where} ORDER BY e.created DESC, e.id DESC LIMIT ?",
        [*values, _NO_LIMIT if limit is None else min(limit, _MAX_LIMIT)],
    )


def count(connection: apsw.Connection, only: Filter) -> int:
    where, values = make_conditions(only)
    # Always true; it lets this query use the index `entries_counted`, which others must not use.
    counted = f"SELECT count(*) FROM entries e WHERE {where} AND e.entry > 0"
    return int(connection.execute(counted, values).get)


def tally(connection: apsw.Connection, only: Filter) -> dict[tuple[str, str], int]:
    where, values = make_conditions(only)
    rows = connection.execute(
        f"SELECT e.kind, e.tier, count(*) FROM entries e WHERE {where} AND e.entry > 0"
        " GROUP BY e.kind, e.tier",
        values,
    )
    return {(kind, tier): count for kind, tier, count in rows}


def counters(
    connection: apsw.Connection, only: Filter, ids: Sequence[str] | None = None
) -> dict[str, tuple[int, float | None, int]]:
    where, values = make_conditions(only)
    if ids is not None:
        where += " AND e.id IN (SELECT value FROM json_each(?) k)"
        values.append(json.dumps(list(map(storable, ids))))
    rows = connection.execute(
        "SELECT e.id, e.recall_count, e.last_recalled, e.sessions_since_recall"
        f" FROM entries e WHERE {where}",
        values,
    )
    return {id_: (recalls, last, sessions) for id_, recalls, last, sessions in rows}


def lookup(connection: apsw.Connection, reference: str) -> list[Row]:
    reference = storable(reference)
    order = "ORDER BY e.is_primary DESC, e.locator"
    exact = _rows(connection, f"WHERE e.id = ?1 OR e.locator = ?1 {order}", [reference])
    if exact or len(reference) < PREFIX:
        return exact or _rows(connection, f"WHERE e.slug = ? {order}", [reference])
    return _rows(
        connection,
        f"WHERE e.slug = ?1 OR (e.id >= ?1 AND e.id < ?1 || ?2) {order}",
        [reference, _LAST],
    )


def resolve(connection: apsw.Connection, names: Sequence[str]) -> list[Row]:
    for name in make_keys(names):
        found = _rows(
            connection,
            "WHERE e.is_primary = 1 AND e.entry IN (SELECT entry FROM names WHERE key = ?)"
            " ORDER BY e.id",
            [name],
        )
        if found:
            return found
    return []


def links_from(connection: apsw.Connection, locator: Locator) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = connection.execute(
        "SELECT l.target, l.relation FROM links l JOIN entries e USING(entry)"
        f" WHERE e.locator = ? AND {_SAID} ORDER BY l.place",
        [storable(locator)],
    ).fetchall()  # type: ignore[assignment]  # of the columns' types
    return found


def links_to(connection: apsw.Connection, row: Row) -> list[tuple[Row, str]]:
    rows = connection.execute(
        f"SELECT DISTINCT {ROW}, l.relation FROM entries t CROSS JOIN links l ON l.end = t.entry"
        " CROSS JOIN entries e ON e.entry = l.entry"
        f" WHERE t.locator = ? AND {_SAID} AND e.is_primary = 1 ORDER BY e.id, l.relation",
        [storable(row.locator)],
    )
    return [(make_row(*row), row[-1]) for row in rows]


def sources_of(connection: apsw.Connection, entry: str) -> list[str]:
    found = connection.execute(
        "SELECT DISTINCT s.source FROM entries e JOIN sources s USING(entry) WHERE e.id = ?"
        " ORDER BY s.source",
        [storable(entry)],
    )
    return [source for (source,) in found]


def derived_from(connection: apsw.Connection, entries: Sequence[str]) -> list[Row]:
    return _rows(
        connection,
        "WHERE e.is_primary = 1 AND e.entry IN (SELECT entry FROM sources WHERE source IN"
        " (SELECT value FROM json_each(?) k)) ORDER BY e.id",
        [json.dumps([storable(entry) for entry in entries])],
    )


def among_related(
    connection: apsw.Connection, relation: str, locators: Sequence[Locator]
) -> list[Locator]:
    found = connection.execute(
        "SELECT e.locator FROM json_each(?1) k CROSS JOIN entries e ON e.locator = k.value WHERE"
        " EXISTS (SELECT 1 FROM links WHERE entry = e.entry AND relation = ?2) OR EXISTS"
        " (SELECT 1 FROM links INDEXED BY links_by_end WHERE end = e.entry AND relation = ?2)",
        [json.dumps(list(map(storable, locators))), storable(relation)],
    )
    related = {locator for (locator,) in found}
    return [locator for locator in locators if storable(locator) in related]


def related(connection: apsw.Connection, relation: str) -> list[tuple[Row, str]]:
    rows = connection.execute(
        f"SELECT {ROW}, l.target FROM links l JOIN entries e USING(entry)"
        f" WHERE l.relation = ? AND {_SAID} AND e.is_primary = 1 ORDER BY e.id, l.place",
        [storable(relation)],
    )
    return [(make_row(*row), row[-1]) for row in rows]


def problems(connection: apsw.Connection) -> list[Problem]:
    rows = connection.execute(
        "SELECT locator, reason, message, line, stamp, settled, fatal FROM problems"
        " ORDER BY locator, place"
    )
    return [
        Problem(
            Locator(locator),
            reason,
            message,
            line=line,
            stamp=stamp,
            settled=bool(settled),
            fatal=bool(fatal),
        )
        for locator, reason, message, line, stamp, settled, fatal in rows
    ]


def duplicates(connection: apsw.Connection) -> list[Row]:
    return _rows(connection, "WHERE e.is_primary = 0 ORDER BY e.locator", [])


def changes(
    connection: apsw.Connection, *, after: int = 0, limit: int | None = None, **columns: str | None
) -> list[Change]:
    wanted = {column: storable(value) for column, value in columns.items() if value is not None}
    where = "".join(f" AND {column} = ?" for column in wanted)
    where += "" if {"op", "change"} & wanted.keys() else " AND op <> 'cancelled'"
    where += f" AND n > {int(after)}" if after else ""
    rows = connection.execute(
        f"SELECT {_CHANGE} WHERE true{where} ORDER BY at DESC, device DESC, n DESC, place LIMIT ?",
        [*wanted.values(), _NO_LIMIT if limit is None else min(limit, _MAX_LIMIT)],
    )
    return [_change(row) for row in rows]


def last_changes(
    connection: apsw.Connection, device: str, most: int, before: int | None = None
) -> list[Change]:
    rows = connection.execute(
        f"SELECT {_CHANGE} WHERE device = ?1 AND n < ?2 AND n >= ("
        "  SELECT ifnull(min(n), 0) FROM (SELECT DISTINCT n FROM changes"
        "    WHERE device = ?1 AND n < ?2 ORDER BY n DESC LIMIT ?3)"
        ") AND op <> 'cancelled' ORDER BY n DESC, place DESC",
        [storable(device), _MAX_LIMIT if before is None else before, most],
    )
    return [_change(row) for row in rows]


_CONTINUED = "EXISTS(SELECT 1 FROM changes p WHERE p.part_of = changes.change)"
_FILES = """
SELECT count(*) FROM (
  SELECT p.locator FROM changes p WHERE p.change = changes.change
  UNION SELECT p.locator FROM changes p WHERE p.part_of = changes.change
)
"""


def operations(
    connection: apsw.Connection,
    ops: Sequence[str],
    limit: int | None = None,
    since: float | None = None,
    until: float | None = None,
) -> list[Change]:
    """Return the change table with one row per operation: a change with further parts, or with an
    op in `ops`, is represented by its first file; any other has a row for each file."""
    bounds = {"at >= ?": since, "at <= ?": until}
    given = {clause: bound for clause, bound in bounds.items() if bound is not None}
    within = "".join(f" AND {clause}" for clause in given)
    together = f"(op IN ({', '.join('?' * len(ops))}) OR {_CONTINUED})"
    rows = connection.execute(
        f"SELECT CASE WHEN {together} THEN ({_FILES}) ELSE 1 END, {_CHANGE}"
        f" WHERE op <> 'cancelled' AND part_of IS NULL AND (place = 0 OR NOT {together})"
        f"{within} ORDER BY at DESC, device DESC, n DESC, place LIMIT ?",
        [*ops, *ops, *given.values(), _NO_LIMIT if limit is None else min(limit, _MAX_LIMIT)],
    )
    found = []
    for count, *values in rows:
        change = _change(tuple(values))
        change.files = count
        found.append(change)
    return found


def erasures(connection: apsw.Connection) -> list[Change]:
    rows = connection.execute(
        f"SELECT {_CHANGE} WHERE op IN ('erase', 'erasing') ORDER BY at DESC, device DESC, n DESC"
    )
    return [_change(row) for row in rows]


_LEFT = "FROM changes WHERE locator = ? AND after_hash = ?"
"""The changes that left some bytes at a place."""


def knows_bytes(connection: apsw.Connection, locator: Locator, hash_: str) -> bool:
    found = connection.execute(f"SELECT EXISTS(SELECT 1 {_LEFT})", [storable(locator), hash_]).get
    return bool(found)


def unexplained(
    connection: apsw.Connection, files: Sequence[tuple[Locator, str]]
) -> list[tuple[Locator, str]]:
    keys = [(storable(locator), hash_) for locator, hash_ in files]
    known = {*connection.executemany(f"SELECT locator, after_hash {_LEFT}", keys)}
    return [file for file, key in zip(files, keys, strict=True) if key not in known]


def _rows(connection: apsw.Connection, rest: str, values: list[Value]) -> list[Row]:
    return [
        make_row(*row) for row in connection.execute(f"SELECT {ROW} FROM entries e {rest}", values)
    ]


def _change(values: tuple[Any, ...]) -> Change:
    change, at, op, entry, locator, before_hash, after_hash, agent, trust, undoes = values[:10]
    reason, attested, part_of = values[10:]
    return Change(
        change=change,
        at=at,
        op=op,
        entry=entry,
        locator=None if locator is None else Locator(locator),
        before_hash=before_hash,
        after_hash=after_hash,
        agent=agent,
        trust=trust,
        undoes=undoes,
        part_of=part_of,
        reason=reason,
        attested=bool(attested),
    )
