"""Jobs beside what is served: a thread runs those that are due, with a memory of its own, so that
no call waits for one (S1.23)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from engrain.api.memory import Memory
from engrain.model.errors import EngrainError

SETTLING = 5.0
"""Seconds from the start of a server to the first round: its first calls go before."""
_LEAVE = 5.0
"""Seconds that a server which ends waits for a job to stop between two of its steps. One that takes
longer ends with it, and the next round does the rest."""


@contextmanager
def running_jobs(
    open_memory: Callable[[], Memory], every: float, settling: float = SETTLING
) -> Iterator[None]:
    """Run what is due every so many seconds, for the length of a block. While another process runs
    the jobs of this vault a round is left out; what fails stands in the status."""
    ending = Event()

    def look_after() -> None:
        pause = settling
        while not ending.wait(pause):
            with suppress(EngrainError, OSError), open_memory() as memory:
                memory.jobs.run(stopped=ending.is_set)
            pause = every

    thread = Thread(target=look_after, name="jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(_LEAVE)
