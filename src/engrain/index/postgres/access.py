"""Who uses which transaction when: several threads of one process, several processes."""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import apsw

from engrain.index.access import Access
from engrain.index.connection import MISSING, OTHER_SCHEMA, SCHEMA, UnfitError
from engrain.index.postgres.session import READING, WRITERS, WRITING, Session
from engrain.index.postgres.texts import TextSession
from engrain.seam.storage import Database

P = ParamSpec("P")
T = TypeVar("T")
_VERSION = "SELECT value FROM meta WHERE key = 'schema'"


class PostgresAccess(Access):
    """The way to a namespace's index. What it holds is replaced within one transaction, so that
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
        """A transaction that holds a lock of the namespace's index, whatever is in it."""
        patience = self._patience_ms if patience_ms is None else patience_ms
        return TextSession.begin(self._database, WRITING, patience=patience, lock=lock)[0]

    def close(self) -> None:
        """Nothing is held: the connections are the database's."""

    def _begin(self, how: str) -> Session:
        said = {"patience": self._patience_ms, "lock": WRITERS}
        session, found = TextSession.begin(self._database, how + _VERSION, **said)
        if found != [(SCHEMA,)]:
            session.end(kept=False)
            raise UnfitError(OTHER_SCHEMA if found else MISSING)
        return session


def as_sqlite(session: Session) -> apsw.Connection:
    """A session as the queries of the SQLite index take it."""
    return cast("apsw.Connection", session)
