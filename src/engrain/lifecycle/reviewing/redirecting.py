"""Links to entries in whose place another stands now: they are led to that one (S1.11, S1.17)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.store import Store
from engrain.engine.links.backlinks import Pointing, find_backlinks
from engrain.language.text.instants import format_instant
from engrain.lifecycle.reviewing.joint import Rewrite
from engrain.model.errors import EngrainError
from engrain.model.links.naming import called
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.locator import Locator

_MOST = 200
"""Notes whose links are led on at once; from others the entry in the archive leads on."""
_KEPT = ("derived_from", "supersedes", "superseded_by", "contradicts")
"""Relations that are about the very entry that they name."""


def plan_redirects(store: Store, gone: Sequence[Entry], by: Entry) -> list[Rewrite]:
    """What becomes of the live notes that link to one of `gone`: they link to `by`. Their own notes
    are left alone, and records are."""
    own = {entry.id for entry in (*gone, by)}
    notes: dict[Locator, tuple[Entry, Note]] = {}
    with store.index.view() as view:
        label_first = view.label_first
        for entry in gone:
            number = view.number(entry.path)
            if number is None:
                continue
            pointing = Pointing(called(entry), called(by), ("", ""), label_first=label_first)
            for locator, id_, meant in find_backlinks(view, number):
                if len(notes) == _MOST:
                    break
                if id_ in own:
                    continue
                try:
                    first, note = notes.get(locator) or _read(store, locator)
                    note = pointing.rewrite(Entry(locator, note, ""), meant)[0]
                except EngrainError:
                    continue  # it went, or is a record, or can't be changed safely
                notes[locator] = first, _lead_on(note, entry.id, by.id)
    now = format_instant(store.clock.now())
    return [
        Rewrite(entry, note.patch({"id": entry.id, "updated": now}), locator)
        for locator, (entry, note) in notes.items()
        if note.raw != entry.note.raw and (entry.status, entry.zone) == (ACTIVE, LIVE)
    ]


def _read(store: Store, locator: Locator) -> tuple[Entry, Note]:
    entry = store.read_entry(locator)
    return entry, entry.note


def _lead_on(note: Note, old: str, new: str) -> Note:
    """The links of the frontmatter that name the old one by its id name the new one."""
    given = list_of(note.fields.get("links"))
    links: list[Value] = []
    for item in given:
        to = item.get("to") if isinstance(item, dict) else item
        kept = isinstance(item, dict) and item.get("relation") in _KEPT
        if to == old and not kept:
            item = {**item, "to": new} if isinstance(item, dict) else new
            if item in given or item in links:
                continue
        links.append(item)
    return note if links == given else note.patch({"links": links})
