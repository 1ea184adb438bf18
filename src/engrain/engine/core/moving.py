"""Moves an entry to another folder in one change: `promote`, `demote` and `pin` (S1.16).

Its id, slug, kind and links survive: fields that it took from its old place are written into it. If
its name is taken, the end of its id is appended, as `evolve` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.core.attesting import attest_entry, effective_trust
from engrain.engine.core.outcomes import UNCHANGED, UPDATED, Outcome
from engrain.engine.core.store import try_again
from engrain.language.text.folding import safe_component, slugify
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import (
    ACTIVE,
    EXTERNAL,
    LIVE,
    OPERATOR,
    archive_folder,
    in_always_load,
    kind_of,
    split_ending,
    tier_of,
)
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.field import Value
    from engrain.model.note.note import Note
    from engrain.seam.rows import Row


Plan: TypeAlias = "Callable[[Row, Entry], 'tuple[str, Note] | None']"
"""Returns the folder that an entry moves to and its note there, None if nothing is to be done."""

ALWAYS_LOAD = "Memory/_always-load"
"""The folder of the agent's own entries that are loaded in every session; it has no subfolders."""

# The fields that an entry without them takes from its place.
_SAID_BY_PLACE = ("slug", "kind", "project", "title")


def move_entry(store: Store, reference: str, plan: Plan, op: str, reason: str = "") -> Outcome:
    """Move an entry to the folder that `plan` returns, in one change named `op`; if that is its own
    folder, the entry changes in place. If another writer was faster, `plan` is asked again with the
    present entry. Raises what `plan` raises, and ConflictError if others keep winning."""

    def move() -> Outcome:
        nonlocal reference
        row = store.find_one(reference)
        reference = row.id
        stored = store.backend.read(row.locator)
        if stored.hash != row.hash:
            raise ConflictError(f"{reference} keeps changing", remedy="try again")
        entry = read_entry(row.locator, stored.raw)
        planned = plan(row, entry)
        if planned is None:
            return Outcome(UNCHANGED, entry)
        folder, note = planned
        stays = folder == row.locator.folder
        target = row.locator if stays else free_place(store, folder, entry)
        raw = write_inherited(entry, note, target).raw
        writes = [Write(target, raw, row.id, stored.hash if stays else None)]
        if not stays:
            writes.insert(0, Write(row.locator, None, row.id, stored.hash))
        moved = read_entry(target, raw)
        store.preserve(row.locator, stored, row.id)
        store.commit(op, writes, reason=reason, known=[moved])
        return Outcome(UPDATED, moved)

    return try_again(move, after=lambda _: store.upkeep.drain())


def free_place(store: Store, folder: str, entry: Entry) -> Locator:
    """Return a free place for an entry in a folder. Raises ConflictError, ForbiddenPathError."""
    ending = f"--{entry.id[-8:]}"
    stem, kind = split_ending(entry.path)
    stem = stem.removesuffix(ending) or stem
    for name in (stem, stem + ending, f"{stem}--{entry.id}"):
        # A name or id written by hand may not be a valid file name.
        place = make_locator(f"{folder}/{safe_component(name)}{kind}")
        if is_free(store, place):
            return place
    raise ConflictError(f"no free name for {entry.id} in {folder}", path=folder)


def is_free(store: Store, place: Locator) -> bool:
    """Whether no file is at a place; an unreadable file counts as one."""
    try:
        store.backend.read(place)
    except NotFoundError:
        return True
    except EngrainError:
        pass
    return False


def write_inherited(entry: Entry, note: Note, place: str) -> Note:
    """Return `note` for `place`, with the fields that `entry` took only from its old place written
    into it."""
    there = Entry(place, note, "")
    said = {"id": entry.id}
    for name in _SAID_BY_PLACE:
        value = getattr(entry, name)
        if value is not None and name not in note.fields and getattr(there, name) != value:
            said[name] = value
    return note.patch(said)


def retire(entry: Entry, changes: Mapping[str, Value]) -> Write:
    """Return the write that puts a replaced entry into its tier's archive, with changed fields."""
    # A slug or id written by hand may not be a valid file name.
    name = safe_component(f"{entry.slug}--{entry.id[-8:]}")
    place = make_locator(f"{archive_folder(entry.path)}/{name}.md")
    return Write(place, stamp_id(entry, changes).raw, entry.id)


def slug_in_place(row: Row) -> str:
    """Return the slug that an entry had before `retire` archived it; its own if it was not."""
    return row.slug.removesuffix(f"--{row.id[-8:]}")


def drop_slug(note: Note, place: str) -> Note:
    """Return `note` without its field `slug` if that only repeats the file name of `place`."""
    return note.patch({}, ["slug"]) if note.fields.get("slug") == split_ending(place)[0] else note


def stamp_id(entry: Entry, changes: Mapping[str, Value]) -> Note:
    """Return the entry's note with changed fields and its id, which the file may lack."""
    return entry.note.patch({"id": entry.id, **changes})


def promote_entry(
    store: Store, reference: str, reason: str = "", *, expect: str | None = None
) -> Outcome:
    """Load one of the agent's own entries in every session (DESIGN section 10).

    With `expect` the entry's substance must have that hash. Raises UsageError for an entry outside
    `Memory/`; ConflictError for one that is not active, or that is external, which only the
    operator may promote.
    """

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        if row.tier != "T3":
            raise UsageError(
                f"{row.id} is the operator's, not the agent's own",
                path=row.locator,
                remedy="only entries in Memory/ are promoted",
            )
        if entry.always_load and in_always_load(row.locator):
            return None
        refuse_changed(entry, expect)
        refuse_unloadable(store, row, entry)
        return ALWAYS_LOAD, entry.note.patch(_stamp(store, always_load=True))

    _vouch(store, reference, reason, expect)
    return move_entry(store, reference, plan, "promote", reason)


def demote_entry(store: Store, reference: str, reason: str = "") -> Outcome:
    """Stop loading a promoted entry in every session, and move it to the folder of its kind."""

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        if not entry.always_load:
            return None
        if row.tier != "T3":
            raise UsageError(
                f"{row.id} is the operator's, not the agent's own",
                path=row.locator,
                remedy="edit or move its file to load it no longer",
            )
        return kind_folder(entry), entry.note.patch(_stamp(store), ["always_load"])

    return move_entry(store, reference, plan, "demote", reason)


def pin_entry(store: Store, reference: str, on: bool = True, reason: str = "") -> Outcome:
    """Load an entry in every session whatever its heat, or, with `on` False, only until it is
    cold."""

    def plan(row: Row, entry: Entry) -> tuple[str, Note] | None:
        pinned = is_pinned(entry)
        if not on:
            note = entry.note.patch(_stamp(store), ["pinned"])
            return (row.locator.folder, note) if pinned else None
        own = row.tier == "T3"
        if pinned and entry.always_load and (in_always_load(row.locator) or not own):
            return None
        refuse_unloadable(store, row, entry)
        folder = ALWAYS_LOAD if own and not in_always_load(row.locator) else row.locator.folder
        return folder, entry.note.patch(_stamp(store, always_load=True, pinned=True))

    if on:
        _vouch(store, reference, reason)
    return move_entry(store, reference, plan, "pin", reason)


def _vouch(store: Store, reference: str, reason: str, expect: str | None = None) -> None:
    """Attest an external entry that the operator has loaded in every session: they vouch for it."""
    if store.actor.trust == OPERATOR:
        row = store.find_one(reference)
        if row.tier == "T3" and effective_trust(store, row) == EXTERNAL:
            refuse_changed(store.read_entry(row.locator), expect)
            attest_entry(store, row.id, reason)


def is_pinned(entry: Entry) -> bool:
    """Whether an entry is loaded in every session whatever its heat."""
    return entry.fields.get("pinned") is True


def kind_folder(entry: Entry) -> str:
    """Return the folder for the agent's own entries of this kind; for a kind whose folder is the
    operator's, the folder in `Memory/` with the name of the kind."""
    folder = kind_of(entry.kind).folder
    if tier_of(folder + "/") == "T3" and slugify(entry.kind, "") == entry.kind:
        return folder
    return "Memory/" + slugify(entry.kind, "active")


def refuse_changed(entry: Entry, expect: str | None) -> None:
    """Raise ConflictError if an entry's substance no longer has the expected hash."""
    if expect is not None and entry.note.substance() != expect:
        raise ConflictError(
            f"{entry.id} has changed since", path=entry.path, remedy="read it and decide again"
        )


def refuse_unloadable(store: Store, row: Row, entry: Entry) -> None:
    """Raise ConflictError for an entry that this actor may not load in every session, UsageError
    for a record, which has no text."""
    if isinstance(entry.note, JsonNote):
        raise UsageError(
            f"{row.id} is a record of kind {row.kind}, and only notes are loaded in every session",
            path=row.locator,
            remedy="save what matters of it as a note, and pin that",
        )
    if entry.status != ACTIVE or row.zone != LIVE:
        raise ConflictError(
            f"{row.id} is {entry.status if entry.status != ACTIVE else 'in ' + row.zone}:"
            " only an active entry is loaded in every session",
            path=row.locator,
        )
    if store.actor.trust == OPERATOR:
        return
    if row.tier != "T3":
        raise ConflictError(
            f"{row.id} is the operator's", path=row.locator, remedy="the operator may pin it"
        )
    if effective_trust(store, row) == EXTERNAL:
        raise ConflictError(
            f"{row.id} came from outside, or nobody attests where it came from",
            path=row.locator,
            remedy="the operator may promote it, when it is true",
        )


def _stamp(store: Store, **changes: Value) -> dict[str, Value]:
    return {**changes, "updated": store.now}
