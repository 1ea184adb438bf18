"""`undo`: takes one change back as a change of its own, optionally with what was derived from it
(S3.8, S1.17).

An entry is derived from those in its `derived_from`. Undoing a change names what was made from its
entries, however far down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.moving import free_place, stamp_id
from engrain.engine.core.store import JOBS, Store
from engrain.engine.history.history import bytes_before, list_parts, load_change, make_loader
from engrain.model.errors import ConflictError, EngrainError, MalformedError, NotFoundError
from engrain.model.history.record import EXTERNAL, FileChange, Record
from engrain.model.note.entry import read_entry
from engrain.model.note.json_note import parse_note
from engrain.model.note.tiers import is_generated
from engrain.seam.batches import Change
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Row
from engrain.seam.storage import Stored, hash_of


class Reversal:
    """The writes that take changes back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._load = make_loader(store)
        self.writes: list[Write] = []

    def writes_to(self, place: str) -> bool:
        """Whether one of the writes is to this place."""
        return any(write.locator == place for write in self.writes)

    def check(self, record: Record, files: Sequence[FileChange]) -> None:
        """Raise ConflictError when these files of a change can't be taken back now."""
        for file in files:
            bytes_before(self._store, record, file, self._load)
            current = self._store.find_stored(Locator(file.path))
            if _was_made_anew(file, current):
                continue
            if not self._displace(record, file, current):
                self._refuse_later(record, file, current)

    def add_writes(self, record: Record, files: Sequence[FileChange]) -> None:
        """Gather the writes that take back these files of a change. Raises ConflictError when a
        later change of substance depends on one of them."""
        before = {file.path: bytes_before(self._store, record, file, self._load) for file in files}
        returning = {read_entry(path, raw).id for path, raw in before.items() if raw is not None}
        for file in files:
            locator = Locator(file.path)
            current = self._store.find_stored(locator)
            if _was_made_anew(file, current):
                continue
            if not self._displace(record, file, current):
                self._refuse_later(record, file, current)
            if current is not None:
                self._store.preserve(locator, current, file.entry)
            back = before[file.path]
            entry = file.entry
            if back is not None:
                entry = read_entry(file.path, back).id
            elif is_generated(file.path):
                pass  # it is removed, and generated again when it is next due
            elif current is not None and file.entry not in returning:
                # This change made it. It is only forgotten, or a synchroniser might revive it.
                now = self._store.now
                changes = {"status": "deleted", "deleted_at": now, "updated": now}
                back = stamp_id(read_entry(file.path, current.raw), changes).raw
            self.writes.append(Write(locator, back, entry, hash_of(current)))

    def _displace(self, record: Record, file: FileChange, current: Stored | None) -> bool:
        """Move a forgotten entry out of a place that was free after the change and is needed again:
        an undone later change left its file there."""
        if current is None or file.after_hash is not None:
            return False
        try:
            entry = read_entry(file.path, current.raw)
        except MalformedError:
            return False
        if entry.status != "deleted" or entry.id in record.entries:
            return False
        locator = Locator(file.path)
        place = free_place(self._store, locator.folder, entry)
        if self.writes_to(place):
            return False
        self.writes.append(Write(place, current.raw, entry.id))
        return True

    def _refuse_later(self, record: Record, file: FileChange, current: Stored | None) -> None:
        hash_ = None if current is None else current.hash
        if hash_ == file.after_hash:
            return
        after = file.after
        if current and after is not None and same_substance(file.path, current.raw, after):
            return
        # The later change is known by its bytes and not by its time: clocks may disagree.
        left = [
            change
            for change in self._store.index.changes(locator=Locator(file.path))
            if change.change != record.change and change.after_hash == hash_
        ]
        later = min(left, key=lambda change: change.op == "undo", default=None)
        by = f"{later.change} ({later.op})" if later else "an edit by another program"
        raise ConflictError(
            f"{file.path} was changed later, by {by}",
            path=file.path,
            remedy=f"undo {later.change} first" if later else "edit the file by hand",
        )


def _was_made_anew(file: FileChange, current: Stored | None) -> bool:
    hash_ = None if current is None else current.hash
    return is_generated(file.path) and hash_ != file.after_hash


def same_substance(path: str, one: bytes, other: bytes) -> bool:
    """Whether two versions of a note differ only in counters and times."""
    try:
        return parse_note(one, path).substance() == parse_note(other, path).substance()
    except MalformedError:
        return False


_UNASKED = ("undo", "external", "index", "fold", "attest", "propose", "erase", "erasing")
"""Changes that nobody made on purpose, so that "the last one" never means them."""
_DECIDED = ("decide", "accepted")
"""The op and reason by which an accepted proposal is closed, after the change that is meant."""
_FINAL = ("erase", "erasing")
"""Changes that can't be undone."""


_MOST_NAMED = 8
"""Entries of a change whose titles are looked up."""


@dataclass(slots=True, eq=False)
class Told:
    """A change as a person knows it: its name, op and time (epoch seconds), how many entries it
    touched, and the titles of the first of them, each once."""

    change: str
    op: str
    at: float
    entries: int
    titles: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Undone:
    """A change that was taken back: its name, the change that did it, the entries that it touched,
    and `what` it was.
    `derived` are the entries made from what is gone now; `cascaded` says that they were undone too.
    `erased` names commits of the change that stay, because their bytes were erased."""

    undone: str
    change: str
    entries: tuple[str, ...]
    _: KW_ONLY
    what: Told
    derived: tuple[Row, ...] = ()
    cascaded: bool = False
    erased: tuple[str, ...] = ()


def undo_change(
    store: Store, change: str | None = None, reason: str = "", *, cascade: bool = False
) -> Undone:
    """Take one change back, as a change of its own."""
    first, names, erased = _choose(store, change)
    derived, own = _check(store, names)
    what = _describe(store, first)
    store = store.as_one_change()
    entries = {}
    undo = ""
    for name in names:
        record = load_change(store, name)
        reversal = Reversal(store)
        reversal.add_writes(record, record.files or ())
        if cascade and not undo:
            _cascade(store, reversal, own, derived)
        done = store.commit("undo", reversal.writes, reason=reason, undoes=name)
        undo = undo or done.change
        entries.update(dict.fromkeys(done.entries))
    if first.op == "archive":
        store.device.local.touch(first.entries)  # who takes it back wants it kept
    return Undone(
        first.change,
        undo,
        tuple(entries),
        what=what,
        derived=tuple(derived),
        cascaded=cascade,
        erased=tuple(erased),
    )


def plan_undo(store: Store, change: str) -> list[Row]:
    """List the entries derived from those of a change, which `undo_change` with `cascade` would
    undo with it. Raises ConflictError where the change can't be undone."""
    _, names, _ = _choose(store, change)
    return _check(store, names)[0]


@dataclass(slots=True, eq=False)
class Upcoming:
    """The change that `undo` without a name would take back next. `again` says that the latest
    change of this device is an undo already, so that this one is older."""

    what: Told
    again: bool


def find_upcoming(store: Store) -> Upcoming:
    """Find the change that `undo` without a name would take back. Raises NotFoundError."""
    name = _last_standing(store, _Undos(store))
    return Upcoming(_describe(store, load_change(store, name)), _was_undone_last(store))


def redo_change(store: Store, reason: str = "") -> Undone:
    """Take back this device's last undo that still stands, as a change of its own."""
    undos = _Undos(store)
    for change in _own_changes(store):
        if change.op != "undo":
            continue
        undo = load_change(store, change.part_of or change.change)
        undid = _load_undone(store, undo.undoes)
        if undid is not None and undos.find(undo.change) is None:
            what = _describe(store, undid)
            undone = undo_change(store, undo.change, reason)
            undone.what = what
            return undone
    raise NotFoundError("no undo of this device is left to take back")


def _was_undone_last(store: Store) -> bool:
    for change in _own_changes(store):
        if change.op == "undo":
            return _load_undone(store, change.undoes) is not None
        if not _is_unasked(change):
            break
    return False


def _load_undone(store: Store, name: str | None) -> Record | None:
    """Load the change that an undo took back; None where that was an undo too, which makes it a
    redo, or where the history lacks it."""
    try:
        record = load_change(store, name or "")
    except EngrainError:
        return None
    return None if record.op == "undo" else record


def _describe(store: Store, first: Record) -> Told:
    """Describe a change by its first commit."""
    changes = (
        *store.index.changes(change=first.change),
        *store.index.changes(part_of=first.change),
    )
    places = {change.entry: change.locator or change.entry for change in changes}
    rows = ((id_, store.find_exact(id_)) for id_ in [*places][:_MOST_NAMED])
    titles = dict.fromkeys(row.title if row else str(places[id_]) for id_, row in rows)
    return Told(first.change, first.op, first.at, len(places), tuple(titles))


def _choose(store: Store, name: str | None) -> tuple[Record, list[str], list[str]]:
    """Return the first change of the operation to undo, the names of its changes from the last to
    the first, and of those whose bytes were erased. Raises ConflictError where none is left."""
    undos = _Undos(store)
    first = load_change(store, name or _last_standing(store, undos))
    if first.part_of is not None:
        first = load_change(store, first.part_of)
    names = [name for name in list_parts(store, first.change) if undos.find(name) is None][::-1]
    if not names:
        undo = undos.find(first.change)
        raise ConflictError(
            f"{first.change} was undone already, by {undo}", remedy=f"to bring it back, undo {undo}"
        )
    erased = [name for name in names if load_change(store, name).files is None]
    if len(erased) == len(names):
        raise ConflictError(f"the bytes of {first.change} were erased; it can't be undone")
    return first, [name for name in names if name not in erased], erased


def _check(store: Store, names: Sequence[str]) -> tuple[list[Row], set[str]]:
    """Return the entries derived from those of some changes, the newest first, and the ids of the
    latter. Raises ConflictError for changes that can't be undone."""
    derived: dict[str, Row] = {}
    own: set[str] = set()
    passed: set[str] = set()
    reversal = Reversal(store)
    for name in names:
        record = load_change(store, name)
        if record.op in _FINAL:
            raise ConflictError(f"{name} erased entries for good; it can't be undone")
        if record.op == EXTERNAL and not record.files:
            raise ConflictError(
                f"{name} was cancelled: what it took for another program's was Engrain's own",
                remedy="`engrain history` shows the change that wrote it",
            )
        # An undone later commit restores the bytes that an earlier one left of a file.
        files = record.files or ()
        reversal.check(record, [file for file in files if file.path not in passed])
        passed.update(file.path for file in files)
        own.update(record.entries)
        derived |= {row.id: row for row in find_derived(store, record)}
    one = len(names) == 1
    return [row for row in derived.values() if one or row.id not in own], own


def _cascade(
    store: Store, reversal: Reversal, own: Collection[str], derived: Sequence[Row]
) -> None:
    causes = {*own, *(row.id for row in derived)}
    for row in derived:
        making, files = find_making(store, row, causes)
        # Two of them may have been made by one change.
        reversal.add_writes(making, [file for file in files if not reversal.writes_to(file.path)])


class _Undos:
    """Finds the undo of a change by the names in undos and not by times, since clocks of devices
    may disagree."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, str | None] = {}

    def find(self, name: str) -> str | None:
        """Find the undo of a change that was not undone itself; None where there is none."""
        opened = [name]
        seen: set[str] = set()
        while opened and name not in self._known:
            at = opened[-1]
            undos = [one.change for one in self._store.index.changes(undoes=at) if one.op == "undo"]
            ahead = {undo for undo in undos if undo not in self._known} - seen
            seen.update(ahead, (at,))
            if not ahead:  # all its undos are judged, except those in a circle
                standing = (undo for undo in undos if self._known.get(undo) is None)
                self._known[at] = next(standing, None)
                opened.pop()
            opened += ahead
        return self._known[name]


def _last_standing(store: Store, undos: _Undos) -> str:
    index = store.index

    def was_cascaded(change: Change) -> bool:
        """Whether an undo took it back with another, which alone it names."""
        place, left = change.locator, change.after_hash
        if place is None or left is None or index.hash_at(place) == left:
            return False
        return any(
            one.before_hash == left and one.undoes and undos.find(one.undoes) == one.change
            for one in index.changes(locator=place, op="undo")
        )

    for change in _own_changes(store):
        erased = change.locator is None
        undone = _is_unasked(change) or erased or undos.find(change.change) is not None
        if not undone and not was_cascaded(change):
            return change.part_of or change.change
    raise NotFoundError("this device has made no change that could be undone")


def _is_unasked(change: Change) -> bool:
    by_itself = change.op in _UNASKED or change.agent == JOBS
    return by_itself or (change.op, change.reason) == _DECIDED


def _own_changes(store: Store) -> Iterator[Change]:
    """Yield the changes of this device, the last first."""
    before: int | None = None
    while found := store.index.last_changes(store.backend.device, _AT_ONCE, before):
        yield from found
        before = found[-1].n


_AT_ONCE = 64
"""Changes that are looked through at a time for the last one that stands."""
_WRITES = (
    "save", "import", "evolve", "edit", "external", "consolidate", "learn", "today", "crystallize",
)  # fmt: skip
"""Changes that give an entry its text; nothing is derived from the others."""


def find_derived(store: Store, record: Record) -> list[Row]:
    """List the entries, except forgotten ones, that are derived from those a change made or
    changed, directly or not: nearest first, each once. Cycles are handled."""
    made, changed = _written(store, record)
    seen = {*made, *changed}
    found = _children(store, made, seen)
    # An entry that is older than the change was not made from its text.
    found += [row for row in _children(store, changed, seen) if _is_later(store, row, record)]
    nearest = found
    seen.update(row.id for row in found)
    while nearest:
        nearest = _children(store, [row.id for row in nearest], seen)
        seen.update(row.id for row in nearest)
        found += nearest
    return list({row.id: row for row in found}.values())


def find_making(store: Store, row: Row, causes: Collection[str]) -> tuple[Record, list[FileChange]]:
    """Find the change that derived an entry from one of `causes` and left it as it is, and its
    files to undo with it. Raises ConflictError when another change of substance came later."""
    load = make_loader(store)
    later = ""
    for change, record in _changes_that_left(store, row):
        files = record.files or ()
        try:
            before = {file.path: bytes_before(store, record, file, load) for file in files}
        except (ConflictError, NotFoundError):
            continue  # its bytes were erased
        entries = (read_entry(path, raw) for path, raw in before.items() if raw is not None)
        derived = (one.derived_from for one in entries if one.id == row.id)
        if all(set(causes).isdisjoint(sources) for sources in derived):
            # A replacement is undone whole, or the replaced entry would be in two places.
            whole = record.op == "evolve"
            return record, [file for file in files if whole or file.entry == row.id]
        later = later or f"{change.change} ({change.op})"
    raise ConflictError(
        f"{row.locator}, which is derived from it, was changed later, by"
        f" {later or 'an edit by another program'}",
        path=row.locator,
        remedy=f"see `engrain history {row.id}`, and undo that first",
    )


def _changes_that_left(store: Store, row: Row) -> Iterator[tuple[Change, Record]]:
    stored = store.backend.read(row.locator)
    for change in store.index.changes(entry=row.id):
        if change.locator != row.locator or change.after_hash is None:
            continue
        record = load_change(store, change.change)
        left = next((one for one in record.files or () if one.path == row.locator), None)
        if left is None or left.after is None:
            continue
        if left.after_hash == stored.hash or same_substance(row.locator, left.after, stored.raw):
            yield change, record


def _written(store: Store, record: Record) -> tuple[list[str], list[str]]:
    """Return the ids of the entries that a change made, and of those whose text it changed."""
    files = record.files or ()
    if record.op not in _WRITES:
        return [], []
    load = make_loader(store)  # many files were left by the same change
    before = {file.path: bytes_before(store, record, file, load) for file in files}
    there = {read_entry(path, raw).id for path, raw in before.items() if raw is not None}
    left = dict.fromkeys(file.entry for file in files if file.after_hash is not None)
    changed = [] if record.op == "evolve" else [id_ for id_ in left if id_ in there]
    return [id_ for id_ in left if id_ not in there], changed


def _children(store: Store, ids: list[str], seen: Collection[str]) -> list[Row]:
    return [
        row
        for row in (store.index.derived_from(ids) if ids else ())
        if row.primary and row.status != "deleted" and row.id not in seen
    ]


def _is_later(store: Store, row: Row, record: Record) -> bool:
    """Whether an entry was made after a change: by number where both are one device's."""
    changes = store.index.changes(entry=row.id)
    same = [change.n for change in changes if change.change == f"{record.device}-{change.n}"]
    if same:
        return min(same) > record.n
    return min((change.at for change in changes), default=record.at) >= record.at
