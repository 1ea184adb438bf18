"""The search index of a namespace in PostgreSQL, which all its members share, and the transaction
that each thread uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from threading import get_ident
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import apsw

from engrain.index import links, succession
from engrain.index.access import Access
from engrain.index.connection import BUSY_MS, MISSING, OTHER_SCHEMA, SCHEMA, UnfitError, asking
from engrain.index.postgres import texts
from engrain.index.postgres.session import BUILDERS, READING, WRITERS, WRITING, Session
from engrain.index.postgres.texts import TextSession
from engrain.index.sqlite_index import SqliteIndex, View
from engrain.index.stamps import parse_turn
from engrain.index.tables import take_in
from engrain.seam.search import Batch, Beside, SearchIndex, Turn
from engrain.seam.storage import Database
from engrain.seam.view import IndexView

P = ParamSpec("P")
T = TypeVar("T")
_VERSION = "SELECT value FROM meta WHERE key = 'schema'"


class PostgresAccess(Access):
    """Access to a namespace's index. A rebuild replaces its content within one transaction, so
    there are no generations."""

    def __init__(self, database: Database, patience_ms: int) -> None:
        self._database = database
        self._patience_ms = patience_ms
        self._held: dict[int, Session] = {}  # by thread

    def ask(
        self, query: Callable[Concatenate[apsw.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        held = self._held.get(get_ident())
        if held:
            return query(as_sqlite(held), *given, **named)
        session = self._begin(READING)
        try:
            return query(as_sqlite(session), *given, **named)
        finally:
            session.end(kept=False)

    def begin_reading(self) -> tuple[Any, Any]:
        return None, self._begin(READING)

    def end_reading(self, _: Any, connection: Any, error: BaseException | None) -> None:  # noqa: ARG002 - the port's
        connection.end(kept=False)

    def enter(self) -> bool:
        held = self._held.get(get_ident())
        if held:
            held.run("SAVEPOINT inner_block")
            return True
        self._held[get_ident()] = self._begin(WRITING)
        return False

    def leave(self, inner: bool, kept: bool) -> None:
        session = self._held[get_ident()]
        if inner:
            session.run(f"{'RELEASE' if kept else 'ROLLBACK TO'} inner_block")
            return
        del self._held[get_ident()]
        session.end(kept=kept)

    def begin_writing(self, lock: int = WRITERS, patience_ms: int | None = None) -> Session:
        """Begin a transaction with a lock of the namespace's index, of any version or none."""
        patience = self._patience_ms if patience_ms is None else patience_ms
        return TextSession.begin(self._database, WRITING, patience=patience, lock=lock)[0]

    def close(self) -> None:
        """Do nothing: the connections are the database's."""

    def _begin(self, how: str) -> Session:
        said = {"patience": self._patience_ms, "lock": WRITERS}
        session, found = TextSession.begin(self._database, how + _VERSION, **said)
        if found != [(SCHEMA,)]:
            session.end(kept=False)
            raise UnfitError(OTHER_SCHEMA if found else MISSING)
        return session


def as_sqlite(session: Session) -> apsw.Connection:
    """Return a session with the type that the queries of the SQLite index take."""
    return cast("apsw.Connection", session)


_BUILDING_MS = 3_600_000
"""Milliseconds that a process waits for another one to rebuild the index."""
_CLEAR = (
    "DO $$ DECLARE one text; BEGIN FOR one IN SELECT relname FROM pg_class"
    " WHERE relnamespace = 'engrain_index'::regnamespace AND relkind = 'r'"
    " AND relname NOT IN ('migrations', 'meta', 'models', 'vectors')"
    " LOOP EXECUTE format('DELETE FROM engrain_index.%I', one); END LOOP; END $$"
)


def open_index(database: Database, *, patience_ms: int = BUSY_MS) -> SearchIndex:
    """Open the index of a database's namespace; it need not be filled yet. A writer waits
    `patience_ms` for another."""
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

    def beside(self) -> Beside | None:
        return None

    def turn(self) -> Turn:
        return parse_turn(self.ask(_read_turn))

    def note_turn(self, turn: Turn) -> None:
        with self._access.exclusive():
            self.ask(_write_turn, f"{turn.since}\n{turn.group}\n{turn.file}\n")

    def view(self) -> AbstractContextManager[IndexView]:
        return self._access.reading(_View)

    def sweep(self) -> None:
        """Do nothing: a replaced index leaves only dead rows, which the server vacuums."""

    search = asking(texts.search)


class _View(View):
    match = asking(texts.match)
    occurrences = asking(texts.occurrences)


class _Building:
    """A block that only one process at a time enters."""

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
