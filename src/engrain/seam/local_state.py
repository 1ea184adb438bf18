"""The port to what this device knows of one vault beside its index (DESIGN section 4). If it is
lost, ages and heat begin anew.

Glossary
--------
session     a session that has ended on this device; its ordinal counts them from 1. The order is
            by ordinals, never by times, because clocks are set back and forth.
scope       the project of a session, "" for none. A session ages entries of its project and those
            without one (DESIGN section 6).
hit         an entry that a session recalled, or would have recalled if it had not had it already.
use         an entry that a session used: it was read by its id, or built on.
spend       the tokens of one question to a language model, and its purpose.
note        a small JSON value under a name: how far a digest was read, when a job ran.
cursor      how far a consumer read one file of a source, as a JSON value. The turns that it read of
            a conversation are kept as digests, whichever file they are in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(slots=True)
class Session:
    """A session that has ended: its ordinal, project ("" for none), and end (epoch seconds)."""

    ordinal: int
    project: str
    at: float


@dataclass(slots=True)
class Spend:
    """One question to a language model: its purpose, the model, its input and output tokens, and
    its time (epoch seconds)."""

    purpose: str
    model: str
    taken: int
    given: int
    at: float


@dataclass(slots=True)
class Count:
    """The additions of an ended session to the counters of an entry that its note lacks: how often
    it was recalled, whether it was used, and when last (epoch seconds). `session` names the
    session, or one part of a resumed session."""

    session: str
    entry: str
    times: int
    used: bool
    at: float


class LocalState(ABC):
    """The knowledge of one device about one vault. Methods raise StorageError."""

    @abstractmethod
    def end_session(
        self, session: str, project: str, at: float, hits: Iterable[str], used: Iterable[str] = ()
    ) -> int:
        """Record that a session has ended, with the entries that it hit and used, and return its
        ordinal. A session that ended before keeps its ordinal and gains hits and uses."""

    @abstractmethod
    def add_counts(self, counts: Iterable[Count]) -> None:
        """Store additions to counters until they are in the notes; stored ones stay."""

    @abstractmethod
    def counts(self) -> Sequence[Count]:
        """Return the additions to counters that are in no note yet, by entry and time."""

    @abstractmethod
    def drop_counts(self, counts: Iterable[Count]) -> None:
        """Remove additions that are in the notes by now."""

    @abstractmethod
    def sessions(self) -> Sequence[Session]:
        """Return every session, in order."""

    @abstractmethod
    def touch(self, entries: Iterable[str]) -> None:
        """Count entries as recalled by the latest session, without a hit: somebody restored them,
        or wants to keep them."""

    @abstractmethod
    def last_recalls(self) -> Mapping[str, int]:
        """Return for each entry that was hit or touched the ordinal of the latest session."""

    @abstractmethod
    def hits_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        """Return for each entry the ordinals after `ordinal` of the sessions that hit it."""

    @abstractmethod
    def uses_since(self, ordinal: int) -> Mapping[str, Sequence[int]]:
        """Return for each entry the ordinals after `ordinal` of the sessions that used it."""

    @abstractmethod
    def last_uses(self, projects: Sequence[str], most: int) -> Sequence[str]:
        """Return at most `most` entries that sessions of some projects used, those of the latest
        session first, ties by id."""

    @abstractmethod
    def add_spend(self, spend: Spend) -> int:
        """Store what a question costs, or may cost while it is asked, and return a number for
        it."""

    @abstractmethod
    def correct_spend(self, number: int, taken: int, given: int) -> None:
        """Store what the question with this number did cost; without tokens it was never asked."""

    @abstractmethod
    def spent_since(self, at: float) -> Sequence[Spend]:
        """Return what was spent from `at` on, in the order in which it was added."""

    @abstractmethod
    def read_note(self, name: str) -> object:
        """Return the value under a name, None for none."""

    @abstractmethod
    def write_note(self, name: str, value: object) -> None:
        """Store a JSON value under a name."""

    @abstractmethod
    def cursors(self, consumer: str, source: str) -> Mapping[str, object]:
        """Return the cursors of a consumer in a source, by file."""

    @abstractmethod
    def write_cursor(self, consumer: str, source: str, file: str, value: object) -> None:
        """Store how far a consumer read a file."""

    @abstractmethod
    def drop_cursors(self, source: str) -> None:
        """Remove all cursors in a source."""

    @abstractmethod
    def turns_read(self, consumer: str, conversation: str) -> bytes:
        """Return the joined digests of the turns that a consumer read of a conversation."""

    @abstractmethod
    def add_turns_read(self, consumer: str, conversation: str, digests: bytes) -> None:
        """Add the joined digests of turns that a consumer read of a conversation."""

    @abstractmethod
    def drop_entries(self, entries: Iterable[str]) -> None:
        """Remove everything about some entries."""

    @abstractmethod
    def open_scratch(self) -> BinaryIO:
        """Return an empty file for data that takes too much memory. Nobody else can open it, and
        closing removes it."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""
