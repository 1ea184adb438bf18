"""The port of episode journals: episodes that are being recorded on this device (S2.2).

Glossary
--------
recording   the journal of one episode: its events, in order. Whoever has begun or claimed it holds
            it until they release or discard it, and nobody else gets it meanwhile; a process that
            dies holds nothing.
event       a thing that happened in it: an object of JSON.

Recordings are device-local: they lie outside the vault until they are filed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any


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
