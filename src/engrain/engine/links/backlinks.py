"""Rewrites the links to a renamed note in the notes where they stand (S1.11)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from engrain.engine.core.reading import refer
from engrain.engine.core.store import Store
from engrain.engine.links.checking import unread_places
from engrain.index.links import lead, list_links
from engrain.index.view import IndexView
from engrain.model.errors import EngrainError, MalformedError
from engrain.model.links.link import VAULT, Link, note_name, parse_links
from engrain.model.links.relinking import (
    LABEL,
    TARGET,
    Called,
    LinkRewrite,
    drawn_names,
    keep,
    relink_ends,
    relink_note,
    rename_heading,
    rename_link,
)
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote, parse_note
from engrain.model.note.note import Note
from engrain.model.note.tiers import link_key
from engrain.seam.locator import Locator
from engrain.seam.references import Written
from engrain.seam.rows import CHAIN, LINKED

Meant: TypeAlias = "frozenset[tuple[str, str]]"
"""The (target, label) of those links of one note that mean another note."""


def find_backlinks(view: IndexView, end: int) -> Iterator[tuple[Locator, str, Meant]]:
    """Yield every other entry that links to `end`, in order: its place, its id, and the links."""
    alike: dict[Meant, Meant] = {}  # equal sets share memory
    edges = view.edges_to([end])
    sources = dict.fromkeys(edge.source for edge in edges if edge.origin in (*LINKED, CHAIN))
    for source in sources:
        row = view.rows([source]).get(source)
        if row is not None:
            meant = links_meaning(view.ask(list_links, source), end)
            yield row.locator, row.id, alike.setdefault(meant, meant)


def find_unread(store: Store, view: IndexView, end: int) -> Iterator[Locator]:
    """Yield the places of notes that link to `end` and whose frontmatter the index can't read."""
    for place in unread_places(store):
        try:
            note = parse_note(store.backend.read(place).raw, place)
        except EngrainError:
            continue  # it is no text, or vanished
        if any(
            view.ask(lead, refer(link), place.folder)[0] == end for link in parse_links(note.body)
        ):
            yield place


def links_meaning(written: Collection[Written], end: int) -> Meant:
    """Return those of some links that lead to an entry, as they are written."""
    return frozenset(
        (one.reference.target, one.reference.label)
        for one in written
        if one.end == end and one.reference.origin in LINKED
    )


class Pointing:
    """Rewrites links to a note from its old names to its new ones. `headings` are the old and the
    new title, where the title is the first heading."""

    def __init__(self, old: Called, new: Called, headings: tuple[str, str]) -> None:
        self._old = old
        self._new = new
        self._headings = headings
        self._keys = old.keys

    def rewrite(self, entry: Entry, meant: Meant, *, own: bool = False) -> tuple[Note, int]:
        """Return an entry's note with its links rewritten, and their number; with `own` it is the
        renamed note itself, whose links to its first heading change too.

        Raises MalformedError for a record, and for frontmatter that can't be changed safely.
        """
        note = entry.note
        drawn = [(name, "") for name in drawn_names(note)] if note.draws else []
        if isinstance(note, JsonNote):
            raise MalformedError("a record is left as it is", reason="record")

        named = meant.union(drawn)

        def decide(link: Link) -> LinkRewrite | None:
            if not link.target:
                return LinkRewrite(keep, self._head) if own else None
            side = self._side(link) if (link.target, link.label or "") in named else None
            return LinkRewrite(self._name, self._head, side) if side else None

        def choose(to: str) -> str | None:
            return self._name(to) if (to, "") in meant else None

        rewritten, count = relink_note(note, decide)
        links, listed = relink_ends(rewritten.fields.get("links"), choose)
        return (rewritten.patch({"links": links}) if listed else rewritten), count + listed

    def _side(self, link: Link) -> str | None:
        sides = [(TARGET, link.target), (LABEL, link.label or "")]
        label = link.label or ""
        dendrons = VAULT.match(label) or ("." in label and "." not in link.target)
        for side, written in sides[::-1] if dendrons else sides:
            if written and link_key(note_name(written)) in self._keys:
                return side
        return None

    def _name(self, written: str) -> str:
        return rename_link(written, self._old, self._new)

    def _head(self, written: str) -> str:
        return rename_heading(written, *self._headings)
