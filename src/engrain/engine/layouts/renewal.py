"""What an import does where something is here already: what changed in the tree alone is renewed,
what changed here stays."""

from __future__ import annotations

from engrain.engine.history import bytes_after
from engrain.model.entry import read_entry
from engrain.model.errors import ConflictError, EngrainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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


def gives_way(here: Any, wanted: Any, recall_before: Callable[[], Any | None]) -> bool:
    """Whether what is here is to be what the tree says now; `recall_before` tells what an import
    last left, None for nothing known. Raises ConflictError where both changed."""
    if here == wanted:
        return False
    before = recall_before()
    if before == wanted:
        return False  # the tree has nothing new to say
    if before is None or before != here:
        raise ConflictError("it changed there and here: what is here stays")
    return True
