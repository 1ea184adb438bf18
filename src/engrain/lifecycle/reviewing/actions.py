"""Actions: what a proposal may do, how that is shown before and how it is done (S1.17).

Most actions are about several entries, done in one change. Such an action has a planner: a function
that returns what becomes of every file. The preview and the change both come from it, so they are
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engrain.engine.core.store import Actor, Store
from engrain.lifecycle.jobs.table import Deferred
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import ACTIVE
from engrain.seam.locator import Locator
from engrain.seam.personal import Personal
from engrain.seam.storage import Write

Preview: TypeAlias = "tuple[str, str, str, str]"
"""Of one file: path and text before the change, path and text after it."""
OpenPersonal: TypeAlias = "Callable[[], Personal]"
Planner: TypeAlias = "Callable[[Store, Sequence[Entry]], Sequence[Rewrite]]"
"""Raises ConflictError where nothing can be done with these entries as they stand."""

JOINED = "~"
"""Separates the ids of the entries that a proposal is about."""
MOST = 100
"""The largest number of entries that one proposal is about."""


@dataclass(slots=True, eq=False)
class Context:
    """What an action works with: the store of whoever decides, and a function that opens the
    operator's own notes, None where they can't be reached."""

    store: Store
    open_personal: OpenPersonal | None = None

    @property
    def personal(self) -> Personal:
        """The operator's own notes. Raises ConflictError where they can't be reached."""
        if self.open_personal is None:
            raise ConflictError("the operator's personal notes can't be changed by a proposal")
        return self.open_personal()


@dataclass(slots=True, eq=False)
class Subject:
    """What a proposal is about: its id (a path for the operator's own notes, several ids joined for
    several entries), its title, the hash of what it is now, and the entries; none for what is not
    in the vault."""

    id: str
    title: str
    base: str
    entries: Sequence[Entry] = ()

    @property
    def entry(self) -> Entry | None:
        """The entry, None where there are none or several."""
        return self.entries[0] if len(self.entries) == 1 else None


@dataclass(slots=True, eq=False)
class Action:
    """One row of the table: `find` returns the subject or raises NotFoundError; `preview` returns
    what would change, nothing for what may not be shown; `apply(context, id, base, reason)` does it
    or raises ConflictError. `planner` is None for an action that plans no rewrites."""

    find: Callable[[Context, str], Subject]
    preview: Callable[[Context, Subject], Sequence[Preview]]
    apply: Callable[[Context, str, str, str], None]
    planner: Deferred[Planner] | None = None


@dataclass(slots=True, eq=False)
class Rewrite:
    """What becomes of one file: the entry as it stands (None for a new file), the note after the
    change, its path, and the actor that a new file comes from."""

    entry: Entry | None
    note: Note
    place: Locator
    actor: Actor | None = None

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.entry.id if self.entry is not None else str(self.note.fields["id"])

    @property
    def preview(self) -> Preview:
        """The file before and after."""
        before = ("", "") if self.entry is None else (self.entry.path, text_of(self.entry.note.raw))
        return *before, self.place, text_of(self.note.raw)


def show(entry: Entry, folder: str, raw: bytes) -> Preview:
    """Preview an entry in a folder, with these bytes."""
    place = f"{folder}/{entry.path.rpartition('/')[2]}"
    return entry.path, text_of(entry.note.raw), place, text_of(raw)


def text_of(raw: bytes) -> str:
    """Decode the bytes of a file for display."""
    return raw.decode(errors="replace")


def tags_of(entry: Entry) -> str:
    """Return an entry's status and tags, as one text that a hash is made of."""
    return "\n".join((entry.status, *entry.tags))


def group_action(place: str, op: str, matter: Callable[[Entry], str] | None = None) -> Action:
    """Make the action whose planner is at `place`, as `module:name`, and whose change the history
    calls `op`. A proposal of it holds while what `matter` returns of each entry (all that it says,
    if None) is what it was."""
    planner: Deferred[Planner] = Deferred(place)
    find = partial(find_group, matter=matter)

    def preview(context: Context, subject: Subject) -> list[Preview]:
        return [one.preview for one in planner.load()(context.store, subject.entries)]

    def apply(context: Context, target: str, base: str, reason: str) -> None:
        subject = find(context, target)
        if subject.base != base:
            raise ConflictError(f"{target} has changed since", remedy="read it and decide again")
        rewrites = planner.load()(context.store, subject.entries)
        commit_rewrites(context.store, op, rewrites, reason)

    return Action(find, preview, apply, planner)


def join_ids(ids: Sequence[str]) -> str:
    """Return the target of a proposal about these entries."""
    return JOINED.join(ids)


def split_ids(target: str) -> list[str]:
    """Return the ids of the entries that a target names."""
    return target.split(JOINED)


def read_named(store: Store, reference: str) -> Entry:
    """The entry of a reference as it is now. Raises NotFoundError."""
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    if entry.id != row.id:
        raise NotFoundError(f"no entry {reference!r} any more", path=row.locator)
    return entry


def find_group(
    context: Context, target: str, matter: Callable[[Entry], str] | None = None
) -> Subject:
    """Read the entries of a target and make one hash of what `matter` returns of each (all that it
    says, if None). Raises NotFoundError."""
    ids = split_ids(target)
    if len(ids) > MOST or len(set(ids)) != len(ids):
        raise NotFoundError(f"{target[:80]!r} does not name the entries to change")
    entries = [read_named(context.store, id_) for id_ in ids]
    matters = (matter(entry) if matter else entry.note.substance() for entry in entries)
    title = entries[0].title
    if len(entries) > 1:
        others = len(entries) - 1
        title = f"{title} and {entries[1].title if others == 1 else f'{others} others'}"
    found = join_ids([entry.id for entry in entries])
    return Subject(found, title, hash_bytes(JOINED.join(matters).encode()), entries)


def require_active(entries: Sequence[Entry]) -> None:
    """Raise ConflictError for an entry that is not active."""
    for entry in entries:
        if entry.status != ACTIVE:
            raise ConflictError(f"{entry.id} is {entry.status}", path=entry.path)


def stamp(store: Store, entry: Entry, changes: Mapping[str, Value]) -> Note:
    """Return the entry's note with its id, these fields and the time of the change."""
    return entry.note.patch({"id": entry.id, **changes, "updated": store.now})


def revise(store: Store, entry: Entry, changes: Mapping[str, Value]) -> Rewrite:
    """Rewrite an entry in its place with some fields changed."""
    return Rewrite(entry, stamp(store, entry, changes), Locator(entry.path))


def commit_rewrites(store: Store, op: str, rewrites: Sequence[Rewrite], reason: str) -> None:
    """Write what was planned as one change. Raises ConflictError where a file has changed since it
    was read for the plan."""
    writes: list[Write] = []
    for rewrite in rewrites:
        entry, hash_ = rewrite.entry, None
        if entry is not None:
            before = Locator(entry.path)
            stored = store.backend.read(before)
            if stored.hash != entry.hash:
                raise ConflictError(f"{entry.id} has changed since", path=entry.path)
            store.preserve(before, stored, entry.id)
            if before == rewrite.place:
                hash_ = stored.hash
            else:
                writes.append(Write(before, None, entry.id, stored.hash))
        writes.append(Write(rewrite.place, rewrite.note.raw, rewrite.id, hash_))
    actors = [rewrite.actor for rewrite in rewrites if rewrite.actor is not None]
    store.commit(op, writes, reason=reason, actor=actors[0] if actors else None)
