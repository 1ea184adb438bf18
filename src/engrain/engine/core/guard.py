"""What stands between the store and its index: some things that lie there are not to be taken in.

Upkeep asks it; what it knows stands above upkeep.
"""

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
    """A guard of one pass over a store."""

    @abstractmethod
    def learn(self, records: Iterable[Record]) -> None:
        """Take in what recorded changes forbid, where there is no index yet to tell it."""

    @abstractmethod
    def learn_places(self, places: Iterable[Locator]) -> None:
        """Take in what some places of the store tell, where there is no index yet."""

    @abstractmethod
    def hold(self, batch: Batch) -> None:
        """Take out of a batch what is not to be taken in, as if nothing were there."""

    @abstractmethod
    def settle(self, progress: Progress | None = None) -> None:
        """Deal with what was held back, and with what is left to do of earlier passes. Raises what
        the store raises where it can't be written now."""
