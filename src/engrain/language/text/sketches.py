"""Pairs of texts that may be alike, found without comparing each with each (S1.17).

A sketch of a text are its words and pairs of neighbouring words, as numbers; of a long text only
the least numbers, which are the same for two texts that share much. Two texts are compared if a
band of their sketches is the same, which is the likelier the more they share.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import combinations
from zlib import crc32

_KEPT = 96
"""Features of a text that are kept."""
_BANDS, _BINS = 20, 2
"""Bands of a text; of each so many bins give the least of their features."""
_FEW = 8
"""Texts with a band at most for it to name candidates: a phrase of very many says nothing."""
_ALIKE = 0.4
"""Share of the features of the one that has fewer that two texts have in common."""
_NONE = 1 << 32


def _read_bands(features: Iterable[int]) -> Iterator[int]:
    """Yield numbers that are the same for two texts with a likelihood that grows with the share of
    features that they have in common (one permutation hashing, Li, Owen and Zhang, NIPS 2012); 0
    where a text is too short for a band."""
    bins = [_NONE] * (_BANDS * _BINS)
    for feature in features:
        mixed = feature * 0x9E3779B1 & 0xFFFFFFFF
        at = mixed % len(bins)
        bins[at] = min(bins[at], mixed)
    for band in range(0, len(bins), _BINS):
        parts = bins[band : band + _BINS]
        yield 0 if _NONE in parts else hash(tuple(parts)) & 0xFFFFFFFF


def read_features(sentences: Iterable[Sequence[str]]) -> set[int]:
    """Return the features of a text: its words, and neighbouring words of a sentence."""
    found: set[int] = set()
    for words in sentences:
        before = 0
        for word in words:
            key = crc32(word.encode("utf-8", "surrogatepass"))
            found.add(key)
            if before:
                found.add((before * 31 + key) & 0xFFFFFFFF)
            before = key
    return found


class Sketches:
    """The features of things, numbered in the order in which they are added."""

    def __init__(self) -> None:
        self._features = array("I")
        self._ends = array("Q", (0,))
        self._bands = array("I")

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, features: set[int]) -> None:
        """Add a thing by its features, of 32 bits each."""
        kept = nsmallest(_KEPT, features) if len(features) > _KEPT else sorted(features)
        self._features.extend(kept)
        self._ends.append(len(self._features))
        self._bands.extend(_read_bands(features))

    def find_pairs(self) -> Iterator[tuple[int, int]]:
        """Yield pairs that may be alike, each once, the lesser number first, in order."""
        size = len(self)
        found: set[int] = set()
        for band in range(_BANDS):
            groups: dict[int, list[int]] = {}
            for one, key in enumerate(self._bands[band::_BANDS]):
                if key:
                    groups.setdefault(key, []).append(one)
            for group in groups.values():
                if len(group) <= _FEW:
                    found.update(one * size + other for one, other in combinations(group, 2))
        for pair in sorted(found):
            one, other = divmod(pair, size)
            if self._share(one, other) >= _ALIKE:
                yield one, other

    def _share(self, one: int, other: int) -> float:
        first, second = (
            self._features[self._ends[each] : self._ends[each + 1]] for each in (one, other)
        )
        # Of a long text only the least are known: they are compared as far as both are.
        known = min((each[-1] for each in (first, second) if len(each) == _KEPT), default=_NONE)
        ours, theirs = ({each for each in kept if each <= known} for kept in (first, second))
        return len(ours & theirs) / max(1, min(len(ours), len(theirs)))
