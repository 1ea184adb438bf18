"""The file of the vectors, which is created again if it is damaged or of another version.

Several processes use it at once. A process that creates, opens or replaces it holds a lock file
meanwhile, so that no other opens a file that is being removed.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

import apsw

from engrain.index.connection import BUSY_MS, CORRUPT, begin, close_idle, commit, meaning, undo
from engrain.model.errors import EmbeddingError, IndexUnavailableError
from engrain.model.note.vectors import dot

if TYPE_CHECKING:
    from engrain.index.vectors.blocks import Signs

Given = TypeVarTuple("Given")
T = TypeVar("T")

_SCHEMA = 1
"""The version of the tables, as `schema.sql` sets it."""
_CACHE_KB = 16 * 1024
_TABLES = os.path.join(os.path.dirname(__file__), "schema.sql")


def open_file(path: str) -> apsw.Connection | None:
    """Connect to a file, which is created if missing; return None if it is of another version."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # for its owner's eyes only
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(BUSY_MS)
        version = connection.execute("PRAGMA user_version").get
        if not version and not connection.execute("SELECT count(*) FROM sqlite_schema").get:
            with open(_TABLES, encoding="utf-8") as file:  # noqa: PTH123
                connection.execute(file.read()).fetchall()
        elif version != _SCHEMA:
            connection.close()
            return None
        # A power cut may lose the last commits: their texts can be embedded again.
        connection.execute(f"PRAGMA synchronous=NORMAL; PRAGMA cache_size=-{_CACHE_KB}").fetchall()
        _register_distance(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _register_distance(connection: apsw.Connection) -> None:
    """Register `vec_distance_cosine`: sqlite-vec's, or plain Python if that is not installed.

    The extension is found without importing its package, which would load numpy.
    """
    spec = PathFinder.find_spec("sqlite_vec")
    if spec and spec.submodule_search_locations:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(os.path.join(spec.submodule_search_locations[0], "vec0"))
        except apsw.ExtensionLoadingError:
            spec = None
        finally:
            connection.enable_load_extension(False)
    if not spec:
        connection.create_scalar_function(
            "vec_distance_cosine", _distance, numargs=2, deterministic=True
        )


def _distance(*vectors: apsw.SQLiteValue) -> float:
    left, right = vectors
    if not (isinstance(left, bytes) and isinstance(right, bytes)):
        raise TypeError("a vector is kept as bytes")
    try:
        return 1.0 - dot(left, right)
    except EmbeddingError as error:
        raise ValueError(error.message) from None


FILE = "vectors.sqlite"
_LOCK = "vectors.lock"
_REMEDY = "delete it, it is made anew"


_NEVER_OTHERWISE = (
    apsw.SQLError, apsw.MismatchError, apsw.RangeError, apsw.TooBigError, apsw.NoMemError,
    apsw.ConstraintError, apsw.InternalError,
)  # fmt: skip
"""Errors that our statements can't cause: what they read is not what was written."""


class OpenedVectors:
    """The file in use: its identity, its idle connections, and its blocks kept in memory."""

    __slots__ = ("groups", "identity", "idle")

    def __init__(self, identity: tuple[int, int]) -> None:
        self.identity = identity
        self.idle: list[apsw.Connection] = []
        self.groups: dict[int, dict[tuple[int, ...], Signs]] = {}


class VectorFile:
    """Access to the file, which is looked up at every call. Any thread may call. `damages` counts
    the damaged files that this object has replaced."""

    def __init__(self, folder: str) -> None:
        self.damages = 0
        self._folder = folder
        self._path = os.path.join(folder, FILE)
        self._opened: OpenedVectors | None = None

    def ask(self, work: Callable[[apsw.Connection, OpenedVectors, *Given], T], *given: *Given) -> T:
        """Do `work` in a reading transaction; a damaged file is replaced by an empty one.

        Raises IndexUnavailableError.
        """
        return self._repeat(_reading, work, *given)

    def change(
        self, work: Callable[[apsw.Connection, OpenedVectors, *Given], T], *given: *Given
    ) -> T:
        """Do `work` in a transaction that keeps other writers out, all or nothing."""
        return self._repeat(_writing, work, *given)

    def rewrite(self) -> None:
        """Replace the file by a copy with only its present rows, since a deleted row stays readable
        in free pages and in the log. What others write meanwhile is lost.

        Raises IndexUnavailableError.
        """
        copy = f"{self._path}.copy"
        self.close()
        try:
            with _alone(self._folder):
                _remove(copy)
                whole = _copy(self._path, copy)
                _remove(self._path)
                if whole:
                    os.replace(copy, self._path)
        except (apsw.Error, OSError) as error:
            raise _unavailable(meaning(error), self._path) from error

    def remove(self) -> None:
        """Remove the file; the next call creates an empty one. Raises IndexUnavailableError."""
        self.close()
        try:
            with _alone(self._folder):
                _remove(f"{self._path}.copy")
                _remove(self._path)
        except OSError as error:
            raise _unavailable(meaning(error), self._path) from error

    def close(self) -> None:
        """Close the idle connections; those in use are closed after their calls."""
        opened, self._opened = self._opened, None
        if opened:
            close_idle(opened.idle)

    def _repeat(
        self, run: Callable[[apsw.Connection, OpenedVectors, *Given], T], *given: *Given
    ) -> T:
        try:
            return self._once(run, *given)
        except _DamagedError as damage:
            self._replace(damage.opened)
        try:
            return self._once(run, *given)
        except _DamagedError as damage:
            raise _unavailable(CORRUPT, self._path) from damage

    def _once(
        self, run: Callable[[apsw.Connection, OpenedVectors, *Given], T], *given: *Given
    ) -> T:
        try:
            opened = self._current()
            connection = opened.idle.pop() if opened.idle else self._connect()
        except (apsw.Error, OSError) as error:
            raise _unavailable(meaning(error), self._path) from error
        try:
            return run(connection, opened, *given)
        except (apsw.Error, OSError) as error:
            reason = CORRUPT if isinstance(error, _NEVER_OTHERWISE) else meaning(error)
            if reason == CORRUPT:
                raise _DamagedError(opened) from error
            raise _unavailable(reason, self._path) from error
        except (ArithmeticError, LookupError, TypeError, ValueError, MemoryError) as error:
            # What a column has is not what was put into it.
            raise _DamagedError(opened) from error
        finally:
            opened.idle.append(connection)
            if opened is not self._opened:
                close_idle(opened.idle)

    def _current(self) -> OpenedVectors:
        """Return the file in use, opened again if it was replaced or removed."""
        opened = self._opened
        if opened is None or _identify(self._path) != opened.identity:
            self.close()
            connection = self._connect()
            identity = _identify(self._path)
            if identity is None:
                raise FileNotFoundError(self._path)
            opened = self._opened = OpenedVectors(identity)
            opened.idle.append(connection)
        return opened

    def _connect(self) -> apsw.Connection:
        with _alone(self._folder):
            try:
                connection = open_file(self._path)
            except (apsw.CorruptError, apsw.NotADBError, *_NEVER_OTHERWISE):
                self.damages += 1
                _remove(self._path)
                connection = open_file(self._path)
            if connection is None:  # of another version
                _remove(self._path)
                connection = open_file(self._path)
        if connection is None:
            raise apsw.CantOpenError(self._path)
        return connection

    def _replace(self, damaged: OpenedVectors) -> None:
        """Remove a damaged file, unless another process has replaced it already."""
        self.damages += 1
        self.close()
        try:
            with _alone(self._folder):
                if _identify(self._path) == damaged.identity:
                    _remove(self._path)
        except OSError as error:
            raise _unavailable(meaning(error), self._path) from error


class _DamagedError(Exception):
    """SQLite found the file to be damaged."""

    def __init__(self, opened: OpenedVectors) -> None:
        super().__init__()
        self.opened = opened


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Run a block in which no other process creates, opens or replaces the file."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, _LOCK)
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # and the lock with it


def _reading(
    connection: apsw.Connection,
    opened: OpenedVectors,
    work: Callable[[apsw.Connection, OpenedVectors, *Given], T],
    *given: *Given,
) -> T:
    connection.execute("BEGIN")
    try:
        return work(connection, opened, *given)
    finally:
        undo(connection, inner=False)


def _writing(
    connection: apsw.Connection,
    opened: OpenedVectors,
    work: Callable[[apsw.Connection, OpenedVectors, *Given], T],
    *given: *Given,
) -> T:
    begin(connection)
    try:
        done = work(connection, opened, *given)
        commit(connection, inner=False)
    except BaseException:
        undo(connection, inner=False)
        raise
    return done


def _unavailable(reason: str, path: str) -> IndexUnavailableError:
    return IndexUnavailableError(f"the vectors are {reason}", path=path, remedy=_REMEDY)


def _copy(path: str, copy: str) -> bool:
    """Copy the present rows of a file; return False if it is of another version."""
    connection = open_file(path)
    if connection is None:
        return False
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection.execute("VACUUM INTO ?", (copy,))
    finally:
        connection.close()
    copied = apsw.Connection(copy, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        copied.execute("PRAGMA journal_mode=WAL").fetchall()
    finally:
        copied.close()
    return True


def _identify(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _remove(path: str) -> None:
    for suffix in ("-wal", "-shm", "-journal", ""):
        try:
            os.unlink(path + suffix)
        except FileNotFoundError:
            continue
