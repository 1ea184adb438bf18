"""Having a link lead to an entry again: its name is replaced, and no other byte."""

from __future__ import annotations

import re

from engrain.model.documents import list_of
from engrain.model.folding import link_key
from engrain.model.links import note_name, parse_links
from engrain.model.note import Note
from engrain.model.spelling import is_misspelled
from engrain.model.tiers import split_ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.links import Link

VAULT = re.compile(r"dendron://[^/]*/")
"""What Dendron writes before a note's name, of whatever vault."""


def relink_text(note: Note, old: str, name: str) -> Note:
    """A note whose links to the name `old` lead to `name`."""
    body = note.body
    for link in reversed(parse_links(body)):
        place = _place_of(body, link, old)
        if place is not None:
            body = body[: place[0]] + name + body[place[1] :]
    return Note(note.head, note.front, note.fence, body)


def relink_field(note: Note, old: str, id_: str) -> Note:
    """A note of which those `links` in the frontmatter that name `old` name an id."""
    links: list[Value] = [_with_end(link, old, id_) for link in list_of(note.fields.get("links"))]
    return note.patch({"links": links})


def respell_links(entry: Entry, target: Entry, name: str) -> Note | None:
    """A note whose links to a misspelled name of another lead to that by `name`; None where it has
    none."""
    names = [link_key(one) for one in (target.title, target.slug, split_ending(target.path)[0])]
    note = entry.note
    body = note.body
    for link in reversed(parse_links(body)):
        for side in (link.target, (link.label or "").partition("#")[0].strip()):
            key = link_key(note_name(side))
            if key in names or not any(is_misspelled(key, one) for one in names):
                continue
            place = None if link.markdown else _place_of(body, link, side)
            if place is not None:
                body = body[: place[0]] + name + body[place[1] :]
                break
    return None if body == note.body else Note(note.head, note.front, note.fence, body)


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
    vault = VAULT.match(target)
    return None if at < 0 else (at + (vault.end() if vault else 0), at + len(target))
