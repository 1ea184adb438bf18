"""The search index on SQLite: one file a generation, several threads and processes at once."""

from __future__ import annotations

from contextlib import contextmanager
from threading import local

from engrain.index import queries
from engrain.index.connection import (
    CORRUPT,
    MISSING,
    UnfitError,
    connect,
    connect_builder,
    finish_builder,
    guarded,
)
from engrain.index.generations import Generations
from engrain.index.text import match_expression, storable
from engrain.seam.search import IndexStatus, SearchIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar, TypeVarTuple

    import apsw

    from engrain.seam.clock import Clock
    from engrain.seam.locator import Locator
    from engrain.seam.search import Batch, Change, Filter, Problem, Row

    Given = TypeVarTuple("Given")
    T = TypeVar("T")

_ATTEMPTS = 8
"""So often at most a call is repeated because the generation it worked on was replaced."""


def open_index(folder: str, clock: Clock) -> SearchIndex:
    """The index in `folder`, which must be device-local; it need not exist yet."""
    return _SqliteIndex(folder, clock)


class _Opened:
    """A generation in use, with the connections nobody is using just now.

    A connection serves one call at a time; taking and giving back are atomic list operations.
    """

    __slots__ = ("idle", "name", "reason", "stamp")

    def __init__(self, name: str, stamp: tuple[int, int], reason: str) -> None:
        self.name = name
        self.stamp = stamp
        self.reason = reason  # why it can't be used; empty when it can
        self.idle: list[apsw.Connection] = []


class _Held(local):
    """The connection on which this thread holds a transaction."""

    connection: apsw.Connection | None = None


class _SqliteIndex(SearchIndex):
    def __init__(self, folder: str, clock: Clock) -> None:
        self._generations = Generations(folder)
        self._clock = clock
        self._opened: _Opened | None = None
        self._held = _Held()

    def status(self) -> IndexStatus:
        try:
            return self._ask(queries.status)
        except UnfitError as error:
            return IndexStatus(False, error.reason)

    def check(self) -> str | None:
        try:
            self._ask(queries.ping)
        except UnfitError as error:
            return error.reason
        return None

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        from engrain.index.tables import begin, commit, roll_back

        if self._held.connection is not None:
            yield
            return
        opened = self._current()
        connection = self._take(opened)
        try:
            guarded(begin, connection)
            self._held.connection = connection
            yield
            guarded(commit, connection)
        finally:
            self._held.connection = None
            guarded(roll_back, connection)
            self._give_back(opened, connection)

    def apply(self, batch: Batch) -> None:
        from engrain.index.tables import apply_batch

        # What went into a generation that was replaced meanwhile is not in the new one.
        self._run(lambda connection: apply_batch(connection, batch), settled=True)

    def rebuild(self, batches: Iterable[Batch]) -> None:
        name = guarded(self._generations.begin, self._clock.now())
        published = False
        try:
            self._build(self._generations.path(name), batches)
            guarded(self._generations.publish, name)
            published = True
        finally:
            if not published:
                self._generations.discard(name)

    def _build(self, path: str, batches: Iterable[Batch]) -> None:
        from engrain.index.tables import apply_batch, compact_texts, create_tables

        connection = guarded(connect_builder, path)
        try:
            guarded(create_tables, connection)
            for batch in batches:
                guarded(apply_batch, connection, batch)
            guarded(compact_texts, connection)
            guarded(finish_builder, connection)
        finally:
            connection.close()

    def cursors(self) -> dict[str, str]:
        return self._ask(queries.cursors)

    def stamps(self) -> Iterator[tuple[str, str, str, bool]]:
        return iter(self._ask(queries.stamps))

    def hash_at(self, locator: Locator) -> str | None:
        return self._ask(queries.hash_at, storable(locator))

    def search(self, text: str, only: Filter, limit: int) -> list[Row]:
        expression = match_expression(text)
        if expression is None or limit <= 0:
            self._current()
            return []
        return self._ask(queries.search, expression, only, limit)

    def find(self, only: Filter, limit: int | None = None) -> list[Row]:
        return self._ask(queries.find, only, limit)

    def count(self, only: Filter) -> int:
        return self._ask(queries.count, only)

    def lookup(self, reference: str) -> list[Row]:
        return self._ask(queries.lookup, storable(reference))

    def resolve(self, names: Sequence[str]) -> list[Row]:
        return self._ask(queries.resolve, [storable(name) for name in names])

    def links_from(self, locator: Locator) -> list[tuple[str, str]]:
        return self._ask(queries.links_from, storable(locator))

    def links_to(self, row: Row) -> list[tuple[Row, str]]:
        return self._ask(queries.links_to, storable(row.locator))

    def problems(self) -> list[Problem]:
        return self._ask(queries.problems)

    def duplicates(self) -> list[Row]:
        return self._ask(queries.duplicates)

    def changes(
        self,
        *,
        entry: str | None = None,
        locator: Locator | None = None,
        change: str | None = None,
        device: str | None = None,
        limit: int | None = None,
    ) -> list[Change]:
        wanted = {"entry": entry, "locator": locator, "change": change, "device": device}
        given = {column: storable(value) for column, value in wanted.items() if value is not None}
        return self._ask(queries.changes, given, limit)

    def knows_bytes(self, locator: Locator, hash_: str) -> bool:
        return self._ask(queries.knows_bytes, storable(locator), hash_)

    def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened:
            _close_idle(opened)

    def _ask(self, query: Callable[[apsw.Connection, *Given], T], *given: *Given) -> T:
        return self._run(lambda connection: query(connection, *given), settled=False)

    def _run(self, work: Callable[[apsw.Connection], T], *, settled: bool) -> T:
        """Do `work` on the generation in use, and again on the next where that one was replaced:
        after a failure, and with `settled` after a success too. Inside `exclusive` it is done
        once, on the connection that holds the transaction."""
        held = self._held.connection
        if held is not None:
            return guarded(work, held)
        for _ in range(_ATTEMPTS):
            opened = self._current()
            try:
                answer = self._work_on(opened, work)
            except UnfitError:
                if self._is_current(opened):
                    raise
            else:
                if not settled or self._is_current(opened):
                    return answer
        raise UnfitError("being rebuilt again and again")

    def _work_on(self, opened: _Opened, work: Callable[[apsw.Connection], T]) -> T:
        connection = None
        try:
            connection = self._take(opened)
            return guarded(work, connection)
        except UnfitError as error:
            if error.reason == CORRUPT:
                opened.reason = CORRUPT
                self._generations.mark_bad(opened.name)
            raise
        finally:
            if connection:
                self._give_back(opened, connection)

    def _take(self, opened: _Opened) -> apsw.Connection:
        try:
            return opened.idle.pop()
        except IndexError:
            return connect(self._path(opened))

    def _give_back(self, opened: _Opened, connection: apsw.Connection) -> None:
        opened.idle.append(connection)
        if opened is not self._opened:
            _close_idle(opened)

    def _current(self) -> _Opened:
        """The generation in use, opened anew when the pointer was moved since.

        Two threads may both open it: the connections of one are closed once they are given back.
        """
        opened, stamp = self._opened, guarded(self._generations.stamp)
        if opened is None or opened.stamp != stamp:
            self.close()
            name = guarded(self._generations.current)
            if stamp is None or name is None:
                raise UnfitError(MISSING)
            reason = CORRUPT if self._generations.is_bad(name) else ""
            opened = self._opened = _Opened(name, stamp, reason)
        if opened.reason:
            raise UnfitError(opened.reason)
        return opened

    def _is_current(self, opened: _Opened) -> bool:
        return guarded(self._generations.stamp) == opened.stamp

    def _path(self, opened: _Opened) -> str:
        return self._generations.path(opened.name)


def _close_idle(opened: _Opened) -> None:
    while opened.idle:
        opened.idle.pop().close()
