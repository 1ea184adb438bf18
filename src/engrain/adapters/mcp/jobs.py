"""Run due jobs beside a server, in a thread with its own memory, so that no call waits for them
(S1.23)."""

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
"""Seconds from the start of a server to the first round, so that its first calls come first."""
LOOK = 15.0
"""Seconds between two looks for sessions to learn from."""
SCAN = 60.0
"""Seconds between two scans for changes by other programs; `docs/recall.md` states it."""
_REST = 20
"""The pause after learning or a scan, as a multiple of its duration."""
_SWITCH = 0.0005
"""Seconds for which a job may keep the interpreter from a hook or call. A recall releases it dozens
of times, in SQLite; with the default of 5 ms each time, hooks would be late."""
_PAUSE = 0.002
"""Seconds between two looks whether hooks are still being answered."""
_LONGEST_PAUSE = 2.0
"""Seconds that a step of a job waits for hooks at most: hooks that come all the time must not stop
the jobs."""
LAST = 1.0
"""Seconds in which an ending server learns from the turn that has just ended."""
_LEAVE = 5.0
"""Seconds that an ending server waits for a job to stop between two steps. A slower job is cut off,
and the next round does the rest."""
_LEARN, _CONSOLIDATE = "transcripts", "consolidate"


@contextmanager
def running_jobs(
    open_memory: Callable[[], Memory],
    every: float,
    settling: float = SETTLING,
    look: float = LOOK,
    is_busy: Callable[[], bool] = lambda: False,
) -> Iterator[None]:
    """Run due jobs every so many seconds while the block runs. Between two rounds and at the end,
    learn from sessions if the operator agreed to it. A round is skipped while another process runs
    the jobs of this vault; failures are in the status. Changes of other devices are taken in at
    once if a server announces them. Before each step a job waits while the server `is_busy`."""
    rounds = _Rounds(open_memory, every, settling, look, is_busy)
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
    """Ignore SIGTERM while the block runs: some hosts send one signal after the other, and finally
    kill the process."""
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
        self,
        open_memory: Callable[[], Memory],
        every: float,
        settling: float,
        look: float,
        is_busy: Callable[[], bool],
    ) -> None:
        self._open_memory = open_memory
        self._every = every
        self._settling = settling
        self._look = look
        self._is_busy = is_busy
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
        """Take in changes of other devices, so that no call has to wait for it."""
        while not self.ending.wait(self._settling):
            with suppress(EngrainError, OSError), self._open_memory() as memory:
                memory.follow(self.ending.is_set)
                return  # no server announces changes, or this server ends
            self.ending.wait(self._look)

    def _do_round(self, memory: Memory) -> float:
        """Run due jobs, or learn between two rounds. Return the seconds that learning took."""
        began = monotonic()
        if began < self._next:
            if began >= self._scanned + SCAN:
                self._scanned = began
                memory.scan()
            learn(memory, stopped=self._give_way)
            return monotonic() - began
        self._next = began + self._every
        if memory.sessions.has_unlearned():
            memory.jobs.request([_LEARN])
        memory.jobs.run(stopped=self._give_way)
        return 0.0

    def _give_way(self) -> bool:
        """Wait while the server is busy, as both would share one processor; return whether it
        ends."""
        until = monotonic() + _LONGEST_PAUSE
        while self._is_busy() and monotonic() < until and not self.ending.wait(_PAUSE):
            pass
        return self.ending.is_set()


def learn(memory: Memory, **how: Any) -> None:
    """Learn from sessions if there are new ones; `how` is passed to `memory.jobs.run`. Raises the
    errors of that."""
    if memory.sessions.has_unlearned():
        memory.jobs.request([_LEARN])
        memory.jobs.run([_LEARN, _CONSOLIDATE], due=True, **how)
