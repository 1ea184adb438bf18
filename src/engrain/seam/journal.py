"""The ports to two kinds of journals on this device: what happened in each session (S1.20), and
episodes while they are being recorded (S2.2).

Glossary
--------
session     one conversation of an agent, by the id its host gives it. It is open until closed,
            and closed until settled: until what it leaves was put where it belongs. The next event
            in it opens it again.
current     the session that is meant where none is named, if somebody began one so.
event       one thing that happened in a session: its name, when, and what belongs to it; in a
            recording an object of JSON.
recording   the journal of one episode. Whoever began or claimed it holds it until they release or
            discard it, and nobody else gets it meanwhile; a process that dies holds nothing.

Journals are device-local: they lie outside the vault, a recording until it is filed, and are lost
with the device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any


class Event(Struct):
    """One event; `details` are texts, numbers, or lists of texts."""

    name: str
    at: float
    details: Mapping[str, object] = {}


class SessionJournal(ABC):
    """The journals of one vault's sessions. Methods raise StorageError."""

    @abstractmethod
    def append(self, session: str, *events: Event) -> None:
        """Add events at the end of a session's journal, all of them or none. They may be lost
        with the power, and with nothing less."""

    @abstractmethod
    def read(self, session: str, telling: str = "") -> list[Event]:
        """The events of a session, open or closed, in order, or those alone in which an id stands;
        none of one that is not known. What can't be read of a journal is passed over."""

    @abstractmethod
    def close(self, session: str) -> None:
        """Close a session, if it is open. Its journal stays."""

    @abstractmethod
    def name_of(self, session: str) -> str:
        """The name under which a session is listed; it means the same session as its id."""

    @abstractmethod
    def closed(self) -> Sequence[str]:
        """The sessions that are closed and not settled, the one closed first before the others."""

    @abstractmethod
    def ended(self) -> Mapping[str, float]:
        """The sessions that are closed, settled or not, and when something last happened in each,
        by the clock of whoever keeps them; the longest ago first."""

    @abstractmethod
    def settle(self, session: str) -> None:
        """Settle a session, if it is closed. Its journal stays."""

    @abstractmethod
    def drop_settled(self, before: float) -> int:
        """Remove the journals of sessions that were settled and in which nothing has happened
        since `before`; how many."""

    @abstractmethod
    def forget(self, tells: Callable[[str], bool]) -> None:
        """Empty every text, in every journal, that `tells` of something. The events stay."""

    @abstractmethod
    def current(self) -> str:
        """The current session, "" for none."""

    @abstractmethod
    def set_current(self, session: str) -> None:
        """Make a session the current one; "" for none."""

    @abstractmethod
    def idle_since(self, before: float) -> Sequence[str]:
        """The open sessions in which nothing has happened since `before`. It takes as long as
        there are open ones."""


_LONGEST = 80
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


def name_file(session: str) -> str:
    """Return the id of a session where it is a plain name, else a digest of it: hosts choose their
    ids, and a file shall be called by it."""
    if 0 < len(session) <= _LONGEST and _SAFE.issuperset(session):
        return session
    from _blake2 import blake2b

    return blake2b(session.encode(errors="surrogatepass"), digest_size=16).hexdigest()


class Recording(ABC):
    """The journal of one episode, held. Methods raise StorageError."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def append(self, event: Mapping[str, Any]) -> None:
        """Add an event at the end, all of it or nothing, from any thread. It may be lost with the
        power, and with nothing less."""

    @abstractmethod
    def events(self) -> Iterator[Mapping[str, Any]]:
        """The events so far, in order, one by one. What can't be read is passed over."""

    @abstractmethod
    def release(self) -> None:
        """Hold it no longer, and leave it to whoever claims it. Twice is no harm."""

    @abstractmethod
    def discard(self) -> None:
        """Remove it for good, and hold it no longer."""


class EpisodeJournal(ABC):
    """The recordings of one vault's episodes. Methods raise StorageError."""

    @abstractmethod
    def begin(self, name: str, event: Mapping[str, Any]) -> Recording:
        """A new recording of that name, which is an id made here, with its first event: both are
        there, or neither."""

    @abstractmethod
    def claim_left(self) -> Iterator[Recording]:
        """The recordings that nobody holds, each held by the caller from the moment it is given.
        Two who ask at once never get the same one."""
