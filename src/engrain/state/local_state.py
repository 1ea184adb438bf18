"""What this device knows of one vault beside its index, in one SQLite file (DESIGN section 4). If
it is lost, ages and heat begin anew.

Glossary
--------
session     a session that has ended on this device; its ordinal counts them from 1. The order is
            by ordinals, never by times, because clocks are set back and forth.
scope       the project of a session, "" for none. A session ages entries of its project and those
            without one (DESIGN section 6).
hit         an entry that a session recalled, or would have recalled if it had not had it already.
use         an entry that a session used: it was read by its id, or built on.
spend       the tokens of one question to a language model, and its purpose.
note        a small JSON value under a name: how far a digest was read, when a job ran.
cursor      how far a consumer read one file of a source, as a JSON value. The turns that it read of
            a conversation are kept as digests, whichever file they are in.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, BinaryIO

import apsw

from engrain.model.errors import StorageError

_FILE = "state.sqlite"
_BUSY_MS = 5000
_WAITS = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0)
_SCHEMA = os.path.join(os.path.dirname(__file__), "schema.sql")
_LAST_USES = """
SELECT u.entry FROM uses u JOIN sessions s USING(ordinal) WHERE s.project IN ({})
GROUP BY u.entry ORDER BY max(u.ordinal) DESC, u.entry LIMIT ?
"""
_RECALLED = """
INSERT INTO recalls VALUES(?, ?)
ON CONFLICT(entry) DO UPDATE SET ordinal = max(ordinal, excluded.ordinal)
"""


@dataclass(slots=True)
class Session:
    """A session that has ended: its ordinal, project ("" for none), and end (epoch seconds)."""

    ordinal: int
    project: str
    at: float


@dataclass(slots=True)
class Spend:
    """One question to a language model: its purpose, the model, its input and output tokens, and
    its time (epoch seconds)."""

    purpose: str
    model: str
    taken: int
    given: int
    at: float


@dataclass(slots=True)
class Count:
    """The additions of an ended session to the counters of an entry that its note lacks: how often
    it was recalled, whether it was used, and when last (epoch seconds). `session` names the
    session, or one part of a resumed session."""

    session: str
    entry: str
    times: int
    used: bool
    at: float


class LocalState:
    """The knowledge of one device about one vault, in `folder`, which must be device-local and is
    made on first use. Methods raise StorageError."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._mutex = Lock()
        self._connection: apsw.Connection | None = None

    def end_session(
        self, session: str, project: str, at: float, hits: Iterable[str], used: Iterable[str] = ()
    ) -> int:
        """Record that a session has ended, with the entries that it hit and used, and return its
        ordinal. A session that ended before keeps its ordinal and gains hits and uses."""
        with self._transaction() as run:
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
        """Store additions to counters until they are in the notes; stored ones stay."""
        with self._transaction() as run:
            for one in counts:
                run(
                    "INSERT OR IGNORE INTO counts VALUES(?, ?, ?, ?, ?)",
                    (one.entry, one.session, one.times, one.used, one.at),
                )

    def counts(self) -> Sequence[Count]:
        """Return the additions to counters that are in no note yet, by entry and time."""
        rows = self._ask("SELECT session, entry, times, used, at FROM counts ORDER BY entry, at")
        return [Count(name, id_, times, bool(used), at) for name, id_, times, used, at in rows]

    def drop_counts(self, counts: Iterable[Count]) -> None:
        """Remove additions that are in the notes by now."""
        with self._transaction() as run:
            for one in counts:
                run("DELETE FROM counts WHERE entry = ? AND session = ?", (one.entry, one.session))

    @contextmanager
    def _transaction(self) -> Iterator[Callable[..., apsw.Cursor]]:
        """Run a block in a transaction, undone if the block raises. SQLite's and OS errors become
        StorageErrors."""
        try:
            with self._mutex:
                connection = self._open()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection.execute
                except BaseException as error:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
                        self._put_aside()
                    raise
                if connection.in_transaction:
                    connection.execute("COMMIT")
        except (apsw.Error, OSError) as error:
            raise StorageError(
                f"this device's state can't be kept: {error}", path=self._folder
            ) from None

    def _ask(self, sql: str, *values: object) -> list[Any]:
        """Run one statement in a transaction of its own; return its rows."""
        with self._transaction() as run:
            return list(run(sql, values))

    def sessions(self) -> Sequence[Session]:
        """Return every session, in order."""
        rows = self._ask("SELECT ordinal, project, at FROM sessions ORDER BY ordinal")
        return [Session(*row) for row in rows]

    def touch(self, entries: Iterable[str]) -> None:
        """Count entries as recalled by the latest session, without a hit: somebody restored them,
        or wants to keep them."""
        with self._transaction() as run:
            latest = run("SELECT ifnull(max(ordinal), 0) FROM sessions", ()).get
            for entry in entries:
                run(_RECALLED, (entry, latest))

    def last_recalls(self) -> Mapping[str, int]:
        """Return for each entry that was hit or touched the ordinal of the latest session."""
        return dict(self._ask("SELECT entry, ordinal FROM recalls"))

    def hits_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        """Return for each entry the ordinals after `ordinal` of the sessions that hit it."""
        return self._ordinals("hits", ordinal)

    def uses_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        """Return for each entry the ordinals after `ordinal` of the sessions that used it."""
        return self._ordinals("uses", ordinal)

    def _ordinals(self, table: str, after: int) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        sql = f"SELECT entry, ordinal FROM {table} WHERE ordinal > ? ORDER BY ordinal"
        for entry, at in self._ask(sql, after):
            found.setdefault(entry, []).append(at)
        return found

    def last_uses(self, projects: Sequence[str], most: int) -> Sequence[str]:
        """Return at most `most` entries that sessions of some projects used, those of the latest
        session first, ties by id."""
        if not os.path.exists(os.path.join(self._folder, _FILE)):
            return []  # the start of a session must not make the file
        with self._transaction() as run:
            rows = run(_LAST_USES.format(",".join("?" * len(projects))), (*projects, most))
            return [entry for (entry,) in rows]

    def add_spend(self, spend: Spend) -> int:
        """Store what a question costs, or may cost while it is asked, and return a number for
        it."""
        ((number,),) = self._ask(
            "INSERT INTO spends(purpose, model, taken, given, at) VALUES(?, ?, ?, ?, ?)"
            " RETURNING number",
            spend.purpose, spend.model, spend.taken, spend.given, spend.at,
        )  # fmt: skip
        return int(number)

    def correct_spend(self, number: int, taken: int, given: int) -> None:
        """Store what the question with this number did cost; without tokens it was never asked."""
        if taken or given:
            sql = "UPDATE spends SET taken = ?, given = ? WHERE number = ?"
            self._ask(sql, taken, given, number)
        else:
            self._ask("DELETE FROM spends WHERE number = ?", number)

    def spent_since(self, at: float) -> Sequence[Spend]:
        """Return what was spent from `at` on, in the order in which it was added."""
        sql = "SELECT purpose, model, taken, given, at FROM spends WHERE at >= ? ORDER BY number"
        return [Spend(*row) for row in self._ask(sql, at)]

    def read_note(self, name: str) -> object:
        """Return the value under a name, None for none."""
        rows = self._ask("SELECT value FROM notes WHERE name = ?", name)
        return _read_value(rows[0][0]) if rows else None

    def write_note(self, name: str, value: object) -> None:
        """Store a JSON value under a name."""
        self._ask("INSERT OR REPLACE INTO notes VALUES(?, ?)", name, json.dumps(value))

    def cursors(self, consumer: str, source: str) -> Mapping[str, object]:
        """Return the cursors of a consumer in a source, by file."""
        sql = "SELECT file, value FROM cursors WHERE source = ? AND consumer = ?"
        return {file: _read_value(value) for file, value in self._ask(sql, source, consumer)}

    def write_cursor(self, consumer: str, source: str, file: str, value: object) -> None:
        """Store how far a consumer read a file."""
        sql = "INSERT OR REPLACE INTO cursors VALUES(?, ?, ?, ?)"
        self._ask(sql, source, consumer, file, json.dumps(value))

    def drop_cursors(self, source: str) -> None:
        """Remove all cursors in a source."""
        self._ask("DELETE FROM cursors WHERE source = ?", source)

    def turns_read(self, consumer: str, conversation: str) -> bytes:
        """Return the joined digests of the turns that a consumer read of a conversation."""
        sql = "SELECT digests FROM turns_read WHERE conversation = ? AND consumer = ?"
        return b"".join(digests for (digests,) in self._ask(sql, conversation, consumer))

    def add_turns_read(self, consumer: str, conversation: str, digests: bytes) -> None:
        """Add the joined digests of turns that a consumer read of a conversation."""
        self._ask("INSERT INTO turns_read VALUES(?, ?, ?)", consumer, conversation, digests)

    def drop_entries(self, entries: Iterable[str]) -> None:
        """Remove everything about some entries."""
        with self._transaction() as run:
            for entry in entries:
                for table in ("hits", "counts", "recalls", "uses"):
                    run(f"DELETE FROM {table} WHERE entry = ?", (entry,))

    def open_scratch(self) -> BinaryIO:
        """Return an empty file for data that takes too much memory. Nobody else can open it, and
        closing removes it."""
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            return TemporaryFile(dir=self._folder)
        except OSError as error:
            raise StorageError(f"no file can be made: {error}", path=self._folder) from None

    def close(self) -> None:
        """Release all resources."""
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
        with open(_SCHEMA, encoding="utf-8") as file:  # noqa: PTH123
            connection.execute(file.read()).fetchall()
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
