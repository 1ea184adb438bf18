"""Rules about links: those that lead nowhere, and those whose other end does not say them."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby

from engrain.engine.linking import list_one_sided
from engrain.engine.lint.flaw import Flaw
from engrain.engine.lint.meaning import find_alike, find_meant
from engrain.engine.lint.relinking import VAULT, relink_note
from engrain.model.documents import list_of
from engrain.model.folding import link_key
from engrain.model.json_note import JsonNote
from engrain.model.links import INVERSE, note_name, parse_links
from engrain.model.tiers import ACTIVE, LIVE, PERSONAL
from engrain.seam.graph import BROKEN, FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engrain.engine.lint.repairs import Repairs
    from engrain.engine.store import Store
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.note import Note
    from engrain.seam.graph import Reference
    from engrain.seam.rows import Row

BROKEN_LINK, ONE_SIDED = "broken-link", "one-sided"
_RELINK = "relink"
_ATTACHMENT = re.compile(r"\.(?!md\Z)[a-z][a-z0-9]{1,9}\Z", re.IGNORECASE)
_PLACEHOLDER = ("{{", "<%", "${", "*")
"""What is to be filled in, or stands for several (Dendron)."""


def find_broken(store: Store) -> Iterator[Flaw]:
    """Links to notes that are not there. One is mended where the note it meant was renamed, by the
    history, or has that name but for the signs between its words, and no other could be meant;
    where one note's name is the same but for a letter, that is proposed."""
    broken = _read_broken(store)
    keys = {link_key(note_name(name)) for _, _, name in broken}
    meant = find_meant(store, keys)
    alike = find_alike(store, keys - meant.keys())
    for _, group in groupby(broken, key=lambda one: one[0].locator):
        some = list(group)
        row = some[0][0]
        lines = _read_lines(store, row)
        ends: dict[str, tuple[str, str]] = {}
        mend = partial(_relink, row, ends)
        for _, reference, name in some:
            key = link_key(note_name(name))
            # Where a markdown link leads is told from the note that it stands in.
            end = None if name.endswith(".md") else meant.get(key)
            near = None if name.endswith(".md") else alike.get(key)
            told = ""
            if end:
                ends[name] = end
                told = f": {end[1]} is what it means"
            elif near and near.id != row.id:
                told = f": {near.title!r} is spelled alike"
            yield Flaw(
                BROKEN_LINK,
                row.locator,
                f"no note goes by {name!r}{told}",
                line=0 if reference.origin == FIELD else lines.get(name, 0),
                entries=[row.id, near.id] if near and told else [row.id],
                mend=mend if end else None,
                action=_RELINK if near and told else "",
                remedy=None if told else "write the note, or mend the link in an editor",
            )


def find_one_sided(store: Store) -> Iterator[Flaw]:
    """Links with an inverse that the other end lacks."""
    for row, relation, other in list_one_sided(store):
        yield Flaw(
            ONE_SIDED,
            other.locator,
            f"does not say that it is {INVERSE[relation]} {row.id}, which links to it",
            entries=[other.id],
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
            if "://" in VAULT.sub("", target):
                continue  # an address
            if target and not _ATTACHMENT.search(target):
                found.append((row, reference, target))
    return found


def _read_lines(store: Store, row: Row) -> dict[str, int]:
    """The line of the file in which each name in a link stands first, on whichever side."""
    note = store.read_entry(row.locator).note
    found: dict[str, int] = {}
    if isinstance(note, JsonNote):
        return found
    line, at = (note.head + note.front + note.fence).count("\n") + 1, 0
    for link in parse_links(note.body):
        line, at = line + note.body.count("\n", at, link.offset), link.offset
        for side in (link.target, (link.label or "").partition("#")[0].strip()):
            found.setdefault(side, line)
    return found


def _relink(row: Row, ends: Mapping[str, tuple[str, str]], repairs: Repairs) -> None:
    def change(entry: Entry) -> Note:
        return relink_note(entry.note, ends)

    repairs.change(row.locator, change)


def _answer(other: Row, row: Row, relation: str, repairs: Repairs) -> None:
    def change(entry: Entry) -> Note:
        links: list[Value] = [*list_of(entry.fields.get("links"))]
        return entry.note.patch({"links": [*links, {"to": row.id, "relation": relation}]})

    repairs.change(other.locator, change)
