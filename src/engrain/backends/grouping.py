"""Commits of several threads of one process, made together under one hold of the write lock.

Each thread brings a request. The first to come leads: it waits for the lock, and by the time it has
it others may have come, whose requests it commits along with its own. Flushing the history and the
folders, which takes most of the time, is then done once for all of them. A thread returns when its
own request has been committed or refused; the next one that has come meanwhile leads.
"""

from __future__ import annotations

import time
from _thread import allocate_lock  # threading would cost a cold process its import

from engrain.model.history.record import MOST_TOGETHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from engrain.model.errors import EngrainError
    from engrain.model.history.record import Record
    from engrain.seam.storage import ChangeSet

Lead: TypeAlias = "Callable[['Request', Callable[[], 'Sequence[Request]']], None]"
"""Takes the write lock for a request, calls back for what is to be committed, and settles it.
Raises what kept it from taking the lock."""

_MOST_BYTES = 256 * 1024


class Request:
    """A change that a thread wants committed, and in the end its record, or why it was refused."""

    __slots__ = ("_settled", "change", "error", "leads", "record", "since")

    def __init__(self, change: ChangeSet) -> None:
        self.change = change
        self.record: Record | None = None
        self.error: EngrainError | None = None
        self.leads = False
        self.since = time.monotonic()
        self._settled = allocate_lock()
        self._settled.acquire()

    @property
    def open(self) -> bool:
        """Whether it is neither committed nor refused yet."""
        return self.record is None and self.error is None

    def outcome(self) -> Record:
        """Its record. Raises what it was refused with."""
        if self.record is None:
            raise self.refused()
        return self.record

    def refused(self) -> EngrainError:
        """What it was refused with."""
        assert self.error is not None, "a request was left open"
        return self.error

    def wait(self) -> None:
        """Wait until it is committed or refused, or its thread has to lead."""
        self._settled.acquire()

    def wake(self) -> None:
        """End the `wait`."""
        self._settled.release()


class Commits:
    """What the threads of this process want committed to one store."""

    def __init__(self) -> None:
        self._guard = allocate_lock()
        self._waiting: list[Request] = []
        self._taken: list[Request] = []
        self._led = False

    def make(self, request: Request, lead: Lead) -> None:
        """Have a request committed or refused, by this thread or another. Raises what kept this
        thread from the lock."""
        with self._guard:
            self._waiting.append(request)
            request.leads, self._led = not self._led, True
        try:
            if not request.leads:
                request.wait()
            if request.leads:
                lead(request, self._take)
        finally:
            self._leave(request)

    def _take(self) -> Sequence[Request]:
        """Those that came first and can be committed together: no two write to one place."""
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

    def _leave(self, request: Request) -> None:
        """Let those go on that wait for this thread, however it ends."""
        with self._guard:
            if request in self._waiting:
                self._waiting.remove(request)
            if not request.leads:
                return
            taken, self._taken = self._taken, []
            others = [one for one in taken if one is not request]
            for one in others:
                if not one.open:
                    one.wake()
            # What an interrupted leader left open was not committed: the next one does it.
            self._waiting[:0] = [one for one in others if one.open]
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].wake()
            else:
                self._led = False
