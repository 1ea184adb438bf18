"""The port through which derived data is kept (S1.3): whatever can be rebuilt from the store."""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

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
