"""The maintenance of derived data, which can be rebuilt from the store (S1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from engrain.model.history.record import Record
    from engrain.seam.batches import Batch


Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with the number done so far and, if known, the total."""


MAINTAINED = ("seen", "changed", "dropped", "unreadable")
"""What a scan and a rebuild count: entries, and files that can't be read."""


MakeGuard: TypeAlias = "Callable[[], Guard]"


class Guard(Protocol):
    """The port by which erased entries stay out of the index: it keeps them out during
    one pass over a store."""

    def learn(self, records: Iterable[Record]) -> None:
        """Take in what recorded changes forbid, where no index exists yet."""

    def hold_back(self, batch: Batch) -> None:
        """Remove forbidden entries from a batch, as if their files did not exist."""

    def finish(self, progress: Progress | None = None) -> None:
        """Deal with the entries held back, and finish earlier passes. Raises what the store raises
        where it can't be written now."""
