"""The connections of one store to its server, and the meaning of the server's errors.

Every statement is a transaction of its own and no state is kept in a session, so a pooler in
transaction mode may be in between.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from threading import BoundedSemaphore, Lock
from typing import Any, TypeAlias

import psycopg
from psycopg import sql

from engrain.model.errors import EngrainError, LockedError, StorageError, VaultUnavailableError
from engrain_team.postgres.address import Address, connection_options

Values: TypeAlias = Sequence[object] | Mapping[str, object]
logging.getLogger("psycopg").addHandler(logging.NullHandler())
"""Without this, psycopg writes warnings of broken connections to standard error."""
_MOST = 8
_PATIENCE_SECONDS = 30.0
_READ_ONLY = "25006"
SILENCE_SECONDS = 30.0
"""How long a server may be silent while a statement runs. Its own limits end a wait for a lock
earlier, but a stopped server process has no limits, and a Unix socket no keepalive."""
_IS_RESTORED = b"""
SELECT concat(
    current_setting('recovery_target'), current_setting('recovery_target_lsn'),
    current_setting('recovery_target_name'), current_setting('recovery_target_time'),
    current_setting('recovery_target_xid')) <> ''
  AND NOT coalesce(pg_has_role(session_user, to_regrole('engrain_owner'), 'MEMBER'), true)
"""
"""Whether the server still has a recovery target, as for a restore, and the role is not an admin:
admins must connect to bring it up to date."""
_NO_SCHEMA = ("3F000", "42P01", "42883", "42703")

# By SQLSTATE, or by its class: the error, its message, its remedy.
_MEANINGS: dict[str, tuple[type[EngrainError], str, str]] = {
    _READ_ONLY: (StorageError, "the server takes no writes now: {}", "use the primary server"),
    "53300": (VaultUnavailableError, "the server has no free connection: {}", "try again later"),
    "53": (StorageError, "the server lacks resources: {}", "nothing was changed; make room there"),
    "55P03": (LockedError, "other writers hold the store too long", "try again"),
    "40": (LockedError, "other writers hold the store too long", "try again"),
    "57014": (StorageError, "the server cancelled the statement: {}", "try again"),
    "42501": (StorageError, "the server refuses: {}", "ask an admin of the namespace for access"),
    "EG004": (StorageError, "{}", "name the store that took its place"),
    "22": (StorageError, "the server can't hold this text: {}", "nothing was changed"),
    "23514": (StorageError, "the server can't hold this file: {}", "nothing was changed"),
    "28": (VaultUnavailableError, "the server refuses the role: {}", "check role and password"),
}


class LostConnection(VaultUnavailableError):
    """The connection broke during a statement, so it is unknown whether that was carried out."""


class LimitedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is closed when its server is silent for `SILENCE_SECONDS`."""

    def wait(self, gen: Generator[Any, Any, Any], *limits: Any, **more: Any) -> Any:
        return super().wait(self._watch(gen), *limits, **more)

    def _watch(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Pass `gen` through and end long silence: psycopg sends 0 if the socket was not ready."""
        try:
            wanted = next(gen)
            heard = time.monotonic()
            while True:
                ready = yield wanted
                if ready:
                    heard = time.monotonic()
                elif time.monotonic() > heard + SILENCE_SECONDS:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(
                        f"the server said nothing for {SILENCE_SECONDS:.0f} seconds"
                    )
                wanted = gen.send(ready)
        except StopIteration as stop:
            return stop.value


class Connections:
    """A pool of at most `_MOST` connections, opened when needed and kept for the next statement."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._free = BoundedSemaphore(_MOST)
        self._mutex = Lock()
        self._idle: list[psycopg.Connection[tuple[Any, ...]]] = []
        self._closed = False

    def run(self, query: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Run a statement that may be repeated; return its rows. Raises EngrainError."""
        try:
            return self.run_once(query, values)
        except LostConnection:
            self.close_idle()  # a restarted server has closed them all
            return self.run_once(query, values)

    def run_once(self, query: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Run a statement once; return its rows. Raises LostConnection if it is unknown whether it
        was carried out, another EngrainError if it was not."""
        with self.borrow() as connection:
            try:
                return connection.execute(query.encode(), values, binary=True).fetchall()
            except psycopg.Error as error:
                if error.sqlstate == _READ_ONLY and self._address.has_replicas:
                    connection.close()  # another server is the primary by now
                if connection.closed:
                    raise LostConnection(
                        f"the connection to the server was lost: {_first_line(error)}",
                        path=self._address.text,
                        remedy="try again when the server is back",
                    ) from None
                raise explain(error, self._address) from error

    @contextmanager
    def borrow(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """Lend a connection for a block. Raises VaultUnavailableError, LockedError."""
        if not self._free.acquire(timeout=_PATIENCE_SECONDS):
            raise LockedError("all connections to the server are in use", path=self._address.text)
        try:
            with self._mutex:
                connection = self._idle.pop() if self._idle else None
            connection = connection or self._connect()
            try:
                yield connection
            finally:
                with self._mutex:
                    keep = not self._closed and not connection.closed
                    if keep:
                        self._idle.append(connection)
                if not keep:
                    connection.close()
        finally:
            self._free.release()

    @contextmanager
    def listen(self, channel: str) -> Iterator[Callable[[float], bool]]:
        """Listen on a separate connection; yield a function that waits so many seconds for a notice
        and returns whether one came. Raises VaultUnavailableError."""
        with closing(self._connect()) as connection:

            def wait(seconds: float) -> bool:
                try:
                    return any(True for _ in connection.notifies(timeout=seconds, stop_after=1))
                except psycopg.Error as error:
                    raise explain(error, self._address) from error

            try:
                connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            except psycopg.Error as error:
                raise explain(error, self._address) from error
            yield wait

    def close_idle(self) -> None:
        """Close the connections that are not in use."""
        with self._mutex:
            idle, self._idle = self._idle, []
        for connection in idle:
            with suppress(psycopg.Error):
                connection.close()

    def close(self) -> None:
        """Close all connections; those in use are closed when they are given back."""
        self._closed = True
        self.close_idle()

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        self._closed = False
        try:
            connection = LimitedConnection.connect(
                "",
                autocommit=True,
                prepare_threshold=None,
                **connection_options(self._address, os.environ),  # type: ignore[arg-type]
            )
            [(restored,)] = connection.execute(_IS_RESTORED).fetchall()
        except psycopg.Error as error:
            raise VaultUnavailableError(
                f"the server can't be reached: {_first_line(error)}",
                path=self._address.text,
                remedy="check the address, the role and its password, and that the server runs",
            ) from None
        if restored:
            connection.close()
            raise VaultUnavailableError(
                "the server was restored as of a moment, and may have what was erased since",
                path=self._address.text,
                remedy="its admin runs `engrain admin tombstones --apply`, and then removes the"
                " recovery target from its settings",
            )
        return connection


def explain(error: psycopg.Error, address: Address) -> EngrainError:
    """Return the store's error for an error of the server."""
    state = error.sqlstate or ""
    said = _first_line(error)
    if state in _NO_SCHEMA or (state == "42501" and "schema" in said):
        return VaultUnavailableError(
            f"the database has no tables of Engrain's that this role can use: {said}",
            path=address.text,
            remedy=f"an admin runs `engrain admin migrate {address.server}`",
        )
    kind, message, remedy = _MEANINGS.get(state) or _MEANINGS.get(
        state[:2], (StorageError, "the server failed: {}", "nothing was changed")
    )
    return kind(message.format(said), path=address.text, remedy=remedy)


def _first_line(error: psycopg.Error) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].removeprefix("connection failed: ")[:300] if lines else type(error).__name__
