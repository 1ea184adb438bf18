"""The port of session journals: what happened in each session on this device (S1.20).

Glossary
--------
session     one conversation of an agent, by the id its host gives it. It is open until closed; a
            closed one is opened again by the next event in it.
event       one thing that happened in it: its name, when, and what belongs to it.

Journals are device-local: they lie outside the vault, and are lost with the device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Event:
    """One event; `details` are texts, numbers, or lists of texts."""

    __slots__ = ("at", "details", "name")

    def __init__(self, name: str, at: float, details: Mapping[str, object] | None = None) -> None:
        self.name = name
        self.at = at
        self.details = details or {}


class SessionJournal(ABC):
    """The journals of one vault's sessions. Methods raise StorageError."""

    @abstractmethod
    def append(self, session: str, *events: Event) -> None:
        """Add events at the end of a session's journal, all of them or none. They may be lost
        with the power, and with nothing less."""

    @abstractmethod
    def read(self, session: str) -> list[Event]:
        """The events of a session, open or closed, in order; none of one that is not known. What
        can't be read of a journal is passed over."""

    @abstractmethod
    def close(self, session: str) -> None:
        """Close a session, if it is open. Its journal stays."""

    @abstractmethod
    def idle_since(self, before: float) -> Sequence[str]:
        """The open sessions in which nothing has happened since `before`. It takes as long as
        there are open ones."""
