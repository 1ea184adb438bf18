"""What an import last left of an entry."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.engine.history.history import bytes_after
from engrain.engine.verbs.intake import OP
from engrain.model.errors import EngrainError
from engrain.model.note.entry import Entry, read_entry


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
