"""Entries that were recalled together on this device: edges by use, beside those that are written
(DESIGN section 8).

They are this device's own, and are in no file: two people of one vault use it differently.
"""

from __future__ import annotations

from dataclasses import dataclass

from engrain.engine.core.store import Store
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Row

RECALLED_WITH = "recalled_with"
"""What such an edge is called where it is shown among others."""
_MOST = 20
"""Companions that one entry is shown with."""


@dataclass(slots=True, eq=False)
class Companion:
    """An entry that was recalled with another, and in how many `sessions`."""

    row: Row
    sessions: int


def list_companions(store: Store, entry: str) -> list[Companion]:
    """The active entries recalled together with the one of this id, those that were so the most
    first. Raises IndexUnavailableError, StorageError."""
    store.require_index()
    found = []
    for tie in store.local.recalled_with(entry, 2 * _MOST):
        row = store.find_exact(tie.other)
        if row is not None and row.status == ACTIVE:
            found.append(Companion(row, tie.sessions))
    return found[:_MOST]
