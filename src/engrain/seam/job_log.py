"""The port of what this device knows of its jobs: who runs them, how each went last, and a log
(S1.23, S4.10). It is lost with the device, and then every job is due once.

Glossary
--------
claim       the right to run the jobs of one vault on this device: one runner has it at a time, and
            it ends with its holder, however that dies.
status      how each job went last; written before it starts too, so that one who finds it RUNNING
            under no claim knows that it was interrupted.
log         what each run did, a line a job; the oldest lines go.
request     that somebody asked for a job, which makes it due until it starts; of a name that no job
            has, it stays until one has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

OK = "ok"
FAILED = "failed"
UNFINISHED = "unfinished"
"""Its time ran out: the next round does the rest."""
INTERRUPTED = "interrupted"
"""Its process was ended in the middle of it: the next round does the rest."""
RUNNING = "running"


@dataclass(slots=True, eq=False)
class JobStatus:
    """How a job went last: times in epoch seconds, `ended` None until it has; how many of what;
    the error, "" for none; `due`, when it is due next."""

    started: float
    ended: float | None
    outcome: str
    due: float
    counts: Mapping[str, int] = field(default_factory=dict)
    error: str = ""


@dataclass(slots=True, eq=False)
class JobEvent:
    """One run of a job in the log: when it ended, how it went in how many seconds, and a line for
    each thing it did, by id and never with text of an entry."""

    at: float
    job: str
    outcome: str
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    error: str = ""


class JobLog(ABC):
    """What one device knows of the jobs of one vault. Methods raise StorageError, but for those
    that read: what can't be read is as if it were not there."""

    @abstractmethod
    def claim(self) -> AbstractContextManager[object]:
        """Hold the claim for the length of a block; two threads exclude each other like two
        processes. On entering raises LockedError, naming the holder."""

    @abstractmethod
    def holder(self) -> int | None:
        """The process id of who has the claim, 0 if that is not known, None when nobody has."""

    @abstractmethod
    def read_status(self) -> dict[str, JobStatus]:
        """The status of each job that ever started."""

    @abstractmethod
    def write_status(self, status: Mapping[str, JobStatus]) -> None:
        """Put this in the place of every job's status. Only for who has the claim."""

    @abstractmethod
    def request(self, name: str, at: float) -> None:
        """Note that a job was asked for at a moment; again is the same. Anyone may, at any time.
        The name is one of lower-case letters, digits and hyphens."""

    @abstractmethod
    def requests(self) -> dict[str, float]:
        """What was asked for and has not started since, and when it was asked for last."""

    @abstractmethod
    def drop_request(self, name: str) -> None:
        """A job starts: it is no longer asked for. Only for who has the claim."""

    @abstractmethod
    def append(self, event: JobEvent) -> None:
        """Add a run to the log. Only for who has the claim."""

    @abstractmethod
    def read_log(self, limit: int) -> Sequence[JobEvent]:
        """The latest runs, oldest first, at most so many."""
