"""A note's own bytes with another title in them, and nothing else changed (S1.11)."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.engine.verbs.save import check_size
from engrain.language.text.instants import format_instant
from engrain.model.links.keys import link_key
from engrain.model.links.naming import Called
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry, split_heading
from engrain.model.note.field import Value
from engrain.model.note.note import Note


def retitle(
    store: Store, entry: Entry, new: Called, *, place: str, alias: bool
) -> tuple[Note, tuple[str, str]]:
    """The note of an entry that is called anew and lies at `place`, and its first heading before
    and after where that is its title, two times "" where it is not. The title stands where it
    stood: in the field, in the heading, or in the file's name alone.

    Raises MalformedError, UsageError.
    """
    note, headings = _rewrite_heading(entry, new.title)
    fields: dict[str, Value] = {"id": entry.id, "updated": format_instant(store.clock.now())}
    if "title" in entry.fields:
        fields["title"] = new.title
    if "slug" in entry.fields:
        fields["slug"] = new.slug
    if alias and link_key(entry.title) not in {link_key(name) for name in new.aliases}:
        given = entry.fields.get("aliases")
        others = [given] if isinstance(given, str) else list_of(given)
        fields["aliases"] = [*others, entry.title]
    revised = note.patch(fields)
    there = Entry(place, revised, "")
    said: dict[str, Value] = {}
    if there.title != new.title:
        said["title"] = new.title
    if there.kind != entry.kind:
        said["kind"] = entry.kind  # what the name or the title said of it
    revised = revised.patch(said) if said else revised
    if revised.substance() == entry.note.substance():
        return entry.note, headings
    check_size(revised)
    return revised, headings


def _rewrite_heading(entry: Entry, title: str) -> tuple[Note, tuple[str, str]]:
    note = entry.note
    heading, _ = split_heading(note.body)
    if heading is None or heading != entry.title:
        return note, ("", "")
    start = note.body.index("# ") + 2
    start = note.body.index(heading, start)
    body = note.body[:start] + title + note.body[start + len(heading) :]
    return Note(note.head, note.front, note.fence, body), (heading, title)
