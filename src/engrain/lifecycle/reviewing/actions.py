"""Actions about several entries at once, done in one change (S1.17).

Each is told by one function, its planner, which says of the entries as they stand what becomes of
every file. What is shown and what is done both come from it, so they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engrain.engine.core.store import Actor, Store
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.homes import load
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import ACTIVE
from engrain.seam.locator import Locator
from engrain.seam.personal import Personal
from engrain.seam.storage import Write

Preview: TypeAlias = "tuple[str, str, str, str]"
"""The place and text before, the place and text after, of one file."""
OpenPersonal: TypeAlias = "Callable[[], Personal]"


@dataclass(slots=True, eq=False)
class Desk:
    """What an action works with: the store, acted in by whoever decides, and the way to the
    operator's own notes, None where there is none."""

    store: Store
    open_personal: OpenPersonal | None = None

    @property
    def personal(self) -> Personal:
        """Raises ConflictError where they can't be reached from here."""
        if self.open_personal is None:
            raise ConflictError("the operator's own notes can't be reached from here")
        return self.open_personal()


class Subject:
    """What a proposal is about: its id (a place, among the operator's own; several ids joined, of
    several entries), what people call it, and the hash of what it is now. `entries` are empty where
    it is nothing in the vault."""

    __slots__ = ("base", "entries", "id", "title")

    def __init__(self, id: str, title: str, base: str, entries: Sequence[Entry] = ()) -> None:  # noqa: A002
        self.id = id
        self.title = title
        self.base = base
        self.entries = tuple(entries)

    @property
    def entry(self) -> Entry | None:
        """The one entry that it is, None where it is none or several."""
        return self.entries[0] if len(self.entries) == 1 else None


@dataclass(slots=True, eq=False)
class Action:
    """One row: `find` the subject (raises NotFoundError), `preview` what would change, nothing
    where it may not be shown, and `apply` it, `(desk, id, base, reason)`, which raises
    ConflictError. Its `home` is where its planner is, "" for one that has none."""

    find: Callable[[Desk, str], Subject]
    preview: Callable[[Desk, Subject], Sequence[Preview]]
    apply: Callable[[Desk, str, str, str], None]
    home: str = ""


def show(entry: Entry, folder: str, raw: bytes) -> Preview:
    """How an entry would look in a folder, with these bytes."""
    place = f"{folder}/{entry.path.rpartition('/')[2]}"
    return entry.path, text_of(entry.note.raw), place, text_of(raw)


def text_of(raw: bytes) -> str:
    """Bytes of a file as they are shown."""
    return raw.decode(errors="replace")


Planner: TypeAlias = "Callable[[Store, Sequence[Entry]], Sequence[Rewrite]]"
"""Raises ConflictError where nothing can be done with these entries as they stand."""


JOINED = "~"
"""Between the ids of the entries that a proposal is about."""
MOST = 100
"""Entries that one proposal is about at most."""


@dataclass(slots=True, eq=False)
class Rewrite:
    """What becomes of one file: `entry` as it stands, None for one that is made; the `note` it is
    afterwards, and where. `actor` is whom what is made comes from."""

    entry: Entry | None
    note: Note
    place: Locator
    actor: Actor | None = None

    @property
    def id(self) -> str:
        """Whose file it is."""
        return self.entry.id if self.entry is not None else str(self.note.fields["id"])


def substance_of(entry: Entry) -> str:
    """All that an entry says."""
    return entry.note.substance()


def tags_of(entry: Entry) -> str:
    """What an entry is tagged with, and whether it holds."""
    return "\n".join((entry.status, *entry.tags))


def joint(home: str, op: str, said: Callable[[Entry], str] = substance_of) -> Action:
    """The action whose planner is at `home`, as `module:name`, and which the history calls `op`. A
    proposal of it holds while all that matters, as `said` tells of each entry, is what it was."""
    find = partial(find_joint, said=said)
    return Action(find, partial(_preview, home), partial(_apply, home, op, find), home)


def join_ids(ids: Sequence[str]) -> str:
    """The target of a proposal about these entries."""
    return JOINED.join(ids)


def split_ids(target: str) -> list[str]:
    """The ids of what a proposal is about."""
    return target.split(JOINED)


def find_joint(desk: Desk, target: str, said: Callable[[Entry], str] = substance_of) -> Subject:
    """The entries of a target, and one hash over what `said` tells of them. Raises
    NotFoundError."""
    ids = split_ids(target)
    if len(ids) > MOST or len(set(ids)) != len(ids):
        raise NotFoundError(f"{target[:80]!r} names no entries that one change could be about")
    entries = []
    for id_ in ids:
        row = desk.store.find_one(id_)
        entry = desk.store.read_entry(row.locator)
        if entry.id != row.id:
            raise NotFoundError(f"no entry {id_!r} any more", path=row.locator)
        entries.append(entry)
    base = hash_bytes(JOINED.join(map(said, entries)).encode())
    title = entries[0].title
    if len(entries) > 1:
        others = len(entries) - 1
        title = f"{title} and {entries[1].title if others == 1 else f'{others} others'}"
    return Subject(join_ids([entry.id for entry in entries]), title, base, entries)


def plan_rewrites(home: str, store: Store, entries: Sequence[Entry]) -> Sequence[Rewrite]:
    """What the planner at `home` makes of some entries. Raises ConflictError."""
    planner: Planner = load(home)
    return planner(store, entries)


def require_active(entries: Sequence[Entry]) -> None:
    """Raise ConflictError for one that is not active."""
    for entry in entries:
        if entry.status != ACTIVE:
            raise ConflictError(f"{entry.id} is {entry.status}", path=entry.path)


def stamp(store: Store, entry: Entry, changes: Mapping[str, Value]) -> Note:
    """The note of an entry with fields changed, the id that it goes by, and when that was."""
    now = format_instant(store.clock.now())
    return entry.note.patch({"id": entry.id, **changes, "updated": now})


def revise(store: Store, entry: Entry, changes: Mapping[str, Value]) -> Rewrite:
    """An entry with fields changed, where it stands."""
    return Rewrite(entry, stamp(store, entry, changes), Locator(entry.path))


def commit_rewrites(store: Store, op: str, rewrites: Sequence[Rewrite], reason: str) -> None:
    """Do what was planned, in one change. Raises ConflictError where a file has changed since it
    was planned from."""
    writes: list[Write] = []
    expected: dict[Locator, str | None] = {}
    for rewrite in rewrites:
        entry = rewrite.entry
        if entry is None:
            expected[rewrite.place] = None
        else:
            before = Locator(entry.path)
            stored = store.backend.read(before)
            if stored.hash != entry.hash:
                raise ConflictError(f"{entry.id} has changed since", path=entry.path)
            store.preserve(before, stored, entry.id)
            expected[before] = stored.hash
            if before != rewrite.place:
                writes.append(Write(before, None, entry.id))
                expected[rewrite.place] = None
        writes.append(Write(rewrite.place, rewrite.note.raw, rewrite.id))
    actors = [rewrite.actor for rewrite in rewrites if rewrite.actor is not None]
    store.commit(op, writes, expected, reason=reason, actor=actors[0] if actors else None)


def _preview(home: str, desk: Desk, subject: Subject) -> list[Preview]:
    return [
        (
            rewrite.entry.path if rewrite.entry is not None else "",
            text_of(rewrite.entry.note.raw) if rewrite.entry is not None else "",
            rewrite.place,
            text_of(rewrite.note.raw),
        )
        for rewrite in plan_rewrites(home, desk.store, subject.entries)
    ]


def _apply(
    home: str,
    op: str,
    find: Callable[[Desk, str], Subject],
    desk: Desk,
    target: str,
    base: str,
    reason: str,
) -> None:
    subject = find(desk, target)
    if subject.base != base:
        raise ConflictError(f"{target} has changed since", remedy="look at it and decide again")
    commit_rewrites(desk.store, op, plan_rewrites(home, desk.store, subject.entries), reason)
