"""Run due jobs beside a server, in a process of low priority, so that no call waits for them
(S1.23)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from signal import SIG_IGN, SIGTERM, signal
from threading import Event, Thread, current_thread, main_thread
from time import monotonic

from engrain.api.memory import Memory
from engrain.model.errors import EngrainError
from engrain.resolution.jobs_process import REST, JobsProcess

SETTLING = 2.0
"""Seconds from the start of a server to the first round, so that its first calls come first."""
LOOK = 15.0
"""Seconds between two looks for sessions to learn from."""
SCAN = 60.0
"""Seconds between two scans for changes by other programs; `docs/recall.md` states it."""
_LEAVE = 5.0
"""Seconds that an ending server waits for a look that has begun."""
_LEARN, _CONSOLIDATE = "transcripts", "consolidate"


@contextmanager
def running_jobs(
    open_memory: Callable[[], Memory],
    process: JobsProcess,
    every: float,
    settling: float = SETTLING,
    look: float = LOOK,
) -> Iterator[None]:
    """Run due jobs every so many seconds while the block runs. Between two rounds and at the end,
    learn from sessions if the operator agreed to it. A round is skipped while another process runs
    the jobs of this vault; failures are in the status."""
    with _running(_Rounds(open_memory, process, every, settling, look).run):
        yield


@contextmanager
def following_changes(
    open_memory: Callable[[], Memory], settling: float = SETTLING
) -> Iterator[None]:
    """Take in changes of other devices at once while the block runs, if a server announces them, so
    that no call has to wait for it."""

    def follow(ending: Event) -> None:
        while not ending.wait(settling):
            with suppress(EngrainError, OSError), open_memory() as memory:
                memory.follow(ending.is_set)
                return  # no server announces changes, or this server ends
            ending.wait(LOOK)

    with _running(follow):
        yield


@contextmanager
def _running(work: Callable[[Event], None]) -> Iterator[None]:
    ending = Event()
    thread = Thread(target=work, args=(ending,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        with bearing_signals():
            thread.join(_LEAVE)


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
        process: JobsProcess,
        every: float,
        settling: float,
        look: float,
    ) -> None:
        self._open_memory = open_memory
        self._process = process
        self._every = every
        self._settling = settling
        self._look = look
        self._next = self._scanned = 0.0

    def run(self, ending: Event) -> None:
        pause = self._settling
        while not ending.wait(pause):
            began = monotonic()
            with suppress(EngrainError, OSError), self._open_memory() as memory:
                self._do_round(memory)
            pause = max(min(self._every, self._look), REST * (monotonic() - began))
        with suppress(EngrainError, OSError), self._open_memory() as memory:
            learn(memory, self._process)

    def _do_round(self, memory: Memory) -> None:
        """Run due jobs; between two rounds scan and learn."""
        if self._process.is_resting():
            return
        began = monotonic()
        if began >= self._next:
            self._next = began + self._every
            if memory.sessions.has_unlearned():
                memory.jobs.request([_LEARN])
            if any(job.due for job in memory.jobs.status()):
                self._process.start()
            return
        if began >= self._scanned + SCAN:
            self._scanned = began
            memory.scan()
        learn(memory, self._process)


def learn(memory: Memory, process: JobsProcess) -> None:
    """Have `process` learn from sessions if there are new ones. Raises EngrainError, OSError."""
    if memory.sessions.has_unlearned():
        memory.jobs.request([_LEARN])
        process.start(_LEARN, _CONSOLIDATE)
