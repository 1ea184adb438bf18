"""Commits the changes of several threads of one process together, under one hold of the write lock.

Each thread brings a request. The first one leads: it waits for the lock, and commits together with
its own request those that have come meanwhile. So the history and the folders are flushed once for
all of them, and flushing takes most of the time. A thread returns when its request was committed
or refused; then the first thread that is still waiting leads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from engrain.model.history.line import MOST_TOGETHER

if TYPE_CHECKING:
    from engrain.model.errors import EngrainError
    from engrain.model.history.record import Record
    from engrain.seam.changes import ChangeSet


Lead: TypeAlias = "Callable[['CommitRequest', Callable[[], 'Sequence[CommitRequest]']], None]"
"""Takes the write lock for a request, calls back for the requests to commit, and settles each of
them. Raises an error if it does not get the lock."""

_MOST_BYTES = 256 * 1024


class CommitRequest:
    """A change that a thread wants to commit; later its record, or the error that refused it."""

    __slots__ = ("_settled", "change", "error", "leads", "record", "since")

    def __init__(self, change: ChangeSet) -> None:
        self.change = change
        self.record: Record | None = None
        self.error: EngrainError | None = None
        self.leads = False
        self.since = time.monotonic()
        self._settled = Lock()
        self._settled.acquire()

    @property
    def open(self) -> bool:
        """Whether the request is neither committed nor refused yet."""
        return self.record is None and self.error is None

    def outcome(self) -> Record:
        """Return the record. Raises the error with which the request was refused."""
        if self.record is None:
            raise self.refused()
        return self.record

    def refused(self) -> EngrainError:
        """Return the error with which the request was refused."""
        assert self.error is not None, "a request was left open"
        return self.error

    def wait(self) -> None:
        """Wait until the request is committed or refused, or its thread must lead."""
        self._settled.acquire()

    def notify(self) -> None:
        """End `wait` in the request's thread."""
        self._settled.release()


class Commits:
    """The requests of this process's threads to commit to one store."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._guard = Lock()
        self._waiting: list[CommitRequest] = []
        self._taken: list[CommitRequest] = []
        self._led = False

    def make(self, request: CommitRequest, lead: Lead) -> None:
        """Commit or refuse a request, in this thread or another. Raises the error that kept this
        thread from the lock."""
        if self._process != os.getpid():
            self._begin()  # the threads that wait and lead are not in a forked child
        with self._guard:
            self._waiting.append(request)
            request.leads, self._led = not self._led, True
        try:
            if not request.leads:
                request.wait()
            if request.leads:
                lead(request, self._pick_batch)
        finally:
            self._finish(request)

    def _pick_batch(self) -> Sequence[CommitRequest]:
        """Take the first requests that can be committed together: no two write to one place."""
        places: set[str] = set()
        size = 0
        with self._guard:
            for request in self._waiting[:MOST_TOGETHER]:
                writes = request.change.writes
                size += sum(len(write.after or b"") for write in writes)
                wanted = {write.locator for write in writes}
                if self._taken and (size > _MOST_BYTES or places & wanted):
                    break
                places |= wanted
                self._taken.append(request)
            del self._waiting[: len(self._taken)]
            return tuple(self._taken)

    def _finish(self, request: CommitRequest) -> None:
        """Wake the threads that wait for this one, however it ends."""
        with self._guard:
            if request in self._waiting:
                self._waiting.remove(request)
            if not request.leads:
                return
            taken, self._taken = self._taken, []
            others = [one for one in taken if one is not request]
            for one in others:
                if not one.open:
                    one.notify()
            # An interrupted leader did not commit what it left open: the next leader does.
            self._waiting[:0] = [one for one in others if one.open]
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].notify()
            else:
                self._led = False
