"""Finds links that could be made where a note has the whole title of another one (S1.11)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.index.links import list_meant
from engrain.language.text.fences import shorten
from engrain.model.links.link import UNLINKABLE, write_link
from engrain.model.links.mentions import Mention, Titles
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import link_key, split_ending
from engrain.seam.locator import make_locator

_MOST_OF_ONE = 40
"""Mentions in one note that are used: a note with more is an index of others."""
_FEW = 8
"""A title that more notes mention is a common phrase."""
_QUOTE = 160
_TEMPLATE = re.compile(r"(?:\A|[/._])_?templates?[/.]", re.IGNORECASE)
"""The paths of templates, which no text mentions."""


@dataclass(slots=True, eq=False)
class Suggestion:
    """A link that could be made from the note `source` to the note `target`, both named by their
    ids: `words` are the title in the text, and `quote` is the line that has it."""

    source: str
    target: str
    words: str
    quote: str


def suggest_links(store: Store, memos: Iterable[Memo]) -> Iterator[Suggestion]:
    """Yield the links that could be made. The index must be ready."""
    notes: list[tuple[str, str]] = []  # id and place
    titles = Titles()
    for memo in memos:
        if not _TEMPLATE.search(memo.locator):
            titles.add(memo.title, len(notes))
        notes.append((memo.id, memo.locator))
    found: dict[tuple[int, int], Mention] = {}
    mentioned: Counter[int] = Counter()
    places = {id_: at for at, (id_, _) in enumerate(notes)}
    for memo in memos:
        if memo.id not in places:
            continue  # it was added between the passes
        source = places[memo.id]
        best = {one.owner: one for one in reversed([*titles.find(memo.text)])}
        best.pop(source, None)
        mentioned.update(best.keys())
        found |= {(source, owner): best[owner] for owner in list(best)[:_MOST_OF_ONE]}
    taken = _linked(store, notes, found)
    ranked = [
        (notes[source][0], notes[target][0], source, target)
        for source, target in found
        if mentioned[target] <= _FEW and (source, target) not in taken
    ]
    for one, other, source, target in sorted(ranked):
        mention = found[source, target]
        entry = store.find_entry(make_locator(notes[source][1]))
        if entry is not None:
            words = entry.text[mention.start : mention.end]
            yield Suggestion(one, other, words, _quote(entry.text, mention))


def _linked(
    store: Store, notes: Sequence[tuple[str, str]], pairs: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Return those pairs of notes that are linked already, in either direction."""
    wanted = set(pairs)
    ends = sorted({at for pair in wanted for at in pair})
    found: set[tuple[int, int]] = set()
    with store.index.view() as view:
        numbers = {at: view.number(notes[at][1]) for at in ends}
        back = {number: at for at, number in numbers.items() if number is not None}
        asked = list(back)
        for start in range(0, len(asked), 500):
            for edge in view.edges_from(asked[start : start + 500]):
                other = back.get(edge.target)
                if other is not None:
                    one = back[edge.source]
                    found |= {(one, other), (other, one)} & wanted
    return found


def _quote(text: str, mention: Mention) -> str:
    """Return the line that has a mention, from a word not far before it."""
    first, last = text.rfind("\n", 0, mention.start) + 1, text.find("\n", mention.end)
    first = max(first, text.rfind(" ", 0, max(0, mention.start - _QUOTE // 2)) + 1)
    return shorten(text[first : last if last >= 0 else len(text)], _QUOTE)


def link_mention(store: Store, entry: Entry, target: Entry) -> Note | None:
    """Return a note in which a mention of another is now a link; None where it has none. The index
    must be ready."""
    titles = Titles()
    titles.add(target.title, 0)
    best = next(titles.find(entry.text), None)
    if best is None:
        return None
    link = compose_link(store, target, entry.text[best.start : best.end])
    if link is None:
        return None
    note = entry.note
    under = len(note.body) - len(entry.text)
    start, end = under + best.start, under + best.end
    return Note(note.head, note.front, note.fence, note.body[:start] + link + note.body[end:])


def compose_link(store: Store, target: Entry, written: str) -> str | None:
    """Return a link to an entry that shows the words as written; None where name or words can't
    stand in a link."""
    name = name_now(store, target.path)
    if UNLINKABLE.search(name + written):
        return None
    if link_key(written) == link_key(name) and "/" not in name + written:
        return f"[[{written}]]"
    return write_link(name, written)


def name_now(store: Store, place: str) -> str:
    """Return the name by which a link reaches the entry at a place: the file's name, with its path
    where others share that name."""
    stem = split_ending(place)[0]
    with store.index.view() as view:
        alone = view.ask(list_meant, stem) == [view.number(place)]
    return stem if alone else place.removesuffix(".md")
