"""Walks over the vault, in which each file is read and parsed once for all rules; the flaws that
these find, and the repairs of one run.

A flaw is fixed where only one result makes sense, else it is only reported. Repairs are gathered by
file and made in one change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TypeAlias

from engrain.engine.core.drawing import draw_links
from engrain.engine.core.moving import free_place, write_inherited
from engrain.engine.core.store import Operation, Store
from engrain.engine.indexes import write_maps
from engrain.engine.links.checking import Judge
from engrain.engine.links.suggestions import name_now
from engrain.index.links import each_link
from engrain.index.view import IndexView
from engrain.model.errors import EngrainError, MalformedError
from engrain.model.links.link import VAULT, named_side, note_name
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, LIVE, link_key, tier_of
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.references import Reference
from engrain.seam.rows import BROKEN, CURRENT, RESOLVED, Row
from engrain.seam.storage import Stored

Change: TypeAlias = "Callable[[Entry], Note]"


class Repairs:
    """Changes of entries, each on top of the earlier ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stored: dict[Locator, Stored] = {}
        self._entries: dict[Locator, Entry] = {}
        self._moved: dict[Locator, Locator] = {}
        self._maps = False

    def change(self, place: Locator, change: Change) -> None:
        """Change the entry at a place. Raises NotFoundError, MalformedError."""
        entry = self._open(place)
        self._entries[place] = read_entry(place, change(entry).raw)

    def draw(self, entry: Entry) -> Note:
        """Return an entry's note with its typed links drawn."""
        return draw_links(self._store, entry.note, entry)

    def move(self, place: Locator, folder: str) -> None:
        """Move the entry at a place to a folder, and write the fields that its place implied."""
        entry = self._open(place)
        target = free_place(self._store, folder, entry)
        if target not in self._moved.values():
            self._moved[place] = target

    def write_maps(self) -> None:
        """Update the maps of contents after all other repairs."""
        self._maps = True

    def commit(self) -> str:
        """Make all repairs in one change and return its name, "" where nothing would change. Raises
        ConflictError where a file has changed since it was read."""
        operation = Operation()
        store = self._store.as_one_change(operation)
        writes = []
        known = []
        for place, entry in self._entries.items():
            stored, target = self._stored[place], self._moved.get(place, place)
            raw = self._finish(entry, target)
            if raw == stored.raw and target == place:
                continue
            self._store.preserve(place, stored, entry.id)
            if target != place:
                writes.append(Write(place, None, entry.id, stored.hash))
            before = stored.hash if target == place else None
            writes.append(Write(target, raw, entry.id, before))
            known.append(read_entry(target, raw))
        if writes:
            store.commit("check", writes, known=known)
        if self._maps:
            write_maps(store, begin=False)
        return operation.first or ""

    def _open(self, place: Locator) -> Entry:
        entry = self._entries.get(place)
        if entry is None:
            stored = self._stored[place] = self._store.backend.read(place)
            entry = self._entries[place] = read_entry(place, stored.raw)
        return entry

    def _finish(self, entry: Entry, target: Locator) -> bytes:
        """Return the bytes at its new place; the operator's notes get no time of change."""
        place = Locator(entry.path)
        if entry.note.raw == self._stored[place].raw and target == place:
            return entry.note.raw
        note = entry.note if target == place else write_inherited(entry, entry.note, target)
        note = draw_links(self._store, note, read_entry(place, self._stored[place].raw))
        if tier_of(place) == "T3":
            note = note.patch({"updated": self._store.now})
        return note.raw


Mend: TypeAlias = "Callable[[Repairs], None]"


def change_at(place: Locator, change: Change) -> Mend:
    """Change the entry at a place by a change of its note."""
    return lambda repairs: repairs.change(place, change)


@dataclass(slots=True, eq=False)
class Flaw:
    """One flaw of the file at `place`, at `line` (from 1; 0 for the whole file). `mend` fixes it,
    None where the right state is unknown; `remedy` says what a person can do. `rule` and `severity`
    are those of the rule that found it."""

    place: str
    message: str
    _: KW_ONLY
    line: int = 0
    mend: Mend | None = None
    remedy: str | None = None
    rule: str = field(default="", init=False)
    severity: str = field(default="", init=False)

    @property
    def fixable(self) -> bool:
        """Whether `engrain check --fix` fixes it."""
        return self.mend is not None


_APART = re.compile(r"[\s_.–-]+")


@dataclass(slots=True, eq=False)
class BrokenLink:
    """A link to a note that does not exist, the name in it, and the id and present name of the note
    that it must mean, None where that is not certain."""

    reference: Reference
    name: str
    meant: tuple[str, str] | None


@dataclass(slots=True, eq=False)
class WalkedFile:
    """One file of the vault.

    `fault` says how the file differs from the index, "" if it does not. An entry in force has its
    `row`, its parsed `entry` and its `broken` links.
    """

    store: Store
    place: Locator
    fault: str = ""
    row: Row | None = None
    entry: Entry | None = None
    broken: Collection[BrokenLink] = ()


def walk(store: Store) -> Iterator[WalkedFile]:
    """Yield every file of the vault or of the index. The index must be ready."""
    rows = {row.locator: row for row in store.index.find(replace(CURRENT, successions=0))}
    broken = _read_broken(store)
    known = {place: hash_ for place, _, hash_, _ in store.index.stamps()}
    places = [seen.locator for seen in store.backend.scan()]
    hashes = {place: known.pop(place, None) for place in places}
    for place, stored in store.backend.read_all(place for place in places if hashes[place] != ""):
        if isinstance(stored, EngrainError):
            yield WalkedFile(store, place, stored.message)
            continue
        file = WalkedFile(store, place)
        if hashes[place] is None:
            file.fault = "it is not in the index"
        elif hashes[place] != stored.hash:
            file.fault = "it differs from the index"
        if row := rows.get(place):
            try:
                file.entry = read_entry(place, stored.raw, stored.hash)
            except MalformedError:
                file.fault = "it was broken just now"
            else:
                file.row, file.broken = row, broken.get(place, ())
        yield file
    for gone in known:
        yield WalkedFile(store, Locator(gone), "it is only in the index")


def _read_broken(store: Store) -> Mapping[Locator, list[BrokenLink]]:
    """Return by place the broken links of entries in force, except placeholders, patterns, and
    links into another vault."""
    found: list[tuple[Locator, BrokenLink]] = []
    with store.index.view() as view:
        judge = Judge(store, view)
        rows: dict[int, Row] = {}
        for one in each_link(view, BROKEN):
            if one.source not in rows:
                rows = view.rows([one.source])  # they come entry by entry
            row, reference = rows.get(one.source), one.reference
            if row is None or (row.status, row.zone) != (ACTIVE, LIVE):
                continue
            name = named_side(reference.target, reference.label)
            if "*" in name or "://" in VAULT.sub("", name):
                continue
            if judge.judge(row.locator.folder, one) == BROKEN:
                found.append((row.locator, BrokenLink(reference, name, None)))
        away = any(_vault_of(link.reference) for _, link in found)
        here = {"", *_find_vaults(view)} if away else {""}
    meant = _find_meant(store, {link_key(note_name(link.name)) for _, link in found})
    broken: dict[Locator, list[BrokenLink]] = {}
    for place, link in found:
        if _vault_of(link.reference) not in here:
            continue
        # A markdown link is relative to its own note.
        if not link.name.endswith(".md"):
            link.meant = meant.get(link_key(note_name(link.name)))
        broken.setdefault(place, []).append(link)
    return broken


def _find_vaults(view: IndexView) -> set[str]:
    """Return the names of other vaults whose notes are here, by the links that lead to them."""
    return {_vault_of(written.reference) for written in each_link(view, RESOLVED)}


def _vault_of(reference: Reference) -> str:
    found = VAULT.match(reference.target) or VAULT.match(reference.label)
    return "" if found is None else found[1]


def _find_meant(store: Store, keys: Collection[str]) -> Mapping[str, tuple[str, str]]:
    """Return, by the name in a broken link, the id and present name of the one entry that it must
    mean: one that had a file of that name, or whose name differs only in punctuation."""
    if not keys:
        return {}
    ids: dict[str, set[str]] = {}
    for change in store.index.changes():
        key = link_key(change.locator) if change.locator else ""
        if key and key in keys:
            ids.setdefault(key, set()).add(change.entry)
    _add_spelled(store, keys, ids)
    found = {}
    for key, some in ids.items():
        row = store.find_exact(next(iter(some))) if len(some) == 1 else None
        if row and (row.status, row.zone) == (ACTIVE, LIVE):
            found[key] = (row.id, name_now(store, row.locator))
    return found


def _add_spelled(store: Store, keys: Collection[str], ids: dict[str, set[str]]) -> None:
    """Add the entries with a name that differs only in punctuation."""
    wanted: dict[str, set[str]] = {}
    for key in keys:
        if letters := _APART.sub("", key):
            wanted.setdefault(letters, set()).add(key)
    with store.index.view() as view:
        numbers: dict[str, set[int]] = {}
        for name, number in view.names():
            for key in wanted.get(_APART.sub("", name), ()):
                numbers.setdefault(key, set()).add(number)
        rows = view.rows(sorted({number for some in numbers.values() for number in some}))
    for key, some in numbers.items():
        ids.setdefault(key, set()).update(rows[number].id for number in some if number in rows)
