"""The port by which upkeep keeps erased entries out of the index."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TypeAlias

from engrain.model.history.record import Record
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.search import Batch

MakeGuard: TypeAlias = "Callable[[], Guard]"


class Guard(ABC):
    """Keeps entries out of the index during one pass over a store."""

    @abstractmethod
    def learn(self, records: Iterable[Record]) -> None:
        """Take in what recorded changes forbid, where no index exists yet."""

    @abstractmethod
    def learn_places(self, places: Iterable[Locator]) -> None:
        """Take in what files at some places forbid, where no index exists yet."""

    @abstractmethod
    def is_idle(self) -> bool:
        """Whether nothing that was learned forbids anything."""

    @abstractmethod
    def hold(self, batch: Batch) -> None:
        """Remove forbidden entries from a batch, as if their files did not exist."""

    @abstractmethod
    def settle(self, progress: Progress | None = None) -> None:
        """Deal with the entries held back, and finish earlier passes. Raises what the store raises
        where it can't be written now."""
