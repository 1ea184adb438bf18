"""Turns a mention of another note into a link, and changes no other byte (S1.11)."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.model.links.keys import link_key
from engrain.model.links.link import UNLINKABLE, write_link
from engrain.model.links.mentions import Names, best_mentions
from engrain.model.links.naming import called
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import split_ending


def link_mention(store: Store, entry: Entry, target: Entry) -> Note | None:
    """A note in which its likeliest mention of another is a link; None where it has none. The index
    must be ready."""
    names, goes_by = Names(), called(target)
    for name in (goes_by.title, *goes_by.aliases, goes_by.slug, goes_by.stem):
        names.add(name, 0)
    found = best_mentions(names.find(entry.text))
    found = [one for one in found if one.capital or not one.name.single]
    if not found:
        return None
    best = max(found, key=lambda mention: (mention.strength, -mention.start))
    link = compose_link(store, target, entry.text[best.start : best.end])
    if link is None:
        return None
    note = entry.note
    under = len(note.body) - len(entry.text)
    start, end = under + best.start, under + best.end
    return Note(note.head, note.front, note.fence, note.body[:start] + link + note.body[end:])


def compose_link(store: Store, target: Entry, written: str) -> str | None:
    """A link to an entry that shows the words as written, in the order of this vault's links; None
    where name or words can't stand in a link."""
    name = name_now(store, target.path)
    with store.index.view() as view:
        label_first = view.label_first
    if UNLINKABLE.search(name + written):
        return None
    if link_key(written) == link_key(name) and "/" not in name + written:
        return f"[[{written}]]"
    return write_link(name, written, label_first=label_first)


def name_now(store: Store, place: str) -> str:
    """The name by which a link reaches the entry at a place: its file's, with the path where others
    share that name."""
    stem = split_ending(place)[0]
    with store.index.view() as view:
        alone = view.meant(stem) == [view.number(place)]
    return stem if alone else place.removesuffix(".md")
