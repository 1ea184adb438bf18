"""`adopt`: a draft that waits in the staging folder becomes an entry like any other (S1.17)."""

from __future__ import annotations

from engrain.engine.core.moving import kind_folder, move_entry, refuse_changed
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, STAGING
from engrain.seam.rows import Row

PROPOSED = "proposed"


def adopt_entry(
    store: Store, reference: str, reason: str = "", *, expect: str | None = None
) -> Outcome:
    """Move a draft from staging to its kind's folder, active; one that is there is `unchanged`.

    With `expect` its substance must have that hash. Raises ConflictError for what is no draft.
    """

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        if entry.status == ACTIVE and row.zone != STAGING:
            return None
        refuse_changed(entry, expect)
        if entry.status != PROPOSED or row.zone != STAGING:
            raise ConflictError(f"{row.id} is no draft: it is {entry.status}", path=row.locator)
        return plan_adoption(entry, store.clock.now())

    return move_entry(store, reference, plan, "adopt", reason)


def plan_adoption(entry: Entry, at: float) -> tuple[str, Note]:
    """The folder a draft goes to, and the note it is there."""
    note = entry.note.patch({"status": ACTIVE, "updated": format_instant(at)})
    return kind_folder(entry), note
