"""What an import does where something is here already: what changed in the tree alone is renewed,
what changed here stays."""

from __future__ import annotations

from engrain.engine.history import bytes_after
from engrain.model.entry import read_entry
from engrain.model.errors import ConflictError, EngrainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engrain.engine.store import Store
    from engrain.model.entry import Entry

OP = "import"


def last_taken_in(store: Store, there: Entry) -> Entry | None:
    """An entry as an import last left it, where that is still known."""
    for change in store.index.changes(entry=there.id, op=OP):
        if change.locator is None or change.after_hash is None:
            continue
        try:
            return read_entry(change.locator, bytes_after(store, change))
        except EngrainError:
            return None
    return None


def gives_way(here: Any, wanted: Any, before: Any | None) -> bool:
    """Whether what is here is to be what the tree says now; `before` is what an import last left.
    Raises ConflictError where both changed."""
    if wanted in (here, before):
        return False  # it is so already, or the tree has nothing new to say
    if before is None or before != here:
        raise ConflictError("it changed there and here: what is here stays")
    return True
