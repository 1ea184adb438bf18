"""The port through which derived data is kept (S1.3): whatever can be rebuilt from the store."""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from engrain.seam.locator import Locator
    from engrain.seam.search import Batch

Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with how many are done and, where known, how many there are."""


class MaintenanceReport(Struct):
    """What a pass of maintenance did: entries read anew, dropped, unreadable."""

    seen: int = 0
    changed: int = 0
    dropped: int = 0
    problems: int = 0


class DerivedMaintenance(ABC):
    """Keeps one kind of derived data in step with the store."""

    @abstractmethod
    def rebuild(self, progress: Progress | None = None) -> MaintenanceReport:
        """Make it anew from the store alone."""

    @abstractmethod
    def drain(self) -> MaintenanceReport:
        """Take in the recorded changes that it has not seen yet; cheap when there are none."""

    @abstractmethod
    def scan(self, progress: Progress | None = None) -> MaintenanceReport:
        """Look at everything in the store, so that edits by other programs are taken in."""

    @abstractmethod
    def verify(self) -> list[str]:
        """Compare it with the store, byte for byte; what differs, in words."""


class Readers(ABC):
    """Other processes that read and parse notes of one store for the index while this one writes.
    They answer in the order in which they were asked, and end with the process that started
    them."""

    count: int
    """How many there are."""

    @abstractmethod
    def ask(self, places: Sequence[Locator]) -> None:
        """Have some places read."""

    @abstractmethod
    def take(self) -> Batch | None:
        """What was found at the places that were asked for first and not taken yet, once it is
        there; None where it can't be had, so that the caller reads them."""

    @abstractmethod
    def close(self) -> None:
        """End the processes."""
