"""Walks over the vault: each file is read and parsed once, for all rules."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from engrain.engine.core.store import Store
from engrain.engine.links.checking import Judge
from engrain.engine.links.suggestions import name_now
from engrain.index.links import each_link
from engrain.index.view import IndexView
from engrain.model.errors import EngrainError, MalformedError
from engrain.model.links.link import VAULT, named_side, note_name
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.tiers import ACTIVE, LIVE, link_key
from engrain.seam.locator import Locator
from engrain.seam.references import Reference
from engrain.seam.rows import BROKEN, CURRENT, RESOLVED, Row

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
