"""`forget` and `restore`: soft deletion, since synchronisers bring removed files back (S1.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engrain.engine.core.batches import Batches
from engrain.engine.core.moving import stamp_id
from engrain.engine.core.outcomes import DELETED, RESTORED, UNCHANGED, Outcome
from engrain.engine.core.scope import Scope
from engrain.engine.history.removals import find_removed, list_missing, read_left
from engrain.engine.verbs.archive import restore_archived
from engrain.engine.verbs.listing import list_entries
from engrain.engine.verbs.save import revive
from engrain.model.errors import NOTHING_LEFT, ConflictError, ErasedError, NotFoundError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.note import Note
    from engrain.seam.rows import Row


def forget_entry(store: Store, reference: str, reason: str = "") -> Outcome:
    """Mark an entry as deleted; its file stays. For a deleted entry return `unchanged`."""

    return _delete_at(store, store.find_one(reference).locator, reason)


def _delete_at(store: Store, locator: Locator, reason: str) -> Outcome:
    def delete(entry: Entry) -> Note:
        return _mark_deleted(store, entry)

    outcome = store.update(locator, delete, "forget", reason=reason)
    if outcome.outcome != UNCHANGED:
        outcome.outcome = DELETED
    return outcome


def _mark_deleted(store: Store, entry: Entry) -> Note:
    if entry.status == "deleted":
        return entry.note
    now = store.now
    return stamp_id(entry, {"status": "deleted", "deleted_at": now, "updated": now})


def forget_entries(store: Store, references: Iterable[str], reason: str = "") -> list[Outcome]:
    """Mark several entries as deleted, in one change that one `undo` takes back. All of them are
    found before the first is marked."""
    rows = {row.locator: row for row in map(store.find_one, references)}
    whole = store.as_one_change()
    met: set[str] = set()
    batches = Batches(
        whole, "forget", store.actor, reason, lambda _: None, lambda place, _: met.add(place)
    )
    outcomes: dict[str, Outcome] = {}
    for locator in rows:
        stored = store.backend.read(locator)
        entry = read_entry(locator, stored.raw, stored.hash)
        note = _mark_deleted(store, entry)
        if note is entry.note:
            outcomes[locator] = Outcome(UNCHANGED, entry)
            continue
        store.preserve(locator, stored, entry.id)
        batches.add(locator, DELETED, Write(locator, note.raw, entry.id, stored.hash))
        outcomes[locator] = Outcome(DELETED, Entry(locator, note, hash_bytes(note.raw)))
        batches.flush_full()
    batches.flush()
    for place in met:  # another writer was faster there
        outcomes[place] = _delete_at(whole, Locator(place), reason)
    return [*outcomes.values()]


def list_matching(
    store: Store, scope: Scope, *, query: str = "", project: str | None = None
) -> tuple[list[Row], bool]:
    """Return the entries to forget by filter, newest first, and whether they are all that the vault
    lists."""
    rows = [row for row in list_entries(store, scope=scope).rows if row.status != "deleted"]
    if project is not None:
        rows = [row for row in rows if row.project == project]
    if words := query.casefold().split():
        rows = [row for row in rows if _says(store, row, words)]
    active = list_entries(store, scope=Scope(all_projects=True)).rows
    return rows, {row.id for row in rows} >= {row.id for row in active}


def _says(store: Store, row: Row, words: Iterable[str]) -> bool:
    """Whether an entry has all of some casefolded words."""
    entry = store.find_entry(row.locator)
    text = "" if entry is None else f"{entry.title}\n{entry.text}".casefold()
    return all(word in text for word in words)


def restore_entry(store: Store, reference: str) -> Outcome:
    """Restore an entry that was forgotten or archived, or whose file another program removed."""
    try:
        row = store.find_one(reference, prefer="deleted")
    except NotFoundError as error:
        store.require_index(scan=True)  # which records what went since
        return _bring_back(store, find_removed(store, reference) or reference, error)
    before = store.read_entry(row.locator)
    if before.status == "active":
        return Outcome(UNCHANGED, before)
    if before.status == "archived":
        outcome = restore_archived(store, row)
    elif before.status == "deleted":
        outcome = revive(store, row.locator)
    else:
        raise ConflictError(
            f"{row.id} is {before.status}, not deleted",
            path=row.locator,
            remedy=f"see `engrain history {row.id}` and undo the change that did it",
        )
    store.device.local.touch([row.id])
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


def restore_missing(store: Store) -> list[Outcome]:
    """Write all missing notes again as the history has them, in one change."""
    whole = store.as_one_change()
    nowhere = NotFoundError("it is missing")
    return [_bring_back(whole, one.id, nowhere) for one in list_missing(store)]


def _bring_back(store: Store, entry: str, missing: NotFoundError) -> Outcome:
    """Write the last recorded bytes of an entry whose file is gone. Raises `missing` where the
    history knows none."""
    for change in store.index.changes(entry=entry):
        if change.op == "erase":
            raise ErasedError(f"{entry} was erased", entry=entry, remedy=NOTHING_LEFT)
        raw = read_left(store, change)
        if change.locator is not None and raw is not None:
            store.commit("restore", [Write(change.locator, raw, entry)])
            there = store.read_entry(change.locator)
            if there.status == "deleted":
                return revive(store, change.locator)
            return Outcome(RESTORED, there)
    raise NotFoundError(f"{missing.message}, and the history has none", remedy=missing.remedy)
