"""Suggests links that could be made: mentions of other notes, and near neighbours (S1.11).

Two passes read the notes one by one: the first learns names and rare words, the second finds
mentions. How many notes have a word, and how they write it, decides whether it is a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.engine.links.mention_links import Usage
from engrain.language.text.folding import name_key
from engrain.language.text.lines import shorten
from engrain.model.errors import EngrainError
from engrain.model.links.mentions import Mention, Names, best_mentions, linkable

_WORD = re.compile(r"[^\W\d_]{4,40}")
_RARE = 12
"""Notes that may share a word for it to mean anything."""
_KEYS = 16
"""Rare words by which a note is looked up."""
_LEAST_SHARED = 4
_COPY, _ENOUGH = 0.7, 8
"""Share of the words that few have, of the one with fewer of them, from which two are copies and
not neighbours; and how many it has at least for that to be reported."""
_BEST, _LEAST = 0.6, 0.3
"""Scores: neighbours are a hint, however near they are."""
_MOST_TOLD = 6


class Neighbourhood:
    """Finds near neighbours: count every note, then place it, then ask for pairs."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._holders: dict[str, list[int]] = {}
        self._keys: dict[int, tuple[str, ...]] = {}
        self._few: dict[int, int] = {}
        self._series: dict[int, str] = {}

    def count(self, memo: Memo) -> None:
        """Learn the words of a note."""
        self._counts.update(_words_of(memo))

    def place(self, at: int, memo: Memo) -> None:
        """Index a note, under a number, by its rare words."""
        counts = self._counts
        few = sorted((counts[word], word) for word in _words_of(memo) if counts[word] <= _RARE)
        self._few[at] = min(_KEYS, len(few))
        self._keys[at] = tuple([word for count, word in few if count > 1][:_KEYS])
        self._series[at] = " ".join(_WORD.findall(memo.title.lower()))
        for word in self._keys[at]:
            self._holders.setdefault(word, []).append(at)

    def pairs(self) -> Iterator[tuple[int, int, float, tuple[str, ...]]]:
        """Notes that are each other's nearest: (one, other, score, shared words), the lower number
        first, in order."""
        nearest = {at: self._nearest(at) for at in self._keys}
        for at, other in nearest.items():
            if other is not None and at < other and nearest[other] == at:
                shared = tuple(word for word in self._keys[at] if word in self._keys[other])
                share = min(1.0, (len(shared) - _LEAST_SHARED) / (_KEYS / 2))
                yield at, other, round(_LEAST + (_BEST - _LEAST) * share, 3), shared[:_MOST_TOLD]

    def _nearest(self, at: int) -> int | None:
        weights: Counter[int] = Counter()
        shared: Counter[int] = Counter()
        for word in self._keys[at]:
            holders = self._holders[word]
            for other in holders:
                weights[other] += round(1000 * log(1 + _RARE / len(holders)))
                shared[other] += 1
        found = [
            (-weight, other)
            for other, weight in weights.items()
            if other != at and self._are_neighbours(at, other, shared[other])
        ]
        return min(found)[1] if found else None

    def _are_neighbours(self, at: int, other: int, shared: int) -> bool:
        """Whether they have enough in common, and are neither copies nor parts of a series."""
        fewer = min(self._few[at], self._few[other])
        copies = fewer >= _ENOUGH and shared > _COPY * fewer
        return shared >= _LEAST_SHARED and not copies and self._series[at] != self._series[other]


def _words_of(memo: Memo) -> set[str]:
    text = f"{memo.title}\n{linkable(memo.text)}\n{' '.join(memo.tags)}"
    return set(_WORD.findall(text.lower()))


MENTION, NEIGHBOUR = "mention", "neighbour"
SURE = 0.75
"""The score from which a mention is unambiguous; no neighbour has it."""

_FEW = 1000
"""The number of notes below which their names are looked up instead of listing all names."""
_MOST_OF_ONE = 40
"""Mentions in one note that are used: a note with more is an index of others."""
_APART = 0.05
_QUOTE = 160
_TEMPLATE = re.compile(r"(?:\A|[/._])_?templates?[/.]", re.IGNORECASE)
"""The names of templates, which no text mentions."""


@dataclass(slots=True, eq=False)
class Suggestion:
    """A link that could be made from the note `source` at a `place` to the note `target` with this
    `title`; notes are named by their ids.

    For a mention `words` are those of the text, `line` is their line in the file (from 1), and
    `quote` that line; for a neighbour `words` are the shared ones, and `line` is 0. `score` is from
    0 to 1.
    """

    kind: str
    source: str
    place: str
    target: str
    title: str
    score: float
    words: str
    quote: str = ""
    line: int = 0


class _Note:
    """The fields of a note that are kept between the passes."""

    __slots__ = ("id", "locator", "project", "title")

    def __init__(self, memo: Memo) -> None:
        self.id = memo.id
        self.locator = memo.locator
        self.project = memo.project
        self.title = memo.title


def suggest_links(
    store: Store, memos: Iterable[Memo], *, least: float = 0.0, about: str | None = None
) -> Iterator[Suggestion]:
    """Yield the links that could be made with a score of at least `least`, the surest first; only
    from or to the note `about`, if an id is given. The index must be ready."""
    notes: list[_Note] = []
    near = Neighbourhood() if least < SURE else None
    usage = Usage()
    for memo in memos:
        notes.append(_Note(memo))
        usage.count_note(memo.text)
        if near:
            near.count(memo)
    scored: dict[tuple[int, int], tuple[float, Mention]] = {}
    for source, mention in _find_mentions(_gather_names(store, notes), memos, notes, usage, near):
        pair = source, mention.name.owners[0]
        projects = {notes[at].project for at in pair} - {None, ""}
        score = round(usage.judge(mention) - _APART * (len(projects) > 1), 3)
        if score >= least and (pair not in scored or score > scored[pair][0]):
            scored[pair] = (score, mention)
    taken = _linked(store, notes, scored)
    ranked = [
        (-score, notes[source].id, notes[target].id, source, target, mention.start, mention.end)
        for (source, target), (score, mention) in scored.items()
        if (source, target) not in taken and about in (None, notes[source].id, notes[target].id)
    ]
    for score, _, _, source, target, start, end in sorted(ranked):
        made = _quote(store, notes[source], notes[target], -score, start, end)
        if made:
            yield made
    if near:
        yield from _suggest_neighbours(store, notes, near, scored.keys(), least, about)


def _gather_names(store: Store, notes: Sequence[_Note]) -> Names:
    """Gather the names of notes: their titles as written, and every other name by which a link may
    mean them, except their ids."""
    names = Names()
    for owner, note in enumerate(notes):
        if not _TEMPLATE.search(note.locator):
            names.add(note.title, owner)
    with store.index.view() as view:
        owners = {view.number(note.locator): at for at, note in enumerate(notes)}
        numbers = [number for number in owners if number is not None]
        for key, number in view.names(numbers if len(numbers) < _FEW else None):
            owner = owners.get(number, -1)
            if owner < 0 or _TEMPLATE.search(notes[owner].locator):
                continue
            if key not in (notes[owner].id, name_key(notes[owner].title)):
                # A single word is a name only with a capital.
                names.add(key if " " in key else key[:1].upper() + key[1:], owner)
    return names


def _find_mentions(
    names: Names,
    memos: Iterable[Memo],
    notes: Sequence[_Note],
    usage: Usage,
    near: Neighbourhood | None,
) -> list[tuple[int, Mention]]:
    """Find possible mentions of other notes, each with the number of its note, and count the use of
    names."""
    places = {note.id: at for at, note in enumerate(notes)}
    kept: list[tuple[int, Mention]] = []
    for memo in memos:
        source = places.get(memo.id)
        if source is None:
            continue  # it was added between the passes
        if near:
            near.place(source, memo)
        left = _MOST_OF_ONE
        for mention in best_mentions(names.find(memo.text)):
            may_be = usage.count(mention)
            owners = mention.name.owners
            # A name of several notes is ambiguous.
            if may_be and left > 0 and len(owners) == 1 and owners[0] != source:
                kept.append((source, mention))
                left -= 1
    return kept


def _linked(
    store: Store, notes: Sequence[_Note], pairs: Iterable[tuple[int, int]]
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
    store: Store, source: _Note, target: _Note, score: float, start: int, end: int
) -> Suggestion | None:
    """Make a suggestion with the line that has the words now."""
    try:
        entry = store.read_entry(store.find_one(source.id).locator)
    except EngrainError:
        return None  # it vanished meanwhile
    text, note = entry.text, entry.note
    lines = note.head + note.front + note.fence + note.body[: len(note.body) - len(text)]
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    first = max(first, text.rfind(" ", 0, max(0, start - _QUOTE // 2)) + 1)
    return Suggestion(
        MENTION,
        source.id,
        source.locator,
        target.id,
        target.title,
        score,
        text[start:end],
        shorten(text[first : last if last >= 0 else len(text)], _QUOTE),
        lines.count("\n") + text.count("\n", 0, start) + 1,
    )


def _suggest_neighbours(
    store: Store,
    notes: Sequence[_Note],
    near: Neighbourhood,
    linked: Iterable[tuple[int, int]],
    least: float,
    about: str | None,
) -> Iterator[Suggestion]:
    known = {frozenset(pair) for pair in linked}
    found = {
        (one, other): (score, words)
        for one, other, score, words in near.pairs()
        if score >= least
        and frozenset((one, other)) not in known
        and about in (None, notes[one].id, notes[other].id)
    }
    taken = _linked(store, notes, found)
    ranked = sorted((-score, pair) for pair, (score, _) in found.items() if pair not in taken)
    for score, (one, other) in ranked:
        source, target = notes[one], notes[other]
        words = ", ".join(found[one, other][1])
        yield Suggestion(
            NEIGHBOUR, source.id, source.locator, target.id, target.title, -score, words
        )
