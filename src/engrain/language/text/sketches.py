"""Pairs of texts that may be alike, found without comparing each with each (S1.17).

A sketch of a text are its words and pairs of neighbouring words, as numbers; of a long text only
the least numbers, which are the same for two texts that share much. A text is compared with those
that share the rarest numbers of its sketch. One sketch is about 400 bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import accumulate, combinations
from zlib import crc32

_KEPT = 96
"""Features of a text that are kept."""
_POSTED = 48
"""Under so many of those, the rarest that others have too, a text is found."""
_ASKED = 24
"""By so many of those others are looked for: in a copy that says more, those of the rest come
between."""
_SLOTS = 1 << 24
_FEW = 24
"""Texts with a feature at most for it to name candidates; rarer ones say more."""
_BEST = 6
"""Candidates of each text at most."""
_LEAST = 3
"""Features that two texts have in common at least, of those that are rare, """
_SHARE = 0.3
"""and this share of all, of the one that has fewer."""


_BANDS, _BINS = 12, 3
"""Bands of a text; of each so many bins give the least of their features."""
_FEW_ALIKE = 8
"""Texts with a band at most for it to name candidates."""
_ALIKE = 0.5
"""Share of all their features that two texts have in common which are found by a band."""


def _read_bands(features: Iterable[int]) -> Iterator[int]:
    """What is the same for two texts with a likelihood that grows with the share of features that
    they have in common (one permutation hashing, Li, Owen and Zhang, NIPS 2012); 0 where a text is
    too short for a band."""
    bins = [_NONE] * (_BANDS * _BINS)
    for feature in features:
        mixed = feature * 0x9E3779B1 & 0xFFFFFFFF
        at = mixed % len(bins)
        if mixed < bins[at]:
            bins[at] = mixed
    for band in range(0, len(bins), _BINS):
        parts = bins[band : band + _BINS]
        yield 0 if _NONE in parts else hash(tuple(parts)) & 0xFFFFFFFF


_NONE = 1 << 32


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
        """Pairs that may be alike, each once, the lesser number first, in order."""
        size = len(self)
        found = {one * size + other for one, other in self._by_bands()}
        found.update(one * size + other for one, other in self._by_rare_features())
        for pair in sorted(found):
            yield divmod(pair, size)

    def _by_rare_features(self) -> Iterator[tuple[int, int]]:
        rare, ends = self._find_rare()
        postings = _Postings(rare, ends)
        for one in range(len(self)):
            shared: dict[int, float] = {}
            times: dict[int, int] = {}
            for feature in rare[ends[one] : min(ends[one + 1], ends[one] + _ASKED)]:
                others = postings.having(feature)
                for other in others:
                    shared[other] = shared.get(other, 0.0) + 1 / len(others)
                    times[other] = times.get(other, 0) + 1
            shared.pop(one, None)
            near = [(-shared[other], other) for other in shared if times[other] >= _LEAST]
            for _, other in nsmallest(_BEST, near):
                if self._share(one, other) >= _SHARE:
                    yield min(one, other), max(one, other)

    def _by_bands(self) -> Iterator[tuple[int, int]]:
        """Pairs of which a band is the same, where few have it: where each phrase of a text is in
        very many others, several together are not."""
        seen: set[int] = set()
        size = len(self)
        for band in range(_BANDS):
            firsts: dict[int, int] = {}
            groups: dict[int, list[int]] = {}
            for one in range(size):
                key = self._bands[one * _BANDS + band]
                if key and (first := firsts.setdefault(key, one)) != one:
                    groups.setdefault(key, [first]).append(one)
            for group in groups.values():
                if len(group) > _FEW_ALIKE:
                    continue
                for one, other in combinations(group, 2):
                    pair = one * size + other
                    if pair not in seen:
                        seen.add(pair)
                        if self._share(one, other) >= _ALIKE:
                            yield one, other

    def _of(self, one: int) -> array[int]:
        return self._features[self._ends[one] : self._ends[one + 1]]

    def _share(self, one: int, other: int) -> float:
        first, second = self._of(one), self._of(other)
        if len(first) == _KEPT or len(second) == _KEPT:
            # Of a long text only the least are known: they are compared as far as both are.
            end = min(each[-1] for each in (first, second) if len(each) == _KEPT)
            first_kept = {each for each in first if each <= end}
            second_kept = {each for each in second if each <= end}
        else:
            first_kept, second_kept = set(first), set(second)
        return len(first_kept & second_kept) / max(1, min(len(first_kept), len(second_kept)))

    def _find_rare(self) -> tuple[array[int], array[int]]:
        """Return the rare features of each text that others share, rarest first, and their ends."""
        counts = self._counts()
        rare, ends = array("I"), array("Q", (0,))
        for one in range(len(self)):
            known = ((counts[each % _SLOTS], each) for each in self._of(one))
            rarest = nsmallest(_POSTED, (one for one in known if 1 < one[0] <= _FEW))
            rare.extend(each for _, each in rarest)
            ends.append(len(rare))
        return rare, ends

    def _counts(self) -> bytearray:
        """How many texts have a feature, by its last bits: a little too many here and there."""
        counts = bytearray(_SLOTS)
        for feature in self._features:
            slot = feature % _SLOTS
            if counts[slot] <= _FEW:
                counts[slot] += 1
        return counts


class _Postings:
    """Which texts have a feature: all pairs of both in two arrays, in buckets by the feature's last
    bits, since an object for each feature would take ten times the memory."""

    def __init__(self, features: array[int], ends: array[int]) -> None:
        buckets = 1 << max(8, len(features).bit_length() - 2)
        self._mask = buckets - 1
        self._starts = array("I", bytes(4 * (buckets + 1)))
        for feature in features:
            self._starts[feature & self._mask] += 1
        for bucket, count in enumerate(accumulate(self._starts)):
            self._starts[bucket] = count
        # Filled from the end, each bucket's mark comes to stand at its start.
        self._features = array("I", bytes(4 * len(features)))
        self._texts = array("I", bytes(4 * len(features)))
        for text in range(len(ends) - 2, -1, -1):
            for feature in features[ends[text] : ends[text + 1]]:
                at = self._starts[feature & self._mask] - 1
                self._starts[feature & self._mask] = at
                self._features[at] = feature
                self._texts[at] = text

    def having(self, feature: int) -> list[int]:
        bucket = feature & self._mask
        places = range(self._starts[bucket], self._starts[bucket + 1])
        return [self._texts[at] for at in places if self._features[at] == feature]
