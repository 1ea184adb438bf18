"""Device-local state in one SQLite file beside the index (DESIGN section 4)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, BinaryIO

import apsw

from engrain.model.errors import StorageError
from engrain.seam.local_state import Count, LocalState, Session, Spend

_FILE = "state.sqlite"
_BUSY_MS = 5000
_WAITS = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0)
_TABLES = """
CREATE TABLE IF NOT EXISTS sessions(
  ordinal INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, project TEXT NOT NULL, at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS hits(
  entry TEXT, ordinal INTEGER, PRIMARY KEY(entry, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS hits_by_session ON hits(ordinal, entry);
CREATE TABLE IF NOT EXISTS uses(
  entry TEXT, ordinal INTEGER, PRIMARY KEY(entry, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS uses_by_session ON uses(ordinal, entry);
CREATE TABLE IF NOT EXISTS counts(
  entry TEXT, session TEXT, times INTEGER NOT NULL, used INTEGER NOT NULL, at REAL NOT NULL,
  PRIMARY KEY(entry, session)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spends(
  number INTEGER PRIMARY KEY, purpose TEXT NOT NULL, model TEXT NOT NULL, taken INTEGER NOT NULL,
  given INTEGER NOT NULL, at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS spends_by_time ON spends(at);
CREATE TABLE IF NOT EXISTS recalls(entry TEXT PRIMARY KEY, ordinal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cursors(
  source TEXT, consumer TEXT, file TEXT, value TEXT NOT NULL, PRIMARY KEY(source, consumer, file)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turns_read(
  consumer TEXT NOT NULL, conversation TEXT NOT NULL, digests BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS turns_by_conversation ON turns_read(conversation, consumer);
"""
_LAST_USES = """
SELECT u.entry FROM uses u JOIN sessions s USING(ordinal) WHERE s.project IN ({})
GROUP BY u.entry ORDER BY max(u.ordinal) DESC, u.entry LIMIT ?
"""
_RECALLED = """
INSERT INTO recalls VALUES(?, ?)
ON CONFLICT(entry) DO UPDATE SET ordinal = max(ordinal, excluded.ordinal)
"""


def open_local_state(folder: str) -> LocalState:
    """Return the state kept in `folder`, which must be device-local; it is made on first use."""
    return _SqliteState(folder)


class _SqliteState(LocalState):
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._mutex = Lock()
        self._connection: apsw.Connection | None = None

    def end_session(
        self, session: str, project: str, at: float, hits: Iterable[str], used: Iterable[str] = ()
    ) -> int:
        with _Transaction(self) as run:
            run(
                "INSERT INTO sessions(session, project, at) VALUES(?, ?, ?)"
                " ON CONFLICT(session) DO NOTHING",
                (session, project, at),
            )
            ordinal: int = run("SELECT ordinal FROM sessions WHERE session = ?", (session,)).get
            for entry in hits:
                run("INSERT OR IGNORE INTO hits VALUES(?, ?)", (entry, ordinal))
                run(_RECALLED, (entry, ordinal))
            for entry in used:
                run("INSERT OR IGNORE INTO uses VALUES(?, ?)", (entry, ordinal))
            return ordinal

    def add_counts(self, counts: Iterable[Count]) -> None:
        with _Transaction(self) as run:
            for one in counts:
                run(
                    "INSERT OR IGNORE INTO counts VALUES(?, ?, ?, ?, ?)",
                    (one.entry, one.session, one.times, one.used, one.at),
                )

    def counts(self) -> Sequence[Count]:
        rows = self._ask("SELECT session, entry, times, used, at FROM counts ORDER BY entry, at")
        return [Count(name, id_, times, bool(used), at) for name, id_, times, used, at in rows]

    def drop_counts(self, counts: Iterable[Count]) -> None:
        with _Transaction(self) as run:
            for one in counts:
                run("DELETE FROM counts WHERE entry = ? AND session = ?", (one.entry, one.session))

    def _ask(self, sql: str, *values: object) -> list[Any]:
        """Run one statement in a transaction of its own; return its rows."""
        with _Transaction(self) as run:
            return list(run(sql, values))

    def sessions(self) -> Sequence[Session]:
        rows = self._ask("SELECT ordinal, project, at FROM sessions ORDER BY ordinal")
        return [Session(*row) for row in rows]

    def touch(self, entries: Iterable[str]) -> None:
        with _Transaction(self) as run:
            latest = run("SELECT ifnull(max(ordinal), 0) FROM sessions", ()).get
            for entry in entries:
                run(_RECALLED, (entry, latest))

    def last_recalls(self) -> Mapping[str, int]:
        return dict(self._ask("SELECT entry, ordinal FROM recalls"))

    def hits_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        return self._ordinals("hits", ordinal)

    def uses_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        return self._ordinals("uses", ordinal)

    def _ordinals(self, table: str, after: int) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        sql = f"SELECT entry, ordinal FROM {table} WHERE ordinal > ? ORDER BY ordinal"
        for entry, at in self._ask(sql, after):
            found.setdefault(entry, []).append(at)
        return found

    def last_uses(self, projects: Sequence[str], most: int) -> Sequence[str]:
        if not os.path.exists(os.path.join(self._folder, _FILE)):
            return []  # the start of a session must not make the file
        with _Transaction(self) as run:
            rows = run(_LAST_USES.format(",".join("?" * len(projects))), (*projects, most))
            return [entry for (entry,) in rows]

    def add_spend(self, spend: Spend) -> int:
        ((number,),) = self._ask(
            "INSERT INTO spends(purpose, model, taken, given, at) VALUES(?, ?, ?, ?, ?)"
            " RETURNING number",
            spend.purpose, spend.model, spend.taken, spend.given, spend.at,
        )  # fmt: skip
        return int(number)

    def correct_spend(self, number: int, taken: int, given: int) -> None:
        if taken or given:
            sql = "UPDATE spends SET taken = ?, given = ? WHERE number = ?"
            self._ask(sql, taken, given, number)
        else:
            self._ask("DELETE FROM spends WHERE number = ?", number)

    def spent_since(self, at: float) -> Sequence[Spend]:
        sql = "SELECT purpose, model, taken, given, at FROM spends WHERE at >= ? ORDER BY number"
        return [Spend(*row) for row in self._ask(sql, at)]

    def read_note(self, name: str) -> object:
        rows = self._ask("SELECT value FROM notes WHERE name = ?", name)
        return _read_value(rows[0][0]) if rows else None

    def write_note(self, name: str, value: object) -> None:
        self._ask("INSERT OR REPLACE INTO notes VALUES(?, ?)", name, json.dumps(value))

    def cursors(self, consumer: str, source: str) -> Mapping[str, object]:
        sql = "SELECT file, value FROM cursors WHERE source = ? AND consumer = ?"
        return {file: _read_value(value) for file, value in self._ask(sql, source, consumer)}

    def write_cursor(self, consumer: str, source: str, file: str, value: object) -> None:
        sql = "INSERT OR REPLACE INTO cursors VALUES(?, ?, ?, ?)"
        self._ask(sql, source, consumer, file, json.dumps(value))

    def drop_cursors(self, source: str) -> None:
        self._ask("DELETE FROM cursors WHERE source = ?", source)

    def turns_read(self, consumer: str, conversation: str) -> bytes:
        sql = "SELECT digests FROM turns_read WHERE conversation = ? AND consumer = ?"
        return b"".join(digests for (digests,) in self._ask(sql, conversation, consumer))

    def add_turns_read(self, consumer: str, conversation: str, digests: bytes) -> None:
        self._ask("INSERT INTO turns_read VALUES(?, ?, ?)", consumer, conversation, digests)

    def drop_entries(self, entries: Iterable[str]) -> None:
        with _Transaction(self) as run:
            for entry in entries:
                for table in ("hits", "counts", "recalls", "uses"):
                    run(f"DELETE FROM {table} WHERE entry = ?", (entry,))

    def open_scratch(self) -> BinaryIO:
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            return TemporaryFile(dir=self._folder)
        except OSError as error:
            raise StorageError(f"no file can be made: {error}", path=self._folder) from None

    def close(self) -> None:
        with self._mutex:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> apsw.Connection:
        """Return the connection; set aside a file that SQLite can't read, and begin a new one."""
        if self._connection is None:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            path = os.path.join(self._folder, _FILE)
            try:
                self._connection = _connect(path)
            except (apsw.NotADBError, apsw.CorruptError):
                self._put_aside()
                self._connection = _connect(path)
        return self._connection

    def _put_aside(self) -> None:
        """Rename an unreadable file to make room for a new one; no entry is lost with it."""
        self._close()
        path = os.path.join(self._folder, _FILE)
        for ending in ("-wal", "-shm"):
            if os.path.exists(path + ending):
                os.unlink(path + ending)
        os.replace(path, f"{path}.broken")


def _read_value(value: str) -> object:
    try:
        return json.loads(value)
    except ValueError:
        return None


def _connect(path: str) -> apsw.Connection:
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))  # for its owner only
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(_BUSY_MS)
        _share(connection)
        connection.execute(_TABLES).fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _share(connection: apsw.Connection) -> None:
    """Switch the file to a write-ahead log. Of two processes that do so at once, SQLite refuses one
    immediately, since each holds what the other waits for: that one tries again."""
    for wait in _WAITS:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
        except apsw.BusyError:
            time.sleep(wait)
        else:
            return
    connection.execute("PRAGMA journal_mode=WAL").fetchall()


class _Transaction:
    """A transaction for a block, undone if the block raises. SQLite's and OS errors become
    StorageErrors."""

    def __init__(self, state: _SqliteState) -> None:
        self._state = state

    def __enter__(self) -> Callable[..., apsw.Cursor]:
        self._state._mutex.acquire()
        try:
            connection = self._state._open()
            connection.execute("BEGIN IMMEDIATE")
        except (apsw.Error, OSError) as error:
            self._state._mutex.release()
            raise self._failed(error) from None
        return connection.execute

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        connection = self._state._connection
        try:
            if connection is not None and connection.in_transaction:
                connection.execute("ROLLBACK" if error else "COMMIT")
            if isinstance(error, apsw.NotADBError | apsw.CorruptError):
                self._state._put_aside()
        except (apsw.Error, OSError) as failure:
            error = failure
        finally:
            self._state._mutex.release()
        if isinstance(error, apsw.Error | OSError):
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> StorageError:
        return StorageError(f"this device's state can't be kept: {error}", path=self._state._folder)
