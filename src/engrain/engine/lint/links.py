"""Lint rules about links that lead nowhere, and links whose inverse is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import groupby

from engrain.engine.core.drawing import draw_links
from engrain.engine.core.store import Store
from engrain.engine.links.checking import Judge
from engrain.engine.links.linking import list_one_sided
from engrain.engine.links.suggestions import name_now
from engrain.engine.lint.flaw import Flaw, Repairs, change_at
from engrain.model.errors import MalformedError
from engrain.model.links.link import (
    INVERSE,
    VAULT,
    Link,
    leads_to_file,
    named_side,
    note_name,
    parse_links,
)
from engrain.model.links.relinking import LABEL, TARGET, LinkRewrite, relink_ends, relink_note
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import RELATED, Note
from engrain.model.note.tiers import ACTIVE, LIVE, link_key
from engrain.seam.references import Reference
from engrain.seam.rows import BROKEN, FIELD, RESOLVED, Row
from engrain.seam.view import IndexView

_APART = re.compile(r"[\s_.–-]+")

BROKEN_LINK, ONE_SIDED, DRAWING = "broken-link", "one-sided", "drawing"


def find_broken(store: Store) -> Iterator[Flaw]:
    """Find links to notes that do not exist. A link is fixed where the history shows that its note
    was renamed, or where one note's name differs only in punctuation."""
    broken = _read_broken(store)
    meant = find_meant(store, {link_key(note_name(name)) for _, _, name in broken})
    for _, group in groupby(broken, key=lambda one: one[0].locator):
        some = list(group)
        row = some[0][0]
        lines = _read_lines(store, row)
        ends: dict[str, tuple[str, str]] = {}
        mend = change_at(row.locator, partial(_lead_back, ends))
        for _, reference, name in some:
            key = "" if name.endswith(".md") else link_key(note_name(name))
            # A markdown link is relative to its own note.
            end = meant.get(key) if key else None
            line = 0 if reference.origin == FIELD else lines.get(name, 0)
            if not end:
                yield Flaw(
                    BROKEN_LINK,
                    row.locator,
                    f"{_what(name)} is called {name!r}",
                    line=line,
                    entries=[row.id],
                    remedy="create it, or correct the link in an editor",
                )
            elif end[1] != note_name(name):  # otherwise the name is right
                ends[name] = end
                message = f"{_what(name)} is called {name!r}; {end[1]} is meant"
                yield Flaw(
                    BROKEN_LINK, row.locator, message, line=line, entries=[row.id], mend=mend
                )


def _what(name: str) -> str:
    return "no file" if leads_to_file(name) else "no note"


def find_one_sided(store: Store) -> Iterator[Flaw]:
    """Find links whose inverse is missing at the other end."""
    for row, relation, other in list_one_sided(store):
        yield Flaw(
            ONE_SIDED,
            other.locator,
            f"lacks the link {INVERSE[relation]} {row.id}, the inverse of that entry's link",
            entries=[other.id],
            mend=change_at(
                other.locator, partial(_answer, {"to": row.id, "relation": INVERSE[relation]})
            ),
        )


def find_undrawn(store: Store, row: Row, entry: Entry) -> Iterator[Flaw]:
    """Find notes whose typed links Obsidian's graph does not show, or not as they are now."""
    try:
        drawn = draw_links(store, entry.note, entry)
    except MalformedError:
        return  # its frontmatter can't be changed safely
    if drawn is not entry.note:
        message = f"{RELATED} does not draw what links and supersedes name"

        def mend(repairs: Repairs) -> None:
            repairs.change(row.locator, repairs.draw)

        yield Flaw(DRAWING, row.locator, message, entries=[row.id], mend=mend)


def _read_broken(store: Store) -> list[tuple[Row, Reference, str]]:
    """List every broken link of a live entry with the broken name, except placeholders, patterns,
    and links into another vault."""
    found: list[tuple[Row, Reference, str]] = []
    away = {}
    with store.index.view() as view:
        judge = Judge(store, view)
        rows = {}
        for one in view.links(BROKEN):
            if one.source not in rows:
                rows = view.rows([one.source])  # they come entry by entry
            row, reference = rows.get(one.source), one.reference
            if row is None or (row.status, row.zone) != (ACTIVE, LIVE):
                continue
            state = judge.judge(row.locator.folder, one)
            name = named_side(reference.target, reference.label)
            address = "://" in VAULT.sub("", name)
            if state != BROKEN or "*" in name or address:
                continue
            if vault := _vault_of(reference):
                away[len(found)] = vault
            found.append((row, reference, name))
        here = _find_vaults(view) if away else set()
    return [one for at, one in enumerate(found) if away.get(at, "") in {"", *here}]


def _find_vaults(view: IndexView) -> set[str]:
    """Return the names of other vaults whose notes are here, by the links that lead to them."""
    return {_vault_of(written.reference) for written in view.links(RESOLVED)}


def _vault_of(reference: Reference) -> str:
    found = VAULT.match(reference.target) or VAULT.match(reference.label)
    return "" if found is None else found[1]


def _read_lines(store: Store, row: Row) -> dict[str, int]:
    found: dict[str, int] = {}
    entry = store.find_entry(row.locator)
    if entry is None or isinstance(entry.note, JsonNote):
        return found  # it vanished or broke meanwhile, or has no lines
    note = entry.note
    line, at = (note.head + note.front + note.fence).count("\n") + 1, 0
    for link in parse_links(note.body):
        line, at = line + note.body.count("\n", at, link.offset), link.offset
        found.setdefault(named_side(link.target, link.label), line)
    return found


def _answer(link: dict[str, Value], entry: Entry) -> Note:
    return entry.note.patch({"links": [*list_of(entry.fields.get("links")), link]})


def find_meant(store: Store, keys: Collection[str]) -> Mapping[str, tuple[str, str]]:
    """Return, by the name in a broken link, the id and present name of the one entry that it must
    mean: one that had a file of that name, or whose name differs only in punctuation."""
    if not keys:
        return {}
    ids: dict[str, set[str]] = {}
    for change in store.index.changes():
        key = link_key(change.locator) if change.locator else ""
        if key in keys:
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


def _lead_back(ends: Mapping[str, tuple[str, str]], entry: Entry) -> Note:
    return lead_back(entry.note, ends)


def lead_back(note: Note, ends: Mapping[str, tuple[str, str]]) -> Note:
    """Make a note's links to the names in `ends` lead to entries: (id, current name).
    Raises MalformedError."""

    def choose(name: str) -> str | None:
        return ends[name][1] if name in ends else None

    links, count = relink_ends(
        note.fields.get("links"), lambda to: ends[to][0] if to in ends else None
    )
    patched = note.patch({"links": links}) if count else note
    return relink_note(patched, partial(_decide, choose))[0]


def _decide(choose: Callable[[str], str | None], link: Link) -> LinkRewrite | None:
    """Return another name for a link where `choose` has one; markdown links are left."""
    name = None if link.markdown else choose(named_side(link.target, link.label))
    side = LABEL if VAULT.match(link.label or "") else TARGET
    return None if name is None else LinkRewrite(lambda _: name, side=side)
