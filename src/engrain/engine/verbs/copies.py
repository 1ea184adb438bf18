"""Merges conflict copies into their originals if no person has to decide.

When two devices change one file, a synchroniser keeps both versions. Records and daily notes have
parts with ids or distinct texts, so they are merged against the last common version in the history;
so are notes that both devices recalled and at most one edited. The copy is removed in the same
change. Copies of generated files are removed without a merge.

A merge depends only on the history and the bytes, so devices that merge the same two files
independently write the same bytes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from engrain.engine.core.attesting import least
from engrain.engine.core.redaction import clean_file
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import JOBS, Store
from engrain.engine.history.history import bytes_after, make_loader
from engrain.model.errors import ConflictError, EngrainError, LockedError
from engrain.model.merging import find_base, merge_notes
from engrain.model.note.conflict_copies import (
    is_generated_copy,
    is_note_copy,
    is_one,
    is_structured,
    original_of,
)
from engrain.model.note.documents import object_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.json_note import JsonNote, parse_note
from engrain.model.note.note import MAX_NOTE_BYTES, Note, path_id
from engrain.model.note.tiers import EXTERNAL
from engrain.seam.batches import Batch, Change
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import Stored

Waiting: TypeAlias = "tuple[str, float]"


OP = "consolidate"
"""The op of a merge, which every version of Engrain reads as a change of an entry's text."""
PATIENCE = 86_400.0
"""The seconds for which a copy whose history has not arrived is left alone. If it were merged
before, text from another device would count as another program's, and parts that the device removed
would come back."""

_NOTE = "copies"


def list_pairs(
    store: Store, met: Iterable[Locator], known: Container[str] | None = None
) -> dict[Locator, Locator]:
    """Return the copies of structured files and notes, each with its original: copies that share an
    id with it, and places among `met` that are named like copies, if `known` is None or has their
    original."""
    pairs: dict[Locator, Locator] = {}
    for row in store.index.duplicates():
        rivals = [one.locator for one in store.index.lookup(row.id) if one.id == row.id]
        beside = sorted(
            (place for place in rivals if place.folder == row.locator.folder),
            key=lambda place: (len(place), place),  # synchronisers append to a name
        )
        home = next(iter(beside), row.locator)
        named = (copy for copy in beside[1:] if is_note_copy(copy, home))
        pairs |= dict.fromkeys(beside[1:] if is_structured(home) else named, home)
    for place in met:
        named_after = original_of(place) or ""
        alike = is_structured(named_after) or is_note_copy(place, named_after)
        if alike and (known is None or named_after in known):
            pairs.setdefault(place, make_locator(named_after))
    return pairs


def find_copies(
    store: Store, met: Iterable[Locator], known: Container[str] | None = None
) -> Iterator[Pair]:
    """Yield the pairs of `list_pairs` that can be read and belong to one entry."""
    for copy, home in list_pairs(store, met, known).items():
        with suppress(EngrainError):
            pair = Pair(store, home, copy)
            if pair.is_one():
                yield pair


def merge_copies(store: Store, met: Sequence[Locator]) -> set[Locator]:
    """Merge the copies of structured files and notes, and remove those of generated files; `met`
    are places that a scan just read. Return the places that changed, and the copies that the next
    scan is to check again. Copies that can't be merged are left for `doctor`."""
    done = set()
    again = {}
    known = _read_waiting(store)
    for place in met:
        with suppress(EngrainError):
            stored = store.backend.read(place)
            if is_generated_copy(place, stored.raw):
                _commit(store, [Write(place, None, path_id(place), stored.hash)], EXTERNAL)
                done.add(place)
                store.upkeep.drain()
    for pair in find_copies(store, met):
        try:
            since = pair.waits_since(known.get(pair.copy))
            if since is not None:
                again[pair.copy] = pair.hash, since
            elif pair.merge():
                done |= {pair.home, pair.copy}
                store.upkeep.drain()  # there may be more copies of it
        except (ConflictError, LockedError):
            again[pair.copy] = known.get(pair.copy, ("", store.clock.now()))  # others are writing
        except EngrainError:
            continue
    if again:
        places = [Locator(copy) for copy in again]
        settled = [(place, "") for place in places]
        groups = dict.fromkeys(place.folder for place in places)
        store.index.apply(Batch(settled=settled, groups=groups))
    if again != known:
        store.device.local.write_note(_NOTE, again)
    return done.union(map(Locator, again))


def _read_waiting(store: Store) -> dict[str, Waiting]:
    """Return the waiting copies by place, each with its hash and the start of its waiting (epoch
    seconds)."""
    noted = object_of(store.device.local.read_note(_NOTE))
    return {
        copy: (str(one[0]), float(one[1]))
        for copy, one in noted.items()
        if isinstance(one, list) and len(one) == 2 and isinstance(one[1], int | float)
    }


def _commit(
    store: Store, writes: list[Write], trust: str, reason: str = "a copy of a generated file"
) -> None:
    change = ChangeSet(
        OP, writes, at=store.clock.now(), agent=JOBS, trust=trust, reason=reason, patient=False
    )
    store.backend.commit(change)


class _Side:
    """One of two versions: its bytes, and who wrote them last according to the history."""

    def __init__(self, store: Store, place: Locator, home: list[Change]) -> None:
        self.place = place
        self.stored: Stored = store.backend.read(place)
        self.entry: Entry = read_entry(place, self.stored.raw)
        self.known = store.index.told_origin(self.entry.id, self.stored.hash) is not None
        if not self.known:
            self.entry = read_entry(place, clean_file(store, place, self.stored.raw))
        row = store.find_row(place, self.stored.hash)
        self.trust = counted_origin(row, store) if row else EXTERNAL
        left = [
            (change.at, change.device)
            for change in home
            if change.after_hash == self.stored.hash and change.op != "external"
        ]
        self.order = (*max(left, default=(0.0, "")), self.stored.hash)


class Pair:
    """A file and a copy of it. Raises what reading the two raises."""

    def __init__(self, store: Store, home: Locator, copy: Locator) -> None:
        self.home = home
        self.copy = copy
        self._store = store
        self._changes = store.index.changes(locator=home)
        self._home = _Side(store, home, self._changes)
        self._copy = _Side(store, copy, self._changes)

    def is_one(self) -> bool:
        """Whether both are versions of one entry."""
        mine, theirs = self._home.entry, self._copy.entry
        alike = mine.kind == theirs.kind and is_one(
            _statement_fields(mine), _statement_fields(theirs), mine.kind
        )
        return mine.id == theirs.id or alike

    @property
    def hash(self) -> str:
        """The hash of the copy."""
        return self._copy.stored.hash

    def waits_since(self, known: Waiting | None) -> float | None:
        """Return since when (epoch seconds) the copy waits for its history or that of the file,
        None if it need not wait. `known` is its hash and start of waiting as noted before."""
        if self._home.stored.hash == self.hash or (self._home.known and self._copy.known):
            return None
        now = self._store.clock.now()
        since = known[1] if known and known[0] == self.hash else now
        return since if now - since < PATIENCE else None

    def make(self) -> Note | None:
        """Return the merged note, None if a person has to decide."""
        old, new = sorted((self._home, self._copy), key=lambda side: side.order)
        return merge_notes(self.home, self._base(), old.entry.note, new.entry.note)

    def merge(self) -> bool:
        """Merge the copy into the file, as one change. Return False if it can't be merged, or if a
        merge was undone before."""
        if self._store.index.changes(locator=self.copy, op="undo", limit=1):
            return False
        merged = self.make()
        if merged is None or len(merged.raw) > MAX_NOTE_BYTES:
            return False
        home, copy, store = self._home, self._copy, self._store
        entry = read_entry(home.place, merged.raw)
        for side in (home, copy):
            if not side.known:
                store.preserve(side.place, side.stored, side.entry.id)
        writes = [
            Write(home.place, merged.raw, entry.id, home.stored.hash),
            Write(copy.place, None, copy.entry.id, copy.stored.hash),
        ]
        _commit(store, writes, least(home.trust, copy.trust), f"merged with {copy.place}")
        return True

    def _base(self) -> Note | None:
        """Return the last version that both come from, None if the history has none."""
        found = find_base(self._parents(), self._home.stored.hash, self._copy.stored.hash)
        load = make_loader(self._store)
        for change in sorted(self._changes, key=lambda one: (one.at, one.change), reverse=True):
            if change.after_hash in found:
                with suppress(EngrainError):
                    return parse_note(bytes_after(self._store, change, load), self._home.place)
        return None

    def _parents(self) -> dict[str, set[str]]:
        """Return for each version of the file the versions that it was made from, as hashes."""
        parents: dict[str, set[str]] = {}
        for change in self._changes:
            if change.after_hash is None or change.op == "external":
                continue
            made = parents.setdefault(change.after_hash, set())
            made.update(filter(None, [change.before_hash]))
            if change.op == OP:
                merged = self._store.index.changes(change=change.change)
                made.update(one.before_hash for one in merged if one.before_hash)
            made.discard(change.after_hash)
        return parents


def _statement_fields(entry: Entry) -> Mapping[str, Any]:
    return entry.note.document if isinstance(entry.note, JsonNote) else entry.fields
