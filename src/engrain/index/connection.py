"""Connections to one generation of the index, and what SQLite's errors mean for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import apsw

from engrain.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from engrain.index.rows import Value

P = ParamSpec("P")
T = TypeVar("T")

SCHEMA = 20
"""The version of the tables and their content; an index of another version is rebuilt."""

MISSING = "missing"
CORRUPT = "corrupt"
OTHER_SCHEMA = "of another version"
BUSY = "busy"

BUSY_MS = 5000
"""Milliseconds that one writer waits for another by default."""
_LOOK_S = 0.001

_READ_CACHE_KB = 8 * 1024  # holds the upper pages of the tables of 100k entries
_BUILD_CACHE_KB = 32 * 1024

_DAMAGED = (
    apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SchemaChangeError,
    apsw.NoFTS5Error,  # its tables can't be read: FTS5 itself comes with apsw
)  # fmt: skip
_MEANINGS = ((_DAMAGED, CORRUPT), ((apsw.BusyError, apsw.LockedError), BUSY))
LOCATE = "locate"
"""The SQL function that finds where the phrases of a query stand in a row of the full text."""
_BODY = 2

_NOT_OUR_TABLES = ("no such", "vtable constructor failed")


class UnfitError(IndexUnavailableError):
    """The index can't answer: it is `reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the index is {reason}", remedy="rebuild it with `engrain reindex`")
        self.reason = reason


def meaning(error: Exception) -> str:
    """Return what an error of SQLite or of the file system means for the index."""
    for kinds, reason in _MEANINGS:
        if isinstance(error, kinds):
            return reason
    if isinstance(error, apsw.SQLError) and str(error).startswith(_NOT_OUR_TABLES):
        return CORRUPT
    return f"unusable ({error})"


def guarded(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Do `work` on the index's files; raises UnfitError where they fail."""
    try:
        return work(*given, **named)
    except (apsw.Error, OSError) as error:
        raise UnfitError(meaning(error)) from error
    except UnicodeDecodeError as error:  # a text that was written as one is none any more
        raise UnfitError(CORRUPT) from error


class Queries:
    """Queries of the index in SQL; a subclass chooses the connection."""

    def ask(
        self, query: Callable[Concatenate[apsw.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """Run a function on the connection. Raises UnfitError where the index can't answer."""
        raise NotImplementedError

    def value(self, sql: str, values: Sequence[Value] = ()) -> Any:
        """Return the one row of a query, or its value if it has one column; None for no row."""
        return self.ask(lambda connection: connection.execute(sql, values).get)

    def fetch(self, sql: str, values: Sequence[Value] = ()) -> list[Any]:
        """Return all rows of a query."""
        return self.ask(lambda connection: connection.execute(sql, values).fetchall())

    def fetch_each(self, sql: str, keys: Sequence[tuple[Value, ...]]) -> list[Any]:
        """Return all rows of a query that runs once for each of `keys`."""
        return self.ask(lambda connection: connection.executemany(sql, keys).fetchall())


def connect(path: str, patience_ms: int = BUSY_MS) -> apsw.Connection:
    """Open a finished generation. Raises UnfitError: missing, corrupt or of another version."""
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.CantOpenError as error:
        raise UnfitError(meaning(error) if os.path.exists(path) else MISSING) from error
    version = guarded(_set_up, connection, patience_ms)
    if version != SCHEMA:
        connection.close()
        raise UnfitError(OTHER_SCHEMA)
    return connection


def _set_up(connection: apsw.Connection, patience_ms: int) -> object:
    connection.set_busy_timeout(patience_ms)
    keep_plans(connection)
    # A power cut may lose the last commits: they are replayed from the store.
    connection.execute(f"PRAGMA synchronous=NORMAL; PRAGMA cache_size=-{_READ_CACHE_KB}").fetchall()
    version = connection.execute("PRAGMA user_version").get
    # After the query, because this call reports a busy file or no database as another error.
    connection.register_fts5_function(LOCATE, _locate)
    return version


def keep_plans(connection: apsw.Connection) -> None:
    """Keep SQLite from planning a statement anew whenever other values are bound to it, as it does
    to look them up in statistics, which the index has none of."""
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)


def _locate(api: apsw.FTS5ExtensionApi, *given: Any) -> None:
    """Collect what `matching.occurrences` returns, for one row. `given` has the word of each
    phrase, and the dictionary for the result."""
    words, located = given[0]
    stands: dict[int, tuple[bool, list[int]]] = {}
    for phrase, word in enumerate(words):
        if columns := api.phrase_columns(phrase):
            labelled = columns[0] != _BODY
            at = api.phrase_column_offsets(phrase, _BODY) if columns[-1] == _BODY else []
            if word in stands:  # in another form
                labelled, at = labelled or stands[word][0], stands[word][1] + at
            stands[word] = labelled, at
    located[api.rowid] = api.column_size(_BODY), stands


def connect_builder(path: str) -> apsw.Connection:
    """Open a generation that nobody else sees yet, without protection from a crash."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    keep_plans(connection)
    # Fetch everything: a cursor stops after a statement that returns rows.
    connection.execute(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
        f"PRAGMA cache_size=-{_BUILD_CACHE_KB}; PRAGMA user_version={SCHEMA}"
    ).fetchall()
    return connection


def finish_builder(connection: apsw.Connection) -> None:
    """Switch a generation to the write-ahead log that readers and writers need; close it."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()


class _Forks:
    """Lets this process fork only between write transactions. A child would find SQLite's locks of
    another thread in its memory, which no thread of the child ever releases."""

    def __init__(self) -> None:
        self._writers: dict[int, int] = {}  # the thread of each connection
        self._forking = False

    def enter(self, connection: apsw.Connection) -> None:
        """Note that a transaction begins; wait while another thread forks."""
        me = get_ident()
        while True:
            nested = me in self._writers.values()
            self._writers[id(connection)] = me
            if nested or not self._forking:
                return
            self.leave(connection)
            sleep(_LOOK_S)

    def leave(self, connection: apsw.Connection) -> None:
        """Note that a transaction has ended, or was none."""
        self._writers.pop(id(connection), None)

    def begin_fork(self) -> None:
        """Wait until no other thread writes, at most `BUSY_MS`."""
        self._forking = True
        until = monotonic() + BUSY_MS / 1000
        while set(self._writers.values()) - {get_ident()} and monotonic() < until:
            sleep(_LOOK_S)

    def end_fork(self) -> None:
        """Let transactions begin again."""
        self._forking = False

    def start_child(self) -> None:
        """Forget the threads of the parent."""
        self._writers.clear()
        self._forking = False


_FORKS = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_FORKS.begin_fork, after_in_parent=_FORKS.end_fork, after_in_child=_FORKS.start_child
    )


def begin(connection: apsw.Connection) -> bool:
    """Start a transaction that keeps other writers out; return whether it is nested in another."""
    inner = connection.in_transaction
    if inner:
        connection.execute("SAVEPOINT inner")
        return True
    _FORKS.enter(connection)
    try:
        connection.execute("BEGIN IMMEDIATE")
    except BaseException:
        _FORKS.leave(connection)
        raise
    return False


def keep(connection: apsw.Connection, inner: bool) -> None:
    """Commit the transaction; a nested one is committed with the outer one."""
    connection.execute("RELEASE inner" if inner else "COMMIT")
    if not inner:
        _FORKS.leave(connection)


def undo(connection: apsw.Connection, inner: bool) -> None:
    """Roll the transaction back."""
    try:
        if connection.in_transaction:  # on a full disk SQLite has rolled it back
            connection.execute("ROLLBACK TO inner; RELEASE inner" if inner else "ROLLBACK")
    finally:
        if not inner:
            _FORKS.leave(connection)
