"""Suggests links that could be made where a note has the whole title of another one (S1.11)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.language.text.fences import shorten
from engrain.model.errors import EngrainError
from engrain.model.links.link import UNLINKABLE, write_link
from engrain.model.links.mentions import Mention, Titles
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import link_key, split_ending

MENTION = "mention"
_SCORE = 0.95
_MOST_OF_ONE = 40
"""Mentions in one note that are used: a note with more is an index of others."""
_FEW = 8
"""A title that more notes mention is a common phrase."""
_QUOTE = 160
_TEMPLATE = re.compile(r"(?:\A|[/._])_?templates?[/.]", re.IGNORECASE)
"""The paths of templates, which no text mentions."""


@dataclass(slots=True, eq=False)
class Suggestion:
    """A link that could be made from the note `source` at a `place` to the note `target` with this
    `title`; notes are named by their ids. `words` are those of the text, `line` is their line in
    the file (from 1), and `quote` that line. `score` is from 0 to 1."""

    source: str
    place: str
    target: str
    title: str
    score: float
    words: str
    quote: str
    line: int
    kind: str = MENTION


def suggest_links(
    store: Store, memos: Iterable[Memo], *, about: str | None = None
) -> Iterator[Suggestion]:
    """Yield the links that could be made; only from or to the note `about`, if an
    id is given. The index must be ready."""
    notes: list[_TitledNote] = []
    titles = Titles()
    for memo in memos:
        if not _TEMPLATE.search(memo.locator):
            titles.add(memo.title, len(notes))
        notes.append(_TitledNote(memo.id, memo.locator, memo.title))
    found: dict[tuple[int, int], Mention] = {}
    mentioned: Counter[int] = Counter()
    places = {note.id: at for at, note in enumerate(notes)}
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
        (notes[source].id, notes[target].id, source, target)
        for source, target in found
        if mentioned[target] <= _FEW
        and (source, target) not in taken
        and about in (None, notes[source].id, notes[target].id)
    ]
    for _, _, source, target in sorted(ranked):
        if made := _quote(store, notes[source], notes[target], found[source, target]):
            yield made


@dataclass(frozen=True, slots=True)
class _TitledNote:
    """The fields of a note that are kept between the passes."""

    id: str
    locator: str
    title: str


def _linked(
    store: Store, notes: Sequence[_TitledNote], pairs: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Return those pairs of notes that are linked already, in either direction."""
    wanted = set(pairs)
    ends = sorted({at for pair in wanted for at in pair})
    found: set[tuple[int, int]] = set()
    with store.index.view() as view:
        numbers = {at: view.number(notes[at].locator) for at in ends}
        back = {number: at for at, number in numbers.items() if number is not None}
        asked = list(back)
        for start in range(0, len(asked), 500):
            for edge in view.edges_from(asked[start : start + 500]):
                other = back.get(edge.target)
                if other is not None:
                    one = back[edge.source]
                    found |= {(one, other), (other, one)} & wanted
    return found


def _quote(
    store: Store, source: _TitledNote, target: _TitledNote, mention: Mention
) -> Suggestion | None:
    """Make a suggestion with the line that has the words now."""
    start, end = mention.start, mention.end
    try:
        entry = store.read_entry(store.find_one(source.id).locator)
    except EngrainError:
        return None  # it vanished meanwhile
    text, note = entry.text, entry.note
    lines = note.head + note.front + note.fence + note.body[: len(note.body) - len(text)]
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    first = max(first, text.rfind(" ", 0, max(0, start - _QUOTE // 2)) + 1)
    return Suggestion(
        source.id,
        source.locator,
        target.id,
        target.title,
        _SCORE,
        text[start:end],
        shorten(text[first : last if last >= 0 else len(text)], _QUOTE),
        lines.count("\n") + text.count("\n", 0, start) + 1,
    )


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
    """Return a link to an entry that shows the words as written, in the order of this vault's
    links; None where name or words can't stand in a link."""
    name = name_now(store, target.path)
    with store.index.view() as view:
        label_first = view.label_first
    if UNLINKABLE.search(name + written):
        return None
    if link_key(written) == link_key(name) and "/" not in name + written:
        return f"[[{written}]]"
    return write_link(name, written, label_first=label_first)


def name_now(store: Store, place: str) -> str:
    """Return the name by which a link reaches the entry at a place: the file's name, with its path
    where others share that name."""
    stem = split_ending(place)[0]
    with store.index.view() as view:
        alone = view.meant(stem) == [view.number(place)]
    return stem if alone else place.removesuffix(".md")
