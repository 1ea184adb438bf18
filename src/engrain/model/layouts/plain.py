"""Notes that a layout has as plain markdown: what it says of itself is the writer's own, not
Engrain's, and comes back as it was."""

from __future__ import annotations

from engrain.model.documents import object_of
from engrain.model.note import compose_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.note import Note

IMPORTED = "imported"
"""The field of an entry under which stands what another system's frontmatter said."""


def read_plain(note: Note) -> tuple[dict[str, Value], str]:
    """The fields that an entry gets from a note of a layout, and its body."""
    front = note.fields
    return {IMPORTED: front} if front else {}, note.body.removeprefix("\ufeff")


def write_plain(entry: Entry) -> bytes:
    """The file of an entry in a layout: its text, under what was said there before."""
    front, body = object_of(entry.fields.get(IMPORTED)), entry.note.body.removeprefix("\ufeff")
    plain = not front and not body.startswith("---")
    return body.encode() if plain else compose_note(front, body).raw
