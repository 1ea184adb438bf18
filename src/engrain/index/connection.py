"""Connections to the index, and what SQLite's errors mean for it. `Access` gives each call a
connection to the generation in use, which may be replaced at any moment, for several threads and
processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import apsw

from engrain.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from engrain.index.generations import Generations
    from engrain.index.rows import Value

P = ParamSpec("P")
T = TypeVar("T")

SCHEMA = 21
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
    apsw.NoMemError,  # a damaged length asks for more memory than there is
)  # fmt: skip
_MEANINGS = ((_DAMAGED, CORRUPT), ((apsw.BusyError, apsw.LockedError), BUSY))
LOCATE = "locate"
"""The SQL function that finds where the phrases of a query stand in a row of the full text."""
_BODY = 2

_NOT_OUR_TABLES = ("no such", "vtable constructor failed")


class UnfitError(IndexUnavailableError):
    """The index can't answer: it is `reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the index is {reason}", remedy="rebuild it with `engrain jobs reindex`")
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
    reuse_plans(connection)
    # A power cut may lose the last commits: they are replayed from the store.
    connection.execute(f"PRAGMA synchronous=NORMAL; PRAGMA cache_size=-{_READ_CACHE_KB}").fetchall()
    version = connection.execute("PRAGMA user_version").get
    # After the query, because this call reports a busy file or no database as another error.
    connection.register_fts5_function(LOCATE, _locate)
    return version


def reuse_plans(connection: apsw.Connection) -> None:
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
    reuse_plans(connection)
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
            self.note_end(connection)
            sleep(_LOOK_S)

    def note_end(self, connection: apsw.Connection) -> None:
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
        _FORKS.note_end(connection)
        raise
    return False


def commit(connection: apsw.Connection, inner: bool) -> None:
    """Commit the transaction; a nested one is committed with the outer one."""
    connection.execute("RELEASE inner" if inner else "COMMIT")
    if not inner:
        _FORKS.note_end(connection)


def undo(connection: apsw.Connection, inner: bool) -> None:
    """Roll the transaction back."""
    try:
        if connection.in_transaction:  # on a full disk SQLite has rolled it back
            connection.execute("ROLLBACK TO inner; RELEASE inner" if inner else "ROLLBACK")
    finally:
        if not inner:
            _FORKS.note_end(connection)


_ATTEMPTS = 8
"""The most attempts at one call, which is repeated if its generation was replaced meanwhile."""
_RESTLESS = "being rebuilt again and again"


@dataclass(slots=True, eq=False)
class Opened:
    """A generation in use, with its idle connections.

    A connection serves one call at a time; taking one and giving it back are atomic.
    """

    name: str
    stamp: tuple[int, int]
    reason: str
    """Why it can't be used, "" if it can."""
    idle: list[apsw.Connection] = field(default_factory=list, init=False)


class Access:
    """Access to the generation in use, which is looked up at every call."""

    def __init__(self, generations: Generations, patience_ms: int) -> None:
        self._generations = generations
        self._patience_ms = patience_ms
        self._opened: Opened | None = None
        self._exclusive: dict[int, tuple[Opened, apsw.Connection]] = {}  # by thread

    def ask(
        self, query: Callable[Concatenate[apsw.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """Run a query on the generation in use; within `exclusive`, in its transaction."""
        held = self._exclusive.get(get_ident())
        if held:
            return self._work(*held, query, *given, **named)
        for _ in range(_ATTEMPTS):
            opened = self._current()
            try:
                connection = self._borrow(opened)
                try:
                    return self._work(opened, connection, query, *given, **named)
                finally:
                    self._return_connection(opened, connection)
            except UnfitError:
                if self._is_current(opened):
                    raise
        raise UnfitError(_RESTLESS)

    @contextmanager
    def reading(self, make: Callable[[apsw.Connection], T]) -> Iterator[T]:
        """Give a block a view of one state, which `make` makes from a connection. An error of the
        block that shows damage marks the generation."""
        opened, connection = self._begin_reading()
        try:
            yield make(connection)
        except UnfitError as error:
            self._note(opened, error)
            raise
        finally:
            try:
                self._work(opened, connection, undo, False)
            finally:
                self._return_connection(opened, connection)

    def _begin_reading(self) -> tuple[Opened, apsw.Connection]:
        for _ in range(_ATTEMPTS):
            opened = self._current()
            try:
                return opened, self._begin_on(
                    opened, lambda connection: connection.execute("BEGIN")
                )
            except UnfitError:
                if self._is_current(opened):
                    raise
        raise UnfitError(_RESTLESS)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Run a block in a transaction of this thread, which is undone if the block raises; other
        writers, in any process, wait for its end."""
        inner, kept = self._enter(), False
        try:
            yield
            kept = True
        finally:
            self._end_transaction(inner, kept)

    def replace(self, name: str) -> None:
        """Put a finished generation into use, between two transactions of writers on the old."""
        guarded(self._generations.seal, name)
        replaced = guarded(self._generations.current)
        writers_lock = self._lock_out(replaced)
        try:
            guarded(self._generations.point_to, name)
        finally:
            if writers_lock:
                undo(writers_lock, inner=False)
                writers_lock.close()
        self.close()
        guarded(self._generations.clean, name, replaced)

    def close(self) -> None:
        """Close the idle connections; the others are closed when they are given back."""
        opened, self._opened = self._opened, None
        if opened:
            close_idle(opened.idle)

    def _enter(self) -> bool:
        """Begin a transaction of this thread; return whether it is nested in another."""
        held = self._exclusive.get(get_ident())
        if held:
            return self._work(*held, begin)
        for _ in range(_ATTEMPTS):
            opened = self._current()
            try:
                connection = self._begin_on(opened, begin)
            except UnfitError:
                if self._is_current(opened):
                    raise
                continue
            if self._is_current(opened):
                self._exclusive[get_ident()] = opened, connection
                return False
            connection.close()
        raise UnfitError(_RESTLESS)

    def _end_transaction(self, inner: bool, kept: bool) -> None:
        """End a transaction of this thread. Raises UnfitError if it could not be committed."""
        opened, connection = self._exclusive[get_ident()]
        try:
            self._end(opened, connection, inner, kept)
        finally:
            if not inner:
                del self._exclusive[get_ident()]
                self._return_connection(opened, connection)
        if kept and not inner and not self._is_current(opened):
            raise UnfitError(MISSING)  # it went into files that are no longer the index

    def _begin_on(
        self, opened: Opened, begin_on: Callable[[apsw.Connection], object]
    ) -> apsw.Connection:
        connection = self._borrow(opened)
        try:
            self._work(opened, connection, begin_on)
        except UnfitError:
            self._return_connection(opened, connection)
            raise
        return connection

    def _end(self, opened: Opened, connection: apsw.Connection, inner: bool, kept: bool) -> None:
        try:
            if kept:
                kept = False
                self._work(opened, connection, commit, inner)
                kept = True
        finally:
            if not kept:
                self._work(opened, connection, undo, inner)

    def _work(
        self,
        opened: Opened,
        connection: apsw.Connection,
        work: Callable[Concatenate[apsw.Connection, P], T],
        /,
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        try:
            return guarded(work, connection, *given, **named)
        except UnfitError as error:
            self._note(opened, error)
            raise

    def _borrow(self, opened: Opened) -> apsw.Connection:
        if opened.idle:
            return opened.idle.pop()
        try:
            return connect(self._generations.path(opened.name), self._patience_ms)
        except UnfitError as error:
            self._note(opened, error)
            raise

    def _return_connection(self, opened: Opened, connection: apsw.Connection) -> None:
        opened.idle.append(connection)
        if opened is not self._opened:
            close_idle(opened.idle)

    def mark_damaged(self, error: UnfitError) -> None:
        """Mark the index in use as damaged if an error says so; the next question rebuilds it."""
        if self._opened is not None:
            self._note(self._opened, error)

    def _note(self, opened: Opened, error: UnfitError) -> None:
        if error.reason == CORRUPT:
            opened.reason = CORRUPT
            self._generations.mark_bad(opened.name)

    def _current(self) -> Opened:
        """Return the generation in use, opened again if the pointer was moved.

        Two threads may both open it; the connections of one are closed when they are given back.
        """
        opened, stamp = self._opened, guarded(self._generations.stamp)
        if opened is None or opened.stamp != stamp:
            self.close()
            name = guarded(self._generations.current)
            if stamp is None or name is None:
                raise UnfitError(MISSING)
            reason = CORRUPT if self._generations.is_bad(name) else ""
            opened = self._opened = Opened(name, stamp, reason)
        if opened.reason:
            raise UnfitError(opened.reason)
        return opened

    def _is_current(self, opened: Opened) -> bool:
        return guarded(self._generations.stamp) == opened.stamp

    def _lock_out(self, name: str | None) -> apsw.Connection | None:
        """Lock out writers of a generation; None if it can't be opened or they don't finish."""
        if name is None:
            return None
        try:
            connection = connect(self._generations.path(name), self._patience_ms)
            guarded(begin, connection)
        except UnfitError:
            return None
        return connection


def close_idle(idle: list[apsw.Connection]) -> None:
    """Close idle connections, which other threads may take meanwhile."""
    while idle:
        idle.pop().close()
