"""Makes a link lead to an entry again: replaces its name, and no other byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from engrain.language.text.spelling import is_misspelled
from engrain.model.links.keys import link_key
from engrain.model.links.link import Link, note_name
from engrain.model.links.naming import called
from engrain.model.links.relinking import LABEL, TARGET, Rewrite, relink_ends, relink_note
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note


def lead_back(note: Note, ends: Mapping[str, tuple[str, str]], *, label_first: bool) -> Note:
    """A note whose links to the names in `ends` lead to entries: (id, current name). `label_first`
    is the order of this vault's links. Raises MalformedError."""

    def choose(name: str) -> str | None:
        return ends[name][1] if name in ends else None

    links, count = relink_ends(
        note.fields.get("links"), lambda to: ends[to][0] if to in ends else None
    )
    patched = note.patch({"links": links}) if count else note
    return relink_note(patched, partial(_decide, choose, label_first))[0]


def respell_links(entry: Entry, target: Entry, name: str, *, label_first: bool) -> Note | None:
    """A note whose links to a misspelled name of another lead to it by `name`; None where it has no
    such link. Raises MalformedError."""
    known = called(target)
    names = [link_key(one) for one in (known.title, known.slug, known.stem)]

    def choose(written: str) -> str | None:
        key = link_key(note_name(written))
        alike = key not in names and any(is_misspelled(key, one) for one in names)
        return name if alike else None

    note, count = relink_note(entry.note, partial(_decide, choose, label_first))
    return note if count else None


def named_side(target: str, label: str | None, *, label_first: bool) -> str:
    """The name in a link, without heading; in Dendron's order it comes after the label."""
    side = (label if label_first else None) or target
    return side.partition("#")[0].strip()


def _decide(choose: Callable[[str], str | None], label_first: bool, link: Link) -> Rewrite | None:
    """Another name for a link where `choose` has one; markdown's own links lead somewhere from
    where they stand, and are left."""
    if link.markdown:
        return None
    name = choose(named_side(link.target, link.label, label_first=label_first))
    side = LABEL if label_first and link.label else TARGET
    return None if name is None else Rewrite(lambda _: name, side=side)
