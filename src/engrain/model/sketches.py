"""Pairs of texts that may be alike, found without comparing each with each (S1.17).

Of a text a sketch is kept: its words and neighbouring words as numbers, of a long text those that
are least, so that of two that share much the same are kept. Of those the ones that are rarest
among all texts name the others that it is looked at beside. One sketch is about 400 bytes.
"""

from __future__ import annotations

from array import array
from heapq import nsmallest
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_KEPT = 96
"""Features of a text that are kept."""
_POSTED = 48
"""Under so many of those, the rarest that others have too, a text is found."""
_ASKED = 24
"""By so many of those others are looked for: in a copy that says more, those of the rest come
between."""
_SLOTS = 1 << 24
_FEW = 24
"""A feature that more texts have names none: what it tells is told by rarer ones."""
_BEST = 6
"""Of each text so many candidates come."""
_LEAST = 3
"""Features that two texts have in common at least, of those that are rare, """
_SHARE = 0.3
"""and this share of all, of the one that has fewer."""


def number_of(words: str) -> int:
    """The feature that a word is, or several in a row."""
    return crc32(words.encode("utf-8", "surrogatepass"))


def read_features(sentences: Iterable[Sequence[str]]) -> set[int]:
    """The features of a text: its words, and neighbouring words of a sentence."""
    found: set[int] = set()
    for words in sentences:
        before = 0
        for word in words:
            key = number_of(word)
            found.add(key)
            if before:
                found.add((before * 31 + key) & 0xFFFFFFFF)
            before = key
    return found


class Sketches:
    """The features of things, numbered in the order in which they are added. Two are candidates
    that have `least` of them in common, and this `share` of all."""

    def __init__(self, least: int = _LEAST, share: float = _SHARE) -> None:
        self._features = array("I")
        self._ends = array("Q", (0,))
        self._least = least
        self._least_share = share

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, features: set[int]) -> None:
        """Add a thing by its features, of 32 bits each."""
        kept = nsmallest(_KEPT, features) if len(features) > _KEPT else sorted(features)
        self._features.extend(kept)
        self._ends.append(len(self._features))

    def find_pairs(
        self, may: Callable[[int, int], bool] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Pairs that may be alike, each once, the lesser number first, in order; only such as
        `may` be."""
        counts = self._counts()
        postings: dict[int, list[int]] = {}
        for one in range(len(self)):
            for feature in self._rare(one, counts, _POSTED):
                postings.setdefault(feature, []).append(one)
        found: set[tuple[int, int]] = set()
        for one in range(len(self)):
            shared: dict[int, float] = {}
            times: dict[int, int] = {}
            for feature in self._rare(one, counts, _ASKED):
                others = postings.get(feature, ())
                for other in others:
                    shared[other] = shared.get(other, 0.0) + 1 / len(others)
                    times[other] = times.get(other, 0) + 1
            shared.pop(one, None)
            near = [
                (-shared[other], other)
                for other in shared
                if times[other] >= self._least and (may is None or may(one, other))
            ]
            found.update(
                (min(one, other), max(one, other))
                for _, other in nsmallest(_BEST, near)
                if self._share(one, other) >= self._least_share
            )
        yield from sorted(found)

    def _of(self, one: int) -> array[int]:
        return self._features[self._ends[one] : self._ends[one + 1]]

    def _share(self, one: int, other: int) -> float:
        ours, theirs = self._of(one), self._of(other)
        if len(ours) == _KEPT or len(theirs) == _KEPT:
            # Of a long text only the least are known: they are told as far as both are.
            end = min(each[-1] for each in (ours, theirs) if len(each) == _KEPT)
            mine = {each for each in ours if each <= end}
            yours = {each for each in theirs if each <= end}
        else:
            mine, yours = set(ours), set(theirs)
        return len(mine & yours) / max(1, min(len(mine), len(yours)))

    def _counts(self) -> bytearray:
        """How many texts have a feature, by its last bits: a little too many here and there."""
        counts = bytearray(_SLOTS)
        for feature in self._features:
            slot = feature % _SLOTS
            if counts[slot] <= _FEW:
                counts[slot] += 1
        return counts

    def _rare(self, one: int, counts: bytearray, most: int) -> list[int]:
        """The features of a text that others have too, and not many, the rarest first."""
        known = [(counts[each % _SLOTS], each) for each in self._of(one)]
        return [each for _, each in nsmallest(most, (one for one in known if 1 < one[0] <= _FEW))]
