"""Give each call a connection to the generation in use, which may be replaced at any moment, for
several threads and processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from engrain.index.connection import (
    CORRUPT,
    MISSING,
    UnfitError,
    begin,
    connect,
    guarded,
    keep,
    undo,
)

if TYPE_CHECKING:
    import apsw

    from engrain.index.generations import Generations
    from engrain.seam.view import IndexView

P = ParamSpec("P")
T = TypeVar("T")

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
                connection = self._take(opened)
                try:
                    return self._work(opened, connection, query, *given, **named)
                finally:
                    self._give_back(opened, connection)
            except UnfitError:
                if self._is_current(opened):
                    raise
        raise UnfitError(_RESTLESS)

    def reading(self, make: Callable[[apsw.Connection], IndexView]) -> IndexReading:
        """Return a block with a view of one state, which `make` makes from a connection."""
        return IndexReading(self, make)

    def begin_reading(self) -> tuple[Opened, apsw.Connection]:
        """Return a connection whose queries see one state until `end_reading`."""
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

    def end_reading(
        self, opened: Opened, connection: apsw.Connection, error: BaseException | None
    ) -> None:
        """Give the connection back; an `error` that shows damage marks the generation."""
        if isinstance(error, UnfitError):
            self._note(opened, error)
        try:
            self._work(opened, connection, undo, False)
        finally:
            self._give_back(opened, connection)

    def exclusive(self) -> Exclusive:
        """Return a transaction of this thread; other writers, in any process, wait for its end."""
        return Exclusive(self)

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
            _close_idle(opened)

    def enter(self) -> bool:
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

    def leave(self, inner: bool, kept: bool) -> None:
        """End a transaction of this thread. Raises UnfitError if it could not be committed."""
        opened, connection = self._exclusive[get_ident()]
        try:
            self._end(opened, connection, inner, kept)
        finally:
            if not inner:
                del self._exclusive[get_ident()]
                self._give_back(opened, connection)
        if kept and not inner and not self._is_current(opened):
            raise UnfitError(MISSING)  # it went into files that are no longer the index

    def _begin_on(
        self, opened: Opened, begin_on: Callable[[apsw.Connection], object]
    ) -> apsw.Connection:
        connection = self._take(opened)
        try:
            self._work(opened, connection, begin_on)
        except UnfitError:
            self._give_back(opened, connection)
            raise
        return connection

    def _end(self, opened: Opened, connection: apsw.Connection, inner: bool, kept: bool) -> None:
        try:
            if kept:
                kept = False
                self._work(opened, connection, keep, inner)
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

    def _take(self, opened: Opened) -> apsw.Connection:
        if opened.idle:
            return opened.idle.pop()
        try:
            return connect(self._generations.path(opened.name), self._patience_ms)
        except UnfitError as error:
            self._note(opened, error)
            raise

    def _give_back(self, opened: Opened, connection: apsw.Connection) -> None:
        opened.idle.append(connection)
        if opened is not self._opened:
            _close_idle(opened)

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


class Exclusive:
    """A block that is a transaction: committed at its end, undone if it raises."""

    __slots__ = ("_access", "_inner")

    def __init__(self, access: Access) -> None:
        self._access = access
        self._inner = False

    def __enter__(self) -> None:
        self._inner = self._access.enter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._access.leave(self._inner, kept=kind is None)


class IndexReading:
    """A block that reads one state through a view."""

    __slots__ = ("_access", "_held", "_make")

    def __init__(self, access: Access, make: Callable[[apsw.Connection], IndexView]) -> None:
        self._access = access
        self._make = make

    def __enter__(self) -> IndexView:
        self._held = self._access.begin_reading()
        return self._make(self._held[1])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._access.end_reading(*self._held, error)


def _close_idle(opened: Opened) -> None:
    while opened.idle:
        opened.idle.pop().close()
