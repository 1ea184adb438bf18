"""Notes that a layout has as plain markdown: what it says of itself is the writer's own, not
Engrain's, and comes back as it was."""

from __future__ import annotations

from collections.abc import Mapping

from engrain.model.note.documents import object_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, compose_note

IMPORTED = "imported"
"""The field of an entry under which stands what another system's frontmatter said."""


def read_plain(note: Note) -> tuple[dict[str, Value], str]:
    """The fields that an entry gets from a note of a layout, and its body."""
    front = note.fields
    return {IMPORTED: front} if front else {}, note.body.removeprefix("\ufeff")


def compose_plain(front: Mapping[str, Value], body: str) -> Note:
    """A note with some fields and a text, which has no frontmatter where it needs none."""
    if front or body.startswith("---"):
        return compose_note(front, body)
    return Note("", "", "", body)


def write_plain(entry: Entry) -> bytes:
    """The file of an entry in a layout: its text, under what was said there before."""
    body = entry.note.body.removeprefix("\ufeff")
    return compose_plain(object_of(entry.fields.get(IMPORTED)), body).raw
