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
    from collections.abc import Callable, Mapping

    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.links import Link

VAULT = re.compile(r"dendron://([^/]*)/")
"""What Dendron writes before a note's name, of whatever vault."""


def relink_note(note: Note, ends: Mapping[str, tuple[str, str]], *, label_first: bool) -> Note:
    """A note whose links to the names in `ends` lead to an entry: (its id, the name it goes by).
    `label_first` is the order of this vault's links."""
    given = list_of(note.fields.get("links"))
    links = [_with_end(link, ends) for link in given]
    if links != given:
        note = note.patch({"links": links})

    def choose(name: str) -> str | None:
        return ends[name][1] if name in ends else None

    return _replace(note, choose, label_first)


def respell_links(entry: Entry, target: Entry, name: str, *, label_first: bool) -> Note | None:
    """A note whose links to a misspelled name of another lead to that by `name`; None where it has
    none."""
    names = [link_key(one) for one in (target.title, target.slug, split_ending(target.path)[0])]

    def choose(written: str) -> str | None:
        key = link_key(note_name(written))
        alike = key not in names and any(is_misspelled(key, one) for one in names)
        return name if alike else None

    note = _replace(entry.note, choose, label_first)
    return None if note.body == entry.note.body else note


def named_side(target: str, label: str | None, *, label_first: bool) -> str:
    """The name in a link, without heading: in Dendron's order it stands behind what is shown for
    it."""
    side = (label if label_first else None) or target
    return side.partition("#")[0].strip()


def _replace(note: Note, choose: Callable[[str], str | None], label_first: bool) -> Note:
    """A note in whose links another name stands where `choose` has one; markdown's own links lead
    somewhere from where they stand, and are left."""
    parts: list[str] = []
    end = 0
    for link in parse_links(note.body):
        side = named_side(link.target, link.label, label_first=label_first)
        name = None if link.markdown else choose(side)
        place = None if name is None else _place_of(note.body, link, side)
        if name is not None and place is not None:
            parts += note.body[end : place[0]], name
            end = place[1]
    return Note(note.head, note.front, note.fence, "".join([*parts, note.body[end:]]))


def _with_end(link: Value, ends: Mapping[str, tuple[str, str]]) -> Value:
    target = link.get("to") if isinstance(link, dict) else link
    if not isinstance(target, str) or target not in ends:
        return link
    return {**link, "to": ends[target][0]} if isinstance(link, dict) else ends[target][0]


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
