"""A transaction on PostgreSQL that runs the statements of the SQLite index like a connection of
apsw, and their translation to PostgreSQL.

SQL that both databases understand is not changed. Parameters get names, so that one may occur
twice. Lists, which are given as JSON, become arrays: of numbers, of texts if the list is named `k`,
of pairs if it is named `pair` (of texts) or `place` (of numbers)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import psycopg
from psycopg.types.string import StrDumper

from engrain.index import graph, succession
from engrain.index.connection import BUSY, UnfitError
from engrain.index.text import storable
from engrain.model.errors import EngrainError
from engrain.seam.storage import Database

_LITERAL = re.compile(r"('[^']*')")
_PARAMETER = re.compile(r"json_each\(\?(\d*)\)(?: (j|k|pair|place)\b)?|\?(\d*)")
_LISTS = {
    "j": "unnest(%(p{0})s::bigint[]) AS j(value)",
    "k": "unnest(%(p{0})s::text[]) AS k(value)",
    "pair": "jsonb_array_elements(%(p{0})s::jsonb) AS pair(value)",
    "place": "jsonb_array_elements(%(p{0})s::jsonb) AS place(value)",
}
_WORDS = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"CROSS JOIN (\w+(?: [a-z]\w*)?)(?:\s+INDEXED BY \w+)?(\s+ON)\b", r"JOIN \1\2"),
        (r"\b(\w{1,60}) INDEXED BY \w+", r"\1"),
        (r"(?<![\w\"])end\b", '"end"'),
        (r"\bifnull\(", "coalesce("),
        (r"\bIN \(\)", "IN (NULL)"),
        (r"ON CONFLICT\(", "ON CONFLICT(namespace, "),
        (r"json_group_array\((\w+)\)", r"coalesce(json_agg(\1), '[]')::text"),
        (r"created DESC", "created DESC NULLS LAST"),
        (r"place\.value ->> (\d)", r"(place.value ->> \1)::bigint"),
        # The table exists already; each transaction removes what it puts into it.
        (r"(?s)CREATE TEMP TABLE.*", ""),
    )
]
_REAL = 'n."end" <> n.entry AND n.entry NOT IN (SELECT entry FROM entries WHERE is_primary = 0)'
_EDGE = 'n.entry, n."end", n.relation, n.origin, n.valid_from, n.valid_to'
# PostgreSQL returns rows in an order only if the query asks for it.
_EDGES = f"""
SELECT {_EDGE} FROM unnest(%(p1)s::bigint[]) WITH ORDINALITY AS j(value, at)
CROSS JOIN LATERAL (
  SELECT {_EDGE}, min(n.place) AS first FROM links n WHERE n.{{here}} = j.value AND {_REAL}
  GROUP BY {_EDGE} ORDER BY {{order}} LIMIT nullif(%(p2)s, 0)
) n ORDER BY j.at, {{order}}
"""
_ONWARD = f"""
WITH RECURSIVE o(entry) AS (
  SELECT value FROM json_each(?1)
  UNION SELECT s.entry FROM o CROSS JOIN LATERAL (
    SELECT l.entry FROM links l
    WHERE l.end = o.entry AND l.{succession.RELATIONS} AND l.relation = 'supersedes'
    UNION ALL SELECT l.end FROM links l
    WHERE l.entry = o.entry AND l.relation = 'superseded_by' AND l.end IS NOT NULL
  ) s
)
"""
_OWN = {
    graph.FROM: (_EDGES.format(here="entry", order="first"), frozenset(("p1",))),
    graph.TO: (_EDGES.format(here='"end"', order="n.entry, first"), frozenset(("p1",))),
}
"""Statements that are replaced as a whole, and the names of their list parameters."""


@lru_cache(1024)
def translate(sql: str) -> tuple[str, frozenset[str]]:
    """Translate a statement for psycopg; return it and the names of the list parameters. The n-th
    given value is named `pN`."""
    if sql in _OWN:
        return _OWN[sql]
    lists: set[str] = set()
    count = 0

    def name(found: re.Match[str]) -> str:
        nonlocal count
        given = found[1] or found[3]
        count += 1
        number = given or count
        if not found[0].startswith("json_each"):
            return f"%(p{number})s"
        kind = found[2] or "j"
        if kind in ("j", "k"):
            lists.add(f"p{number}")
        return _LISTS[kind].format(number)

    parts = _LITERAL.split(sql.replace(succession.ONWARD, _ONWARD).replace("%", "%%"))
    parts[::2] = [_PARAMETER.sub(name, part) for part in parts[::2]]
    for pattern, replacement in _WORDS:
        parts[::2] = [pattern.sub(replacement, part) for part in parts[::2]]
    return "".join(parts), frozenset(lists)


NO_TABLES = "not made in the database yet (an admin runs `engrain admin index`)"
_INSERT = re.compile(r"INSERT INTO (\w+) VALUES\([?, ]+\)")
_MEANINGS = {"55P03": BUSY, "42P01": NO_TABLES, "3F000": NO_TABLES, "42883": NO_TABLES}
_TYPES = """
SELECT c.relname, array_agg(format_type(a.atttypid, NULL) ORDER BY a.attnum)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'engrain_index'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
  AND NOT a.attisdropped
GROUP BY c.relname
"""
_LONGEST_KEY = 600
"""The most characters kept of a text that may be a key: an index takes 2,700 bytes, and no sensible
key is longer."""
_MOST_CHARS = dict.fromkeys(("entries", "frontmatter", "problems", "changes", "texts"), 2**30)
"""The most characters kept in tables with longer texts."""
_SETTINGS = (
    "SET LOCAL search_path = engrain_index; SET LOCAL jit = off;"
    " SET LOCAL engrain.namespace = '{namespace}'; "
)
READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + _SETTINGS
WRITING = (
    "BEGIN; " + _SETTINGS + "SET LOCAL lock_timeout = {patience};"
    " SELECT pg_advisory_xact_lock(hashtextextended('{namespace}', {lock})); "
)
WRITERS, BUILDERS = 22, 23
"""The numbers of a namespace's two locks: for writing in its index, and for rebuilding it."""


class Rows(list[Any]):
    """The rows of a statement."""

    @property
    def get(self) -> Any:
        """The first row, or its value if it has one column; None if there is no row."""
        if not self:
            return None
        return self[0][0] if len(self[0]) == 1 else self[0]

    def fetchall(self) -> list[Any]:
        return self


@dataclass(frozen=True)
class Session:
    """A transaction that has begun. Statements raise UnfitError."""

    types: ClassVar[dict[str, list[str]]] = {}
    """The types of the columns of each table, which are the same in every database."""

    _lent: AbstractContextManager[Any]
    _connection: psycopg.Connection[tuple[Any, ...]]

    @classmethod
    def begin(cls, database: Database, how: str, **said: object) -> tuple[Session, Any]:
        """Begin one with the statements `how`; return it and the rows of the last statement."""
        sql = how.format(namespace=database.namespace, **said)
        for last in (False, True):
            lent = database.borrow()
            try:
                connection = lent.__enter__()
            except EngrainError as error:
                raise UnfitError(f"out of reach ({error.message})") from None
            session = cls(lent, connection)
            connection.adapters.register_dumper(str, StrDumper)
            try:
                cursor = connection.execute(sql.encode())
                while cursor.nextset():
                    pass
                return session, cursor.fetchall() if cursor.description else []
            except psycopg.Error as error:
                session.end(kept=False)
                # A restarted server has closed the connections of the pool: try once more.
                if last or not connection.closed:
                    raise explain(error) from error
        raise AssertionError

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        text, lists = translate(sql)
        return self.run(text, _named(values, lists)) if text else Rows()

    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> Rows:
        given = list(values)
        if not given:
            return Rows()
        if insert := _INSERT.match(sql):
            return self._insert(insert[1], given, translate(sql[insert.end() :])[0])
        if sql.startswith(("SELECT", "DELETE")) and sql.count("?") == 1 and "= ?" in sql:
            text, _ = translate(sql)
            return self.run(
                text.replace("= %(p1)s", "= ANY(%(p1)s)"), {"p1": [_clean(one) for (one,) in given]}
            )
        text, lists = translate(sql)
        returning = sql.lstrip().startswith("SELECT") or "RETURNING" in sql
        found = Rows()
        with self._guarded(), self._connection.cursor() as cursor:
            cursor.executemany(
                text.encode(), [_named(one, lists) for one in given], returning=returning
            )
            while returning:
                found += cursor.fetchall()
                if not cursor.nextset():
                    break
        return found

    def run(self, sql: str, values: dict[str, Any] | None = None) -> Rows:
        """Run a statement of PostgreSQL's own SQL, and return its rows."""
        with self._guarded():
            cursor = self._connection.execute(sql.encode(), values, binary=bool(values))
            return Rows(cursor.fetchall() if cursor.description else ())

    def insert(self, table: str, rows: Sequence[Sequence[Any]], more: str = "") -> Rows:
        """Insert rows with one statement, which PostgreSQL plans once."""
        return self._insert(table, rows, more) if rows else Rows()

    def end(self, *, kept: bool) -> None:
        """Commit if `kept`, else roll back, and return the connection. Raises UnfitError if the
        commit failed."""
        try:
            if kept:
                self.run("COMMIT")
        finally:
            with suppress(psycopg.Error):
                if self._connection.info.transaction_status:
                    self._connection.execute("ROLLBACK")
            self._lent.__exit__(None, None, None)

    def _insert(self, table: str, rows: Sequence[Sequence[Any]], more: str) -> Rows:
        if not self.types:
            self.types.update(dict(self.run(_TYPES)))
        types = self.types[table][: len(rows[0])]
        most = _MOST_CHARS.get(table, _LONGEST_KEY)
        columns = ", ".join(f"%(p{at})s::{type_}[]" for at, type_ in enumerate(types))
        values = {
            f"p{at}": [_typed(row[at], type_, most) for row in rows]
            for at, type_ in enumerate(types)
        }
        return self.run(f"INSERT INTO {table} SELECT * FROM unnest({columns}){more}", values)

    def _guarded(self) -> _Guarded:
        return _Guarded()


class _Guarded:
    """A block whose errors of PostgreSQL become UnfitError."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, psycopg.Error):
            raise explain(error) from error


def explain(error: psycopg.Error) -> UnfitError:
    """Return what an error of PostgreSQL means for the index."""
    first = str(error).strip().partition("\n")[0][:300]
    return UnfitError(_MEANINGS.get(error.sqlstate or "", f"unusable ({first})"))


def _named(values: Sequence[Any], lists: frozenset[str]) -> dict[str, Any]:
    named = {f"p{at}": _clean(value) for at, value in enumerate(values, 1)}
    for name in lists:
        named[name] = [_clean(one) for one in json.loads(named[name])]
    return named


def _clean(value: Any) -> Any:
    """Return a value as PostgreSQL can store it: without NUL characters, booleans as 1 and 0."""
    if isinstance(value, str):
        return storable(value).replace("\0", "\ufffd")
    return int(value) if isinstance(value, bool) else value


def _typed(value: Any, type_: str, most: int) -> Any:
    if value is None:
        return None
    if type_ == "double precision":
        return float(value)
    return value[:most] if isinstance(value := _clean(value), str) else value
