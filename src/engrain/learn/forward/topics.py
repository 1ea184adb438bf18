"""What the vault is about, and how near something from outside comes to it.

What counts most is the share of a passage's rarest words that some entry of the vault has too; then
names that the vault knows (its projects, people and companies), and its tags.

Their weights were fitted to a vault of a thousand notes: one half was presented to the other, among
READMEs of other software and transcripts of talk. From 0.6 on it brings 71 of 100
notes (most that it leaves have no text), 10 of 100 READMEs and 2 of 100 talks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log

from engrain.engine.core.store import Store
from engrain.engine.recall.query import CHATTER, without
from engrain.language.lexicons import read_words
from engrain.learn.forward.items import Passage
from engrain.seam.rows import CURRENT, Row
from engrain.seam.view import IndexView

_ENTITY = "entity"
_WORD = re.compile(r"[^\W_](?:[\w'’+#-]*[^\W_]|[+#]*)")
_LEAST_NAME = 3
_LONGEST_NAME = 4
_READ = 800
"""Characters of a passage that are compared."""
_LEAST_READ = 3
_MOST_PASSAGES = 50
_MOST_TOUCHED = 3
_TOUCHED_SHARE = 0.7
_MOST_TAGS = 2
# Of a logistic model: at which share of its words a passage is as likely to matter as not, how
# steep that is, and what a name in its title, one in its text, and each tag add.
_SHARE, _STEEP, _NAMED_IN_TITLE, _NAMED, _TAGGED = 0.3, 20.0, 2.0, 1.5, 0.25
STOP = read_words("words", "stop words")["topics"] | CHATTER
"""Words of English that say nothing about a text's subject."""


@dataclass(slots=True, eq=False)
class Nearness:
    """How near a passage comes to the vault, from 0 to 1; the names and tags of the vault that it
    contains, the rows of the entries that it touches, and the words that were decisive."""

    score: float = 0.0
    names: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    touched: list[Row] = field(default_factory=list)
    words: frozenset[str] = frozenset()

    @property
    def project(self) -> str | None:
        """The project of all that it touches, None where there are several or none."""
        found = {row.project for row in self.touched}
        return found.pop() if len(found) == 1 else None


class Topics:
    """What a vault is about: its names, its tags and the words of its entries."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        for row in sorted(store.index.find(CURRENT), key=lambda row: row.id):
            for name in (row.project, row.title if row.kind == _ENTITY else None):
                if name and len(name) >= _LEAST_NAME:
                    self._names.setdefault(_key(_WORD.findall(name)), name)
            for tag in row.tags:
                if len(tag) >= _LEAST_NAME:
                    self._tags.setdefault(tag.casefold(), tag)

    def look(self, passage: Passage) -> Nearness:
        """Return how near a passage comes to the vault. Raises IndexUnavailableError."""
        near = Nearness()
        said = f"{passage.item.title} {passage.heading} {passage.text}"[:_READ]
        words = _WORD.findall(said)
        near.names = self._find_names(words)
        in_title = near.names and self._find_names(_WORD.findall(passage.item.title))
        near.tags = sorted({self._tags[word] for word in map(str.casefold, words) if
                            word in self._tags})  # fmt: skip
        with self._store.index.view() as view:
            # A name counts by itself: hardly anything else that the vault has of it is said here.
            share = self._compare(view, without(said, near.names), near)
        evidence = _STEEP * (share - _SHARE) + _TAGGED * min(len(near.tags), _MOST_TAGS)
        evidence += _NAMED_IN_TITLE if in_title else _NAMED if near.names else 0.0
        near.score = 1 / (1 + exp(-evidence)) if share else 0.0
        telling = {word for name in near.names for word in _key([name]).split()}
        near.words |= telling | {tag.casefold() for tag in near.tags}
        return near

    def _compare(self, view: IndexView, said: str, near: Nearness) -> float:
        """How much of what is said by its rarest words the entry that is nearest says too, from 0
        to 1. Words that no entry has count as said by none."""
        matches = view.match(said, CURRENT, _MOST_PASSAGES)
        rarities = [
            log(1 + matches.passages / (1 + frequency)) ** 2 for frequency in matches.frequencies
        ]
        if len(rarities) < _LEAST_READ:
            return 0.0
        shares: dict[int, float] = {}
        entries: dict[int, int] = {}
        for rarity, postings in zip(rarities, matches.postings, strict=True):
            for place in {(place[0], place[1]) for place in postings}:
                shares[place[0]] = shares.get(place[0], 0.0) + rarity
                entries[place[0]] = place[1]
        if not shares:
            return 0.0
        ranked = sorted(shares, key=lambda passage: (-shares[passage], passage))
        best = shares[ranked[0]]
        touched = [
            entries[passage] for passage in ranked if shares[passage] >= _TOUCHED_SHARE * best
        ]
        touched = list(dict.fromkeys(touched))[:_MOST_TOUCHED]
        rows = view.rows(touched)
        near.touched = [rows[number] for number in touched if number in rows]
        near.words = frozenset(
            word
            for word, postings in zip(matches.words, matches.postings, strict=True)
            if any(place[0] == ranked[0] for place in postings)
        )
        return best / sum(rarities)

    def _find_names(self, words: Sequence[str]) -> list[str]:
        """The names among some words; one of a single word counts as it is written, or as names
        begin."""
        found: dict[str, None] = {}
        for length in range(1, _LONGEST_NAME + 1):
            for start in range(len(words) - length + 1):
                run = words[start : start + length]
                name = self._names.get(_key(run))
                if name is not None and (length > 1 or run[0][0].isupper() or run[0] == name):
                    found[name] = None
        return list(found)


def _key(words: Sequence[str]) -> str:
    return " ".join(words).casefold()
