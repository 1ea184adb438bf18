"""The port of device-local state: what this device knows of one vault beside its index (DESIGN
section 4). It is lost with the device, and nothing but comfort is lost with it.

Glossary
--------
session     one that has ended on this device; its ordinal is its place among them, from 1 up. Order
            goes by ordinals and never by times, because clocks are set back and forth.
scope       the project of a session, "" for none. A session ages entries of its project and those
            that have none (DESIGN section 6).
hit         an entry that a session recalled, or would have if it had not had it already.
co-recall   two entries that one session hit.
use         an entry that a session did not only recall but use: it was read by its id, or built on.
signal      how one task went, as somebody judged it: its outcome, its efficiency, or whether the
            person liked it, as a number (S2.12).
spend       what one question to a language model took and gave, in tokens, and what it was for.
note        a small value of JSON under a name: how far a digest was read, when a job ran.
cursor      how far a consumer read one file of a source, as a value of JSON; the turns it read are
            digests of what it read of one conversation, in whichever file that stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import BinaryIO


class Session(Struct):
    """A session that has ended: its ordinal, project ("" for none), and when, in epoch seconds."""

    ordinal: int
    project: str
    at: float


class CoRecall(Struct):
    """How often two entries were recalled together: in how many `sessions`, and by what `weight`,
    to which a session gives the less the more it recalled."""

    entry: str
    other: str
    weight: float
    sessions: int


class Signal(Struct):
    """One judgement of a task: `kind` is one of `model.metrics.SIGNALS`, `value` from -1 to 1, `at`
    in epoch seconds."""

    task: str
    kind: str
    value: float
    at: float
    note: str = ""


class Spend(Struct):
    """One question to a language model: its purpose, the model, the tokens it took and gave, and
    when, in epoch seconds."""

    purpose: str
    model: str
    taken: int
    given: int
    at: float


class Count(Struct):
    """What an ended session adds to the counters of an entry, which its note does not say yet: how
    often it came, whether it was used, and when last (epoch seconds). `session` names the session,
    or the part of one that is resumed."""

    session: str
    entry: str
    times: int
    used: bool
    at: float


class LocalState(ABC):
    """What one device knows of one vault. Methods raise StorageError."""

    @abstractmethod
    def end_session(
        self, session: str, project: str, at: float, hits: Iterable[str], used: Iterable[str] = ()
    ) -> int:
        """Note that a session has ended, which entries it hit and which of those it used; its
        ordinal. One that ended before keeps its ordinal and gains hits and uses."""

    @abstractmethod
    def add_counts(self, counts: Iterable[Count]) -> None:
        """Keep what sessions add to counters until notes say it; one that is kept stays."""

    @abstractmethod
    def counts(self) -> Sequence[Count]:
        """What sessions add to counters and no note says yet, by entry and time."""

    @abstractmethod
    def drop_counts(self, counts: Iterable[Count]) -> None:
        """Forget what notes say by now."""

    @abstractmethod
    def sessions(self) -> Sequence[Session]:
        """Every session, in order."""

    @abstractmethod
    def touch(self, entries: Iterable[str]) -> None:
        """Count some entries as recalled by the latest session, without a hit: somebody took them
        back, or wants them kept."""

    @abstractmethod
    def last_recalls(self) -> Mapping[str, int]:
        """For each entry that was hit or touched here, the ordinal of the latest session."""

    @abstractmethod
    def hits_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        """For each entry the ordinals behind `ordinal` of the sessions that hit it."""

    @abstractmethod
    def uses_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        """For each entry the ordinals behind `ordinal` of the sessions that used it."""

    @abstractmethod
    def last_uses(self, projects: Sequence[str], most: int) -> Sequence[str]:
        """The entries that sessions of some projects used, the latest session's first, ties by id,
        at most `most`."""

    @abstractmethod
    def recalled_with(self, entry: str, most: int) -> Sequence[CoRecall]:
        """The entries recalled in one session with `entry`, at most `most`, those with the greatest
        weight first, ties by id. A session that recalled very many says of no two that they belong
        together."""

    @abstractmethod
    def add_signal(self, signal: Signal) -> None:
        """Keep a judgement of a task; a later one of the same kind does not replace it."""

    @abstractmethod
    def signals_since(self, at: float) -> Sequence[Signal]:
        """The judgements from `at` on, in the order in which they were added."""

    @abstractmethod
    def add_spend(self, spend: Spend) -> int:
        """Keep what a question costs, or may cost while it is asked; its number."""

    @abstractmethod
    def correct_spend(self, number: int, taken: int, given: int) -> None:
        """Put what a question did cost under the number it was kept by; what cost nothing was never
        asked."""

    @abstractmethod
    def spent_since(self, at: float) -> Sequence[Spend]:
        """What was spent from `at` on, in the order in which it was added."""

    @abstractmethod
    def read_note(self, name: str) -> object:
        """The value under a name, None when there is none."""

    @abstractmethod
    def write_note(self, name: str, value: object) -> None:
        """Put a value of JSON under a name."""

    @abstractmethod
    def cursors(self, consumer: str, source: str) -> Mapping[str, object]:
        """The cursors of a consumer in a source, by file."""

    @abstractmethod
    def write_cursor(self, consumer: str, source: str, file: str, value: object) -> None:
        """Keep how far a consumer read a file."""

    @abstractmethod
    def drop_cursors(self, source: str) -> None:
        """Forget how far anybody read a source."""

    @abstractmethod
    def turns_read(self, consumer: str, conversation: str) -> bytes:
        """The digests of the turns that a consumer read of a conversation, joined."""

    @abstractmethod
    def add_turns_read(self, consumer: str, conversation: str, digests: bytes) -> None:
        """Keep that a consumer read some turns of a conversation too, by their digests, joined."""

    @abstractmethod
    def drop_entries(self, entries: Iterable[str]) -> None:
        """Forget what is known of some entries, what was judged under their ids, and the notes
        whose names begin with `found.`, which may name them."""

    @abstractmethod
    def open_scratch(self) -> BinaryIO:
        """An empty file that nobody else can open, for what takes too much memory; it is gone once
        it is closed."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""


OK = "ok"
FAILED = "failed"
UNFINISHED = "unfinished"
"""Its time ran out: the next round does the rest."""
INTERRUPTED = "interrupted"
"""Its process was ended in the middle of it: the next round does the rest."""
RUNNING = "running"


class JobStatus(Struct):
    """How a job went last: times in epoch seconds, `ended` None until it has; how many of what;
    the error, "" for none; `due`, when it is due next."""

    started: float
    ended: float | None
    outcome: str
    due: float
    counts: Mapping[str, int] = {}
    error: str = ""


class JobEvent(Struct):
    """One run of a job in the log: when it ended, how it went in how many seconds, and a line for
    each thing it did, by id and never with text of an entry."""

    at: float
    job: str
    outcome: str
    seconds: float = 0.0
    counts: Mapping[str, int] = {}
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
