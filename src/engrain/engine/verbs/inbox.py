"""`file`, `absorb`, `adopt`: move an entry out of the inbox, or a draft out of staging (S1.20)."""

from __future__ import annotations

from engrain.engine.core.moving import kind_folder, move_entry, refuse_changed
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, INBOX, STAGING, archive_folder
from engrain.seam.rows import Row

PROPOSED = "proposed"
SUPERSEDED_BY = "superseded_by"


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
        _require_waiting(row, entry)
        return plan_filing(entry, store.clock.now())

    return move_entry(store, reference, plan, "adopt", reason)


def plan_filing(entry: Entry, at: float) -> tuple[str, Note]:
    """Return the folder to which an entry moves from the inbox, and its note there."""
    return kind_folder(entry), entry.note.patch({"status": ACTIVE, "updated": format_instant(at)})


def absorb_entry(
    store: Store, reference: str, into: str, reason: str = "", *, expect: str | None = None
) -> Outcome:
    """Archive an entry of the inbox that says the same as the entry `into`, as superseded and with
    a link to it. With `expect` its substance must have that hash. Raises ConflictError for an entry
    that is not in the inbox."""

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        if entry.status == "superseded":
            return None
        refuse_changed(entry, expect)
        _require_waiting(row, entry)
        return plan_absorption(entry, into, store.clock.now())

    return move_entry(store, reference, plan, "merge", reason)


def plan_absorption(entry: Entry, into: str, at: float) -> tuple[str, Note]:
    """Return the archive folder of an absorbed entry, and its note there."""
    links = [{"to": to, "relation": how} for to, how in entry.links]
    links.append({"to": into, "relation": SUPERSEDED_BY})
    changes = {"status": "superseded", "updated": format_instant(at), "links": links}
    return archive_folder(entry.path), entry.note.patch(changes)  # type: ignore[arg-type]


def _require_waiting(row: Row, entry: Entry) -> None:
    if entry.status != INBOX or row.zone != INBOX:
        raise ConflictError(
            f"{row.id} does not wait in the inbox: it is {entry.status}", path=row.locator
        )


def adopt_entry(
    store: Store, reference: str, reason: str = "", *, expect: str | None = None
) -> Outcome:
    """Move a draft from staging to its kind's folder and make it active; return `unchanged` if it
    is active there already. With `expect` its substance must have that hash. Raises ConflictError
    for an entry that is no draft."""

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        if entry.status == ACTIVE and row.zone != STAGING:
            return None
        refuse_changed(entry, expect)
        if entry.status != PROPOSED or row.zone != STAGING:
            raise ConflictError(f"{row.id} is no draft: it is {entry.status}", path=row.locator)
        return plan_adoption(entry, store.clock.now())

    return move_entry(store, reference, plan, "adopt", reason)


def plan_adoption(entry: Entry, at: float) -> tuple[str, Note]:
    """Return the folder to which a draft moves, and its note there."""
    note = entry.note.patch({"status": ACTIVE, "updated": format_instant(at)})
    return kind_folder(entry), note
