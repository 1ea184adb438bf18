"""What an action on entries is made of: its subject, the rewrites of files that it plans, and the
change that writes them (S1.17). `table` has the actions themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engrain.engine.core.store import Actor, Store
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import ACTIVE
from engrain.seam.changes import Write
from engrain.seam.locator import Locator

Preview: TypeAlias = "tuple[str, str, str, str]"
"""Of one file: path and text before the change, path and text after it."""
Verb: TypeAlias = "Callable[..., object]"
"""Called as `verb(store, id, reason, expect=base)`."""

JOINED = "~"
"""Separates the ids of the entries that a proposal is about."""
MOST = 100
"""The largest number of entries that one proposal is about."""


@dataclass(slots=True, eq=False)
class ProposalSubject:
    """The subject of a proposal: its id (several ids joined for several entries), its title, the
    hash of its present state, and the entries."""

    id: str
    title: str
    base: str
    entries: Sequence[Entry] = ()


@dataclass(slots=True, eq=False)
class Action:
    """One row of the table: the name of its change in the history; `plan(store, entries)`, which
    returns what becomes of every file, nothing for what may not be shown, and raises ConflictError
    where nothing can be done; and for an action on one entry the `verb` that does it."""

    op: str
    plan: Callable[[Store, Sequence[Entry]], Sequence[FileRewrite]]
    verb: Verb | None = None

    def find(self, store: Store, target: str) -> ProposalSubject:
        """Read the subject. Raises NotFoundError."""
        if self.verb is None:
            return find_group(store, target)
        entry = read_named(store, target)
        return ProposalSubject(entry.id, entry.title, entry.note.substance(), [entry])

    def preview(self, store: Store, subject: ProposalSubject) -> list[Preview]:
        """Return what would become of every file."""
        return [one.preview for one in self.plan(store, subject.entries)]

    def apply(self, store: Store, target: str, base: str, reason: str) -> None:
        """Do it to a target whose state is `base`. Raises ConflictError for another state."""
        if self.verb is not None:
            self.verb(store, target, reason, expect=base)
            return
        subject = find_group(store, target)
        if subject.base != base:
            raise ConflictError(
                f"{target} has changed since the proposal", remedy="read it and decide again"
            )
        commit_rewrites(store, self.op, self.plan(store, subject.entries), reason)


@dataclass(slots=True, eq=False)
class FileRewrite:
    """What becomes of one file: the entry as it stands (None for what nobody has seen), the note
    after the change, and its path."""

    entry: Entry | None
    note: Note
    place: Locator

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.entry.id if self.entry is not None else str(self.note.fields["id"])

    @property
    def preview(self) -> Preview:
        """The file before and after."""
        before = ("", "") if self.entry is None else (self.entry.path, _decode(self.entry.note))
        return *before, self.place, _decode(self.note)


def _decode(note: Note) -> str:
    return note.raw.decode(errors="replace")


def join_ids(ids: Sequence[str]) -> str:
    """Return the target of a proposal about these entries."""
    return JOINED.join(ids)


def split_ids(target: str) -> list[str]:
    """Return the ids of the entries that a target names."""
    return target.split(JOINED)


def read_named(store: Store, reference: str) -> Entry:
    """Return the entry of a reference as it is now. Raises NotFoundError."""
    row, entry = store.read_one(reference)
    if entry.id != row.id:
        raise NotFoundError(f"no entry {reference!r} any more", path=row.locator)
    return entry


def find_group(store: Store, target: str) -> ProposalSubject:
    """Read the entries of a target and make one hash of their substance. Raises NotFoundError."""
    ids = split_ids(target)
    if len(ids) > MOST or len(set(ids)) != len(ids):
        raise NotFoundError(f"{target[:80]!r} does not name the entries to change")
    entries = [read_named(store, id_) for id_ in ids]
    title = entries[0].title
    if len(entries) > 1:
        others = len(entries) - 1
        title = f"{title} and {entries[1].title if others == 1 else f'{others} others'}"
    found = join_ids([entry.id for entry in entries])
    said = JOINED.join(entry.note.substance() for entry in entries)
    return ProposalSubject(found, title, hash_bytes(said.encode()), entries)


def require_active(entries: Sequence[Entry]) -> None:
    """Raise ConflictError for an entry that is not active."""
    for entry in entries:
        if entry.status != ACTIVE:
            raise ConflictError(f"{entry.id} is {entry.status}", path=entry.path)


def revise(store: Store, entry: Entry, changes: Mapping[str, Value]) -> FileRewrite:
    """Rewrite an entry in its place with some fields and the time of the change."""
    note = entry.note.patch({"id": entry.id, **changes, "updated": store.now})
    return FileRewrite(entry, note, Locator(entry.path))


def commit_rewrites(
    store: Store, op: str, rewrites: Sequence[FileRewrite], reason: str, actor: Actor | None = None
) -> None:
    """Write what was planned as one change. Raises ConflictError where a file has changed since it
    was read for the plan."""
    writes: list[Write] = []
    for rewrite in rewrites:
        entry, hash_ = rewrite.entry, None
        if entry is not None:
            before = Locator(entry.path)
            stored = store.backend.read(before)
            if stored.hash != entry.hash:
                raise ConflictError(f"{entry.id} has changed since it was read", path=entry.path)
            store.preserve(before, stored, entry.id)
            if before == rewrite.place:
                hash_ = stored.hash
            else:
                writes.append(Write(before, None, entry.id, stored.hash))
        writes.append(Write(rewrite.place, rewrite.note.raw, rewrite.id, hash_))
    store.commit(op, writes, reason=reason, actor=actor)
