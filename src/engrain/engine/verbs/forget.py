"""`forget` and `restore`: soft deletion, since synchronisers bring removed files back (S1.1)."""

from __future__ import annotations

from engrain.engine.core.moving import stamp_id
from engrain.engine.core.outcomes import DELETED, RESTORED, UNCHANGED, Outcome
from engrain.model.errors import NOTHING_LEFT, ConflictError, ErasedError, NotFoundError
from engrain.model.history.record import decode_record, split_change
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.entry import Entry
    from engrain.model.note.note import Note


def forget_entry(store: Store, reference: str, reason: str = "") -> Outcome:
    """Mark an entry as deleted; its file stays. For a deleted entry return `unchanged`."""

    def delete(entry: Entry) -> Note:
        if entry.status == "deleted":
            return entry.note
        now = store.now
        return stamp_id(entry, {"status": "deleted", "deleted_at": now, "updated": now})

    outcome = store.update(store.find_one(reference).locator, delete, "forget", reason=reason)
    if outcome.outcome != UNCHANGED:
        outcome.outcome = DELETED
    return outcome


def restore_entry(store: Store, reference: str) -> Outcome:
    """Restore an entry that was forgotten or archived, or whose file another program removed. An
    archived one gets its original bytes back. The restored entry does not fade at once. Raises
    ConflictError for a superseded entry, whose change has to be undone."""
    try:
        row = store.find_one(reference, prefer="deleted")
    except NotFoundError:
        return _bring_back(store, reference)
    before = store.read_entry(row.locator)
    if before.status == "active":
        return Outcome(UNCHANGED, before)
    if before.status == "archived":
        from engrain.engine.verbs.archive import restore_archived

        outcome = restore_archived(store, row)
    elif before.status == "deleted":
        outcome = revive(store, row.locator)
    else:
        raise ConflictError(
            f"{row.id} is {before.status}, not deleted",
            path=row.locator,
            remedy=f"see `engrain history {row.id}` and undo the change that did it",
        )
    store.local.touch([row.id])
    return outcome


def restore_all(store: Store) -> list[Outcome]:
    """Restore all forgotten entries in one change; archived entries stay archived."""
    whole = store.as_one_change()
    done = []
    for row in store.index.find(Filter(statuses=("deleted",))):
        try:
            done.append(restore_entry(whole, row.id))
        except ErasedError:
            continue
    return done


def revive(store: Store, locator: Locator) -> Outcome:
    """Make a deleted entry active again; for any other return `unchanged`."""

    def undelete(entry: Entry) -> Note:
        if entry.status != "deleted":
            return entry.note
        now = store.now
        return entry.note.patch({"status": "active", "updated": now}, ["deleted_at"])

    outcome = store.update(locator, undelete, "restore")
    if outcome.outcome != UNCHANGED:
        outcome.outcome = RESTORED
    return outcome


def _bring_back(store: Store, entry: str) -> Outcome:
    """Write the last recorded bytes of an entry whose file is gone."""
    for change in store.index.changes(entry=entry):
        if change.op == "erase":
            raise ErasedError(f"{entry} was erased", entry=entry, remedy=NOTHING_LEFT)
        name = split_change(change.change)
        if change.locator is None or change.after_hash is None or name is None:
            continue
        link = store.backend.find_change(*name)
        for file in decode_record(link.line, link.payload).files or ():
            if file.path == change.locator and file.after is not None:
                locator = Locator(file.path)
                store.commit("restore", [Write(locator, file.after, entry)])
                there = store.read_entry(locator)
                if there.status == "deleted":
                    return revive(store, locator)
                return Outcome(RESTORED, there)
    raise NotFoundError(
        f"no entry {entry!r}, and the history has none",
        remedy="`engrain list --all` shows every entry, forgotten ones too",
    )
