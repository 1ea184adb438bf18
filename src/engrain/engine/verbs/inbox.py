"""`file`: move an entry out of the inbox (S1.20)."""

from __future__ import annotations

from engrain.engine.core.moving import kind_folder, move_entry, refuse_changed
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, INBOX
from engrain.seam.rows import Row


def file_entry(
    store: Store, reference: str, reason: str = "", *, expect: str | None = None
) -> Outcome:
    """Move an entry from the inbox to its kind's folder and make it active; return `unchanged` if
    it is active there already. With `expect` its substance must have that hash. Raises
    ConflictError for an entry that is not in the inbox."""

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        if entry.status == ACTIVE and row.zone != INBOX:
            return None
        refuse_changed(entry, expect)
        if entry.status != INBOX or row.zone != INBOX:
            raise ConflictError(
                f"{row.id} does not wait in the inbox: it is {entry.status}", path=row.locator
            )
        return plan_filing(entry, store.clock.now())

    return move_entry(store, reference, plan, "adopt", reason)


def plan_filing(entry: Entry, at: float) -> tuple[str, Note]:
    """Return the folder to which a waiting entry moves, and its note there."""
    return kind_folder(entry), entry.note.patch({"status": ACTIVE, "updated": format_instant(at)})
