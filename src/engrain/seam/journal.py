"""The ports to two kinds of journals on this device: what happened in each session (S1.20), and
episodes while they are being recorded (S2.2).

Glossary
--------
session     one conversation of an agent, by the id that its host gives it. It is open until it is
            closed, and closed until it is settled, when its results have been stored. The next
            event opens it again.
current     the session that is meant if none is named.
event       one thing that happened in a session: its name, when, and what belongs to it; in a
            recording an object of JSON.
recording   the journal of one episode. Whoever began or claimed it holds it until they release or
            discard it, and nobody else gets it meanwhile; a process that dies holds nothing.

Journals are device-local: they lie outside the vault, a recording until it is filed, and are lost
with the device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

PROBE = "doctor-"
"""The prefix of sessions that only try the hooks: nothing is noted of them."""


@dataclass(slots=True)
class Event:
    """One event; its `details` are texts, numbers, or lists of texts."""

    name: str
    at: float
    details: Mapping[str, object] = field(default_factory=dict)


class SessionJournal(ABC):
    """The journals of one vault's sessions. Methods raise StorageError."""

    @abstractmethod
    def append(self, session: str, *events: Event) -> None:
        """Append events to a session's journal, all or none. Only a power cut can lose them."""

    @abstractmethod
    def read(self, session: str, telling: str = "") -> list[Event]:
        """Return the events of a session, in order, or only those that contain an id (`telling`);
        none for an unknown session. Unreadable parts of a journal are skipped."""

    @abstractmethod
    def close(self, session: str) -> None:
        """Close a session if it is open. Its journal stays."""

    @abstractmethod
    def name_of(self, session: str) -> str:
        """Return the name under which a session is listed, which can be used like its id."""

    @abstractmethod
    def closed(self) -> Sequence[str]:
        """Return the sessions that are closed and not settled, in the order of closing."""

    @abstractmethod
    def ended(self) -> Mapping[str, float]:
        """Return the closed sessions, settled or not, with the time of the last event by the
        journal's own clock, the oldest first."""

    @abstractmethod
    def settle(self, session: str) -> None:
        """Settle a session if it is closed. Its journal stays."""

    @abstractmethod
    def drop_settled(self, before: float) -> int:
        """Remove the journals of settled sessions without events since `before`, and return their
        number."""

    @abstractmethod
    def forget(self, tells: Callable[[str], bool]) -> None:
        """Empty every text, in every journal, for which `tells` is true. The events stay."""

    @abstractmethod
    def current(self) -> str:
        """Return the current session, "" for none."""

    @abstractmethod
    def set_current(self, session: str) -> None:
        """Make a session the current one; "" for none."""

    @abstractmethod
    def idle_since(self, before: float) -> Sequence[str]:
        """Return the open sessions without events since `before`, in time linear in the number of
        open sessions."""


_LONGEST = 80
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


def name_file(session: str) -> str:
    """Return a file name for a session: its id if that is a plain name, else a digest, since hosts
    choose the ids."""
    if 0 < len(session) <= _LONGEST and _SAFE.issuperset(session):
        return session
    return blake2b(session.encode(errors="surrogatepass"), digest_size=16).hexdigest()


class Recording(ABC):
    """The journal of one episode, held by the caller. Methods raise StorageError."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def append(self, event: Mapping[str, Any]) -> None:
        """Append an event, as a whole or not at all, from any thread. Only a power cut can lose
        it."""

    @abstractmethod
    def events(self) -> Iterator[Mapping[str, Any]]:
        """Yield the events so far, in order. Unreadable ones are skipped."""

    @abstractmethod
    def release(self) -> None:
        """Release it, so that others can claim it. Releasing twice does no harm."""

    @abstractmethod
    def discard(self) -> None:
        """Remove it for good, and release it."""


class EpisodeJournal(ABC):
    """The recordings of one vault's episodes. Methods raise StorageError."""

    @abstractmethod
    def begin(self, name: str, event: Mapping[str, Any]) -> Recording:
        """Create a recording with this name, an id made on this device, and its first event, both
        or neither."""

    @abstractmethod
    def claim_left(self) -> Iterator[Recording]:
        """Yield the recordings that nobody holds; the caller holds each from then on. Two callers
        at once never get the same one."""
