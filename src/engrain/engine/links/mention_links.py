"""Mentions of notes: how names are used across all notes, and links made of mentions (S1.11)."""

from __future__ import annotations

from dataclasses import dataclass, field

from engrain.engine.core.store import Store
from engrain.model.links.link import UNLINKABLE, write_link
from engrain.model.links.mentions import Mention, Name, Names, best_mentions, count_capitals
from engrain.model.links.naming import called
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note
from engrain.model.note.tiers import link_key, split_ending

_FEW, _SHARE = 5, 0.005
"""A phrase in lower case is common if more notes, and a greater share of them, have it."""
_COMMON_WORD = 0.1
"""A capitalised word is common if a greater share of its mentions is in lower case."""
_EVERYWHERE = 0.02
"""Share of the notes from which a name is everywhere, so that a link to it says little."""
_NOUNS, _SAMPLE = 0.25, 500
"""If this share of the words within sentences has a capital, counted over a sample of notes, the
language writes nouns with one (German), and a capital makes no name."""


@dataclass(slots=True, eq=False)
class _Use:
    """The number of notes with a name, and of those where it has no capital."""

    notes: int = field(default=0, init=False)
    small: int = field(default=0, init=False)


@dataclass(slots=True, eq=False)
class Usage:
    """The use of each name in all notes. Count the notes first, then mentions, then judge."""

    _notes: int = field(default=0, init=False)
    _capitals: int = field(default=0, init=False)
    _words: int = field(default=0, init=False)
    _uses: dict[Name, _Use] = field(default_factory=dict, init=False)

    def count_note(self, text: str) -> None:
        """Count a note of this text."""
        if self._notes < _SAMPLE:
            capitals, words = count_capitals(text)
            self._capitals += capitals
            self._words += words
        self._notes += 1

    def count(self, mention: Mention) -> bool:
        """Count a note's best mention of a name; return whether the name is not common so far."""
        use = self._uses.setdefault(mention.name, _Use())
        use.notes += 1
        use.small += not mention.capital
        return mention.capital or use.small <= self._common

    def judge(self, mention: Mention) -> float:
        """Return the probability (0 to 1) that a mention means the note of that name."""
        name, use = mention.name, self._uses[mention.name]
        shown = mention.quoted or mention.cued
        if name.single:
            score = self._judge_word(mention, use)
        elif name.content < 2:
            score = 0.75 if mention.exact and (mention.capital or shown) else 0.0
        elif mention.capital:
            score = 0.95
        elif use.small > self._common:
            return 0.0
        else:
            # Two words that a title writes with capitals may be any two words in lower case.
            score = 0.9 if name.content > 2 else 0.7 if name.titled else 0.82
            score -= 0.1 * max(0, use.small - 1) / self._common
        if self._is_everywhere(use):
            score -= 0.2
        return min(0.99, score + 0.06 * shown) if score > 0 else 0.0

    def _judge_word(self, mention: Mention, use: _Use) -> float:
        """Judge a single word by its form, or by a capital that it has nowhere else."""
        coded = mention.name.coded
        if not mention.capital or not (mention.exact or coded):
            return 0.0
        if coded:
            return 0.9 if mention.exact and not self._is_everywhere(use) else 0.6
        nouns = self._capitals > self._words * _NOUNS
        return 0.5 if nouns or use.small > use.notes * _COMMON_WORD else 0.82

    @property
    def _common(self) -> int:
        return max(_FEW, round(self._notes * _SHARE))

    def _is_everywhere(self, use: _Use) -> bool:
        return use.notes > max(_FEW, self._notes * _EVERYWHERE)


def link_mention(store: Store, entry: Entry, target: Entry) -> Note | None:
    """Return a note whose likeliest mention of another is now a link; None where it has none. The
    index must be ready."""
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
