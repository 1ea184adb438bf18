"""The search index in the database of a namespace, which all its members share."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

import apsw

from engrain.index import links, succession
from engrain.index.connection import BUSY_MS, SCHEMA, asking
from engrain.index.postgres import texts
from engrain.index.postgres.access import PostgresAccess, as_sqlite
from engrain.index.postgres.session import BUILDERS, Session
from engrain.index.sqlite_index import SqliteIndex, View
from engrain.index.stamps import parse_turn
from engrain.index.tables import take_in
from engrain.seam.search import Batch, SearchIndex, Turn
from engrain.seam.storage import Database
from engrain.seam.view import IndexView

_BUILDING_MS = 3_600_000
"""Milliseconds for which a process waits until another has rebuilt the index."""
_CLEAR = (
    "DO $$ DECLARE one text; BEGIN FOR one IN SELECT relname FROM pg_class"
    " WHERE relnamespace = 'engrain_index'::regnamespace AND relkind = 'r'"
    " AND relname NOT IN ('migrations', 'meta', 'models', 'vectors')"
    " LOOP EXECUTE format('DELETE FROM engrain_index.%I', one); END LOOP; END $$"
)


def open_index(database: Database, *, patience_ms: int = BUSY_MS) -> SearchIndex:
    """The index of the namespace in a database; it need not be filled yet. For another writer it
    waits `patience_ms`."""
    return _PostgresIndex(database, patience_ms)


class _PostgresIndex(SqliteIndex):
    """The index of a namespace in PostgreSQL."""

    _access: PostgresAccess

    def __init__(self, database: Database, patience_ms: int) -> None:
        self._access = PostgresAccess(database, patience_ms)
        self.ask = self._access.ask

    def building(self) -> AbstractContextManager[None]:
        return _Building(self._access)

    def rebuild(self, batches: Iterable[Batch]) -> None:
        session = self._access.begin_writing()
        kept = False
        try:
            connection = as_sqlite(session)
            session.run(_CLEAR)
            session.run("DELETE FROM meta WHERE NOT starts_with(key, 'figure:')")
            for batch in batches:
                take_in(connection, batch, settle=False)
            links.settle_all(connection)
            succession.settle_all(connection)
            session.insert("meta", [("schema", SCHEMA)])
            kept = True
        finally:
            session.end(kept=kept)

    def turn(self) -> Turn:
        return parse_turn(self.ask(_read_turn))

    def note_turn(self, turn: Turn) -> None:
        with self._access.exclusive():
            self.ask(_write_turn, f"{turn.since}\n{turn.group}\n{turn.file}\n")

    def view(self) -> AbstractContextManager[IndexView]:
        return self._access.reading(_View)

    def sweep(self) -> None:
        """Nothing is left of what was replaced but dead rows, which the server vacuums."""

    search = asking(texts.search)


class _View(View):
    match = asking(texts.match)
    occurrences = asking(texts.occurrences)


class _Building:
    """A block that one process at a time is in."""

    def __init__(self, access: PostgresAccess) -> None:
        self._access = access

    def __enter__(self) -> None:
        self._session: Session = self._access.begin_writing(BUILDERS, _BUILDING_MS)

    def __exit__(self, *_: object) -> None:
        self._session.end(kept=False)


def _read_turn(connection: apsw.Connection) -> str:
    return str(connection.execute("SELECT turn FROM turns").get or "")


def _write_turn(connection: apsw.Connection, text: str) -> None:
    connection.execute("DELETE FROM turns")
    connection.execute("INSERT INTO turns VALUES(?)", (text,))
