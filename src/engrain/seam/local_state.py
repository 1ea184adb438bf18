"""The port of device-local state: what this device knows of one vault beside its index (DESIGN
section 4). It is lost with the device, and nothing but comfort is lost with it.

Glossary
--------
session     one that has ended on this device; its ordinal is its place among them, from 1 up. Order
            is told by ordinals and never by times, because clocks are set back and forth.
scope       the project of a session, "" for none. A session ages entries of its project and those
            that have none (DESIGN section 6).
hit         an entry that a session recalled, or would have if it had not had it already.
note        a small value of JSON under a name: how far a digest was read, when a job ran.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Session:
    """A session that has ended: its ordinal, project ("" for none), and when, in epoch seconds."""

    __slots__ = ("at", "ordinal", "project")

    def __init__(self, ordinal: int, project: str, at: float) -> None:
        self.ordinal = ordinal
        self.project = project
        self.at = at


class LocalState(ABC):
    """What one device knows of one vault. Methods raise StorageError."""

    @abstractmethod
    def end_session(self, session: str, project: str, at: float, hits: Iterable[str]) -> int:
        """Note that a session has ended and which entries it hit; its ordinal. One that ended
        before keeps its ordinal and gains hits."""

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
    def read_note(self, name: str) -> object:
        """The value under a name, None when there is none."""

    @abstractmethod
    def write_note(self, name: str, value: object) -> None:
        """Put a value of JSON under a name."""

    @abstractmethod
    def drop_entries(self, entries: Iterable[str]) -> None:
        """Forget what is known of some entries."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""
