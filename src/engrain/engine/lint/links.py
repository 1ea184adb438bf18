"""Rules about links: those that lead nowhere, and those whose other end does not say them."""

from __future__ import annotations

import re
from functools import partial

from engrain.engine.linking import list_one_sided
from engrain.engine.lint.flaw import Flaw
from engrain.model.documents import list_of
from engrain.model.folding import link_key
from engrain.model.json_note import JsonNote
from engrain.model.links import INVERSE, note_name, parse_links
from engrain.model.note import Note
from engrain.model.tiers import ACTIVE, LIVE, PERSONAL, split_ending
from engrain.seam.graph import BROKEN, FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from engrain.engine.lint.repairs import Repairs
    from engrain.engine.store import Store
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.links import Link
    from engrain.seam.graph import Reference
    from engrain.seam.rows import Row

BROKEN_LINK, ONE_SIDED = "broken-link", "one-sided"
_APART = re.compile(r"[\s_.–-]+")
_ATTACHMENT = re.compile(r"\.(?!md\Z)[a-z][a-z0-9]{1,9}\Z", re.IGNORECASE)
_VAULT = re.compile(r"dendron://[^/]*/")
_PLACEHOLDER = ("{{", "<%", "${", "*")
"""What is to be filled in, or stands for several (Dendron)."""


def find_broken(store: Store) -> Iterator[Flaw]:
    """Links to notes that are not there. One is mended where the note it meant was renamed, by the
    history, or has that name but for the signs between its words, and no other could be meant."""
    broken = _read_broken(store)
    meant = _find_meant(store, {link_key(note_name(name)) for _, _, name in broken})
    for row, reference, name in broken:
        # Where a markdown link leads is told from the note that it stands in.
        end = None if name.endswith(".md") else meant.get(link_key(note_name(name)))
        to = f": {end[1]} is what it means" if end else ""
        yield Flaw(
            BROKEN_LINK,
            row.locator,
            f"no note goes by {name!r}{to}",
            line=_line_of(store, row, reference),
            entry=row.id,
            mend=partial(_relink, row, reference, name, end) if end else None,
            remedy=None if end else "write the note, or mend the link in an editor",
        )


def find_one_sided(store: Store) -> Iterator[Flaw]:
    """Links with an inverse that the other end lacks."""
    for row, relation, other in list_one_sided(store):
        yield Flaw(
            ONE_SIDED,
            other.locator,
            f"does not say that it is {INVERSE[relation]} {row.id}, which links to it",
            entry=other.id,
            mend=partial(_answer, other, row, INVERSE[relation]),
        )


def _read_broken(store: Store) -> list[tuple[Row, Reference, str]]:
    """Every link of a live entry that leads nowhere, with the name that leads nowhere; but for what
    is to be filled in, attachments and the operator's own notes."""
    found: list[tuple[Row, Reference, str]] = []
    with store.index.view() as view:
        label_first = view.label_first
        written = list(view.links(BROKEN))
        rows = view.rows(sorted({one.source for one in written}))
        for one in written:
            row, reference = rows.get(one.source), one.reference
            # In Dendron's order the name stands behind what is shown for it.
            side = (reference.label if label_first else "") or reference.target
            target = side.partition("#")[0].strip()
            if row is None or (row.status, row.zone) != (ACTIVE, LIVE):
                continue
            if any(mark in target for mark in _PLACEHOLDER) or target.startswith(PERSONAL):
                continue
            if "://" in _VAULT.sub("", target):
                continue  # an address
            if target and not _ATTACHMENT.search(target):
                found.append((row, reference, target))
    return found


def _find_meant(store: Store, keys: Collection[str]) -> Mapping[str, tuple[str, str]]:
    """By the name in a broken link the id of the one entry that it must mean, and the name that
    leads there now."""
    if not keys:
        return {}
    ids: dict[str, set[str]] = {}
    _add_renamed(store, keys, ids)
    _add_spelled(store, keys, ids)
    found: dict[str, tuple[str, str]] = {}
    for key, some in ids.items():
        row = store.find_exact(next(iter(some))) if len(some) == 1 else None
        if row and (row.status, row.zone) == (ACTIVE, LIVE):
            found[key] = (row.id, _name_now(store, row))
    return found


def _add_renamed(store: Store, keys: Collection[str], ids: dict[str, set[str]]) -> None:
    """Who had a file of that name at some time, by the history."""
    for change in store.index.changes():
        key = link_key(change.locator) if change.locator else ""
        if key in keys:
            ids.setdefault(key, set()).add(change.entry)


def _add_spelled(store: Store, keys: Collection[str], ids: dict[str, set[str]]) -> None:
    """Who has a name that differs only in what stands between its words."""
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


def _name_now(store: Store, row: Row) -> str:
    """How a link names an entry: by its file, with the path where others have that name."""
    stem = split_ending(row.locator)[0]
    with store.index.view() as view:
        alone = view.meant(stem) == [view.number(row.locator)]
    return stem if alone else row.locator.removesuffix(".md")


def _line_of(store: Store, row: Row, reference: Reference) -> int:
    """The line of the file in which a link stands first, 0 where it is not found."""
    entry = store.read_entry(row.locator)
    note = entry.note
    if isinstance(note, JsonNote) or reference.origin == FIELD:
        return 0
    for link in parse_links(note.body):
        if reference.target in (link.target, link.label):
            before = note.head + note.front + note.fence + note.body[: link.offset]
            return before.count("\n") + 1
    return 0


def _relink(
    row: Row, reference: Reference, old: str, end: tuple[str, str], repairs: Repairs
) -> None:
    """Have a link lead to an entry again, and leave all else of it as it is."""
    id_, name = end

    def change(entry: Entry) -> Note:
        note = entry.note
        if reference.origin == FIELD:
            links: list[Value] = [
                _with_end(link, old, id_) for link in list_of(entry.fields["links"])
            ]
            return note.patch({"links": links})
        body = note.body
        for link in reversed(parse_links(body)):
            place = _place_of(body, link, old)
            if place is not None:
                body = body[: place[0]] + name + body[place[1] :]
        return Note(note.head, note.front, note.fence, body)

    repairs.change(row.locator, change)


def _with_end(link: Value, old: str, id_: str) -> Value:
    if isinstance(link, dict):
        return {**link, "to": id_} if link.get("to") == old else link
    return id_ if link == old else link


def _place_of(body: str, link: Link, target: str) -> tuple[int, int] | None:
    """The span of a note's name within a link, on whichever side it stands and without the vault
    that Dendron names before it; None where it is not."""
    start = link.offset
    if link.relation:
        start = body.find("::", start) + 2
    if target != link.target:
        start = body.find("|", start)
        if start < 0 or (link.label or "").partition("#")[0].strip() != target:
            return None
    at = body.find(target, start)
    vault = _VAULT.match(target)
    return None if at < 0 else (at + (vault.end() if vault else 0), at + len(target))


def _answer(other: Row, row: Row, relation: str, repairs: Repairs) -> None:
    def change(entry: Entry) -> Note:
        links: list[Value] = [*list_of(entry.fields.get("links"))]
        return entry.note.patch({"links": [*links, {"to": row.id, "relation": relation}]})

    repairs.change(other.locator, change)
