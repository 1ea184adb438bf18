"""Jobs beside what is served: a thread runs those that are due, with a memory of its own, so that
no call waits for one (S1.23)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from signal import SIG_IGN, SIGTERM, signal
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any

from engrain.api.memory import Memory
from engrain.model.errors import EngrainError

SETTLING = 2.0
"""Seconds from the start of a server to the first round: its first calls go before."""
LOOK = 15.0
"""Seconds from one look for sessions to learn from to the next."""
SCAN = 60.0
"""Seconds from one scan for what other programs changed to the next; `docs/recall.md` states it."""
_REST = 20
"""So many times as long as learning or a scan took is rested behind it."""
_SWITCH = 0.0005
"""Seconds for which a job keeps the interpreter from a hook or call that is being answered. A
recall gives it up dozens of times, to SQLite; with the usual 5 ms each time it would wait for
longer than its hook."""
LAST = 1.0
"""Seconds that a server which ends takes to learn from the turn that ended just now."""
_LEAVE = 5.0
"""Seconds that it waits in all for a job to stop between two of its steps. One that takes longer
ends with it, and the next round does the rest."""
_LEARN, _CONSOLIDATE = "transcripts", "consolidate"


@contextmanager
def running_jobs(
    open_memory: Callable[[], Memory], every: float, settling: float = SETTLING, look: float = LOOK
) -> Iterator[None]:
    """Run what is due every so many seconds, for the length of a block, and between two rounds and
    at the end, where the operator agreed to it, what learns from sessions. While another process
    runs the jobs of this vault a round is left out; what fails stands in the status. What other
    devices change meanwhile is taken in at once, where a server announces it."""
    rounds = _Rounds(open_memory, every, settling, look)
    thread = Thread(target=rounds.run, name="jobs", daemon=True)
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    follower = Thread(target=rounds.follow, name="changes", daemon=True)
    thread.start()
    follower.start()
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        rounds.ending.set()
        with bearing_signals():
            thread.join(_LEAVE)
            follower.join(_LEAVE)


@contextmanager
def bearing_signals() -> Iterator[None]:
    """Bear a SIGTERM for the length of a block: some hosts send one signal after the other, and
    kill what is still there in the end."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal(SIGTERM, SIG_IGN)
    try:
        yield
    finally:
        signal(SIGTERM, before)


class _Rounds:
    def __init__(
        self, open_memory: Callable[[], Memory], every: float, settling: float, look: float
    ) -> None:
        self._open_memory = open_memory
        self._every = every
        self._settling = settling
        self._look = look
        self._next = self._scanned = 0.0
        self.ending = Event()

    def run(self) -> None:
        pause = self._settling
        while not self.ending.wait(pause):
            pause = min(self._every, self._look)
            with suppress(EngrainError, OSError), self._open_memory() as memory:
                pause = max(pause, _REST * self._do_round(memory))
        with suppress(EngrainError, OSError), self._open_memory() as memory:
            learn(memory, budget=LAST)

    def follow(self) -> None:
        """Take in what other devices change, so that no call has to wait for that."""
        while not self.ending.wait(self._settling):
            with suppress(EngrainError, OSError), self._open_memory() as memory:
                memory.follow(self.ending.is_set)
                return  # there is no one to announce changes, or the end has come
            self.ending.wait(self._look)

    def _do_round(self, memory: Memory) -> float:
        """Run what is due, or between two rounds what learns; how long that took, in seconds."""
        began = monotonic()
        if began < self._next:
            if began >= self._scanned + SCAN:
                self._scanned = began
                memory.scan()
            learn(memory, stopped=self.ending.is_set)
            return monotonic() - began
        self._next = began + self._every
        if memory.sessions.has_unlearned():
            memory.jobs.request([_LEARN])
        memory.jobs.run(stopped=self.ending.is_set)
        return 0.0


def learn(memory: Memory, **how: Any) -> None:
    """Learn from sessions, where one waits for it; `how` as `memory.jobs.run` takes it. Raises what
    that does."""
    if memory.sessions.has_unlearned():
        memory.jobs.request([_LEARN])
        memory.jobs.run([_LEARN, _CONSOLIDATE], due=True, **how)
