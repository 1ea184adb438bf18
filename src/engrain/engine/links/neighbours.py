"""Finds pairs of notes that share rare words and tags, without comparing all with all.

A note is looked up by its few rarest words, so the cost does not grow with the number of notes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log

from engrain.model.links.linkable import linkable
from engrain.model.note.memo import Memo

_WORD = re.compile(r"[^\W\d_]{4,40}")
_RARE = 12
"""Notes that may share a word for it to tell anything."""
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

    __slots__ = ("_counts", "_few", "_holders", "_keys", "_series")

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
