"""The table of actions that may be proposed: how each is previewed and done (S1.17).

A proposal is a file that anybody may have written. Only an action of this table is ever done, only
to the entries that the proposal names, and only while they are as they were when it was proposed.
An action on several entries has a planner, which returns what becomes of every file. The preview
and the change both come from it, so they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engrain.engine.core.attesting import attest_entry
from engrain.engine.core.moving import ALWAYS_LOAD, promote_entry
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.history import bytes_after
from engrain.engine.verbs.archive import EXTRACT, archive_entry, retire
from engrain.engine.verbs.inbox import (
    absorb_entry,
    adopt_entry,
    file_entry,
    plan_absorption,
    plan_adoption,
    plan_filing,
)
from engrain.language.text.folding import is_near_copy, words_of
from engrain.lifecycle.jobs.table import Deferred
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import ACTIVE
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.personal import Personal
from engrain.seam.rows import CURRENT, Row

Preview: TypeAlias = "tuple[str, str, str, str]"
"""Of one file: path and text before the change, path and text after it."""
OpenPersonal: TypeAlias = "Callable[[], Personal]"
Planner: TypeAlias = "Callable[[Store, Sequence[Entry]], Sequence[FileRewrite]]"
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
class ProposalSubject:
    """What a proposal is about: its id (a path for the operator's own notes, several ids joined for
    several entries), its title, the hash of its present state, and the entries, if it is in the
    vault."""

    id: str
    title: str
    base: str
    entries: Sequence[Entry] = ()


@dataclass(slots=True, eq=False)
class Action:
    """One row of the table: `find` returns the subject or raises NotFoundError; `preview` returns
    what would change, nothing for what may not be shown; `apply(context, id, base, reason)` does it
    or raises ConflictError. `planner` is None for an action that plans no rewrites."""

    find: Callable[[Context, str], ProposalSubject]
    preview: Callable[[Context, ProposalSubject], Sequence[Preview]]
    apply: Callable[[Context, str, str, str], object]
    planner: Deferred[Planner] | None = None


@dataclass(slots=True, eq=False)
class FileRewrite:
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

    def preview(context: Context, subject: ProposalSubject) -> list[Preview]:
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
    row, entry = store.read_one(reference)
    if entry.id != row.id:
        raise NotFoundError(f"no entry {reference!r} any more", path=row.locator)
    return entry


def find_group(
    context: Context, target: str, matter: Callable[[Entry], str] | None = None
) -> ProposalSubject:
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
    return ProposalSubject(found, title, hash_bytes(JOINED.join(matters).encode()), entries)


def require_active(entries: Sequence[Entry]) -> None:
    """Raise ConflictError for an entry that is not active."""
    for entry in entries:
        if entry.status != ACTIVE:
            raise ConflictError(f"{entry.id} is {entry.status}", path=entry.path)


def stamp(store: Store, entry: Entry, changes: Mapping[str, Value]) -> Note:
    """Return the entry's note with its id, these fields and the time of the change."""
    return entry.note.patch({"id": entry.id, **changes, "updated": store.now})


def revise(store: Store, entry: Entry, changes: Mapping[str, Value]) -> FileRewrite:
    """Rewrite an entry in its place with some fields changed."""
    return FileRewrite(entry, stamp(store, entry, changes), Locator(entry.path))


def commit_rewrites(store: Store, op: str, rewrites: Sequence[FileRewrite], reason: str) -> None:
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


class LiveTitles:
    """The live entries by the words of their titles."""

    def __init__(self, store: Store) -> None:
        self._by_word: dict[str, list[tuple[frozenset[str], Row]]] = {}
        for row in sorted(store.index.find(CURRENT), key=lambda row: row.id):
            words = words_of(row.title)
            for word in words:
                self._by_word.setdefault(word, []).append((words, row))

    def find(self, row: Row) -> Row | None:
        """Return the oldest live entry of the same kind and scope with nearly the same title."""
        words = words_of(row.title)
        # Nearly the same words lack at most one in ten, so looking up the rarest few is enough.
        rarest = sorted(words, key=lambda word: len(self._by_word.get(word, ())))
        for word in rarest[: len(words) // 10 + 1]:
            for others, other in self._by_word.get(word, ()):
                same = other.kind == row.kind and other.project in (None, row.project)
                if same and other.id != row.id and is_near_copy(words, others):
                    return other
        return None


Show: TypeAlias = "Callable[[Context, Entry], list[Preview]]"
"""Previews what becomes of one entry."""


def _entry_action(preview: Show, verb: Callable[..., object]) -> Action:
    """Make an action on one entry. `verb(store, id, reason, expect=base)` does it."""

    def find(context: Context, reference: str) -> ProposalSubject:
        entry = read_named(context.store, reference)
        return ProposalSubject(entry.id, entry.title, entry.note.substance(), [entry])

    def show_entry(context: Context, subject: ProposalSubject) -> list[Preview]:
        return preview(context, *subject.entries)

    def apply(context: Context, id_: str, base: str, reason: str) -> None:
        verb(context.store, id_, reason, expect=base)

    return Action(find, show_entry, apply)


def _preview_archive(context: Context, entry: Entry) -> list[Preview]:
    folder, note = retire(entry, EXTRACT, context.store.clock.now())
    return [show(entry, folder, note.raw)]


def _preview_attest(context: Context, entry: Entry) -> list[Preview]:
    place = Locator(entry.path)
    before = ""
    for change in context.store.index.changes(locator=place):
        if change.op != "external" and change.after_hash is not None:
            with suppress(NotFoundError):  # it was erased
                before = text_of(bytes_after(context.store, change))
            break
    return [(place if before else "", before, place, text_of(entry.note.raw))]


def _attest(store: Store, id_: str, reason: str, *, expect: str) -> None:  # noqa: ARG001
    attest_entry(store, id_, reason)


def _preview_new(plan: Callable[[Entry, float], tuple[str, Note]]) -> Show:
    """Show the whole text, which nobody has seen yet: recall does not search that folder."""

    def preview(context: Context, entry: Entry) -> list[Preview]:
        folder, note = plan(entry, context.store.clock.now())
        return [("", "", show(entry, folder, note.raw)[2], text_of(note.raw))]

    return preview


def _find_same(store: Store, id_: str) -> Row | None:
    return LiveTitles(store).find(store.find_one(id_, prefer="inbox"))


def _preview_absorb(context: Context, entry: Entry) -> list[Preview]:
    same = _find_same(context.store, entry.id)
    if same is None:
        return []
    folder, note = plan_absorption(entry, same.id, context.store.clock.now())
    return [show(entry, folder, note.raw)]


def _absorb(store: Store, id_: str, reason: str, *, expect: str) -> None:
    same = _find_same(store, id_)
    if same is None:
        raise ConflictError(f"no active entry contains what {id_} says any more")
    absorb_entry(store, id_, same.id, reason, expect=expect)


def _rewriting_action(preview: str, apply: str) -> Action:
    """Make an action that rewrites one entry. The function at `preview` returns its new bytes, None
    for no change; the one at `apply` writes them."""
    compose: Deferred[Callable[[Store, Entry], bytes | None]] = Deferred(preview)
    write: Deferred[Callable[[Store, str, str, str], None]] = Deferred(apply)

    def show_rewritten(context: Context, entry: Entry) -> list[Preview]:
        raw = compose.load()(context.store, entry)
        return [] if raw is None else [show(entry, entry.path.rpartition("/")[0], raw)]

    def rewrite(store: Store, id_: str, reason: str, *, expect: str) -> None:
        write.load()(store, id_, expect, reason)

    return _entry_action(show_rewritten, rewrite)


_LIFE = "engrain.lifecycle"
ACTIONS: dict[str, Action] = {
    # The change must be the one that was shown, so no model writes the summary.
    "archive": _entry_action(_preview_archive, partial(archive_entry, summarizer=EXTRACT)),
    "promote": _entry_action(
        lambda _, entry: [show(entry, ALWAYS_LOAD, entry.note.patch({"always_load": True}).raw)],
        promote_entry,
    ),
    "attest": _entry_action(_preview_attest, _attest),
    "adopt": _entry_action(_preview_new(plan_adoption), adopt_entry),
    "file": _entry_action(_preview_new(plan_filing), file_entry),
    "absorb": _entry_action(_preview_absorb, _absorb),
    "renew": _rewriting_action(
        f"{_LIFE}.consolidating.running:preview_renewal", f"{_LIFE}.consolidating.running:renew"
    ),
    "merge": group_action(f"{_LIFE}.reviewing.merging:plan_merge", "merge"),
    "contradict": group_action(f"{_LIFE}.dreaming.applying:plan_contradiction", "link"),
    "compact": group_action(f"{_LIFE}.dreaming.applying:plan_compaction", "compact"),
    "retag": group_action(f"{_LIFE}.dreaming.applying:plan_retagging", "tidy", tags_of),
    "refile": group_action(f"{_LIFE}.dreaming.applying:plan_refiling", "tidy"),
    "insight": group_action(f"{_LIFE}.dreaming.insights:plan_insight", "consolidate"),
    "link": group_action(f"{_LIFE}.dreaming.missing_links:plan_link", "link"),
    "relink": group_action(f"{_LIFE}.dreaming.missing_links:plan_relinking", "link"),
    "settle": _rewriting_action(
        f"{_LIFE}.synthesizing.disputes:preview_settling",
        f"{_LIFE}.synthesizing.disputes:apply_settling",
    ),
    "personal-archive": Action(
        lambda context, place: ProposalSubject(
            place, place, context.personal.look(place, "propose")
        ),
        lambda _context, _subject: [],  # the operator's own text never gets into the vault
        lambda context, place, base, _reason: context.personal.archive(place, base),
    ),
}
