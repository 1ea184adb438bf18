"""Whether two notes say the same in nearly the same words, so that one of them will do (S1.17).

What differs decides, and not how much is the same: two that differ in a number, a name, a date, a
negation or a word that says which of several is meant are two, however alike they read. Told by
words alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations
from zlib import crc32

from engrain.language.text.sentences import CODE, Sentence, read_sentences

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


SAME_WORDS = 0.6
"""The least likeness of two notes that count as copies."""

_SAME_SENTENCE = 0.5
"""Share of common words from which two sentences count as the same."""
_MOST = 60
"""Sentences of a note that are compared: a longer one is compared by those it begins with."""
_LEAST_WORDS = 6
"""Different words that a note has at least to be compared: shorter ones resemble too many."""
_LEAST_FILLED = 20
"""And where a template fills in what it says besides."""
_COVERED = 0.6
"""Share of its words that stand in sentences which the other has too: of the one that has fewer,
and where their titles are not the same, of both."""


class ComparedNote:
    """A note as it is compared: its title, its sentences, the words of its code, all words and
    marks of it, and how many different words it has at `least` to be compared."""

    __slots__ = ("code", "least", "marks", "sentences", "title", "words")

    def __init__(self, title: str, text: str) -> None:
        self.least = _LEAST_FILLED if "{{" in text else _LEAST_WORDS
        self.title = next(read_sentences(title, 1), None)
        self.sentences = list(read_sentences(text, _MOST))
        self.code = frozenset(
            word for each in self.sentences if each.kind == CODE for word in each.words
        )
        parts = self.sentences if self.title is None else [self.title, *self.sentences]
        self.words = frozenset(word for part in parts for word in part.words)
        self.marks = frozenset(mark for part in parts for mark in part.marks)

    def says_enough(self) -> bool:
        """Return whether it has enough different words, beside its title and code."""
        words: set[str] = set()
        own = self.code if self.title is None else self.code.union(self.title.words)
        for part in self.sentences:
            words.update(part.words)
        return len(words - own) >= self.least


@dataclass(slots=True, eq=False)
class Likeness:
    """How alike two notes are, 0 to 1, and how many sentences each has that the other has not."""

    score: float
    more: int
    other_more: int


def compare_notes(one: ComparedNote, other: ComparedNote) -> Likeness | None:
    """Return how alike two notes are; None if they say different things."""
    if not _are_comparable(one, other):
        return None
    pairs, more, other_more = _match(one.sentences, other.sentences)
    if any(_differ(a, b, one, other) for a, b in pairs):
        return None
    covered = sorted((_covered(one, more), _covered(other, other_more)))
    titles = [each.title and set(each.title.words) for each in (one, other)]
    if covered[titles[0] == titles[1]] < _COVERED:
        return None
    shared = len(one.words & other.words)
    least, most = sorted((len(one.words), len(other.words)))
    inside = min(1.0, shared / least)
    whole = min(1.0, shared / (least + most - shared)) if shared < most else 1.0
    return Likeness((inside * 2 + whole) / 3, len(more), len(other_more))


def _are_comparable(one: ComparedNote, other: ComparedNote) -> bool:
    if not (one.says_enough() and other.says_enough()):
        return False
    code = one.code - other.words and other.code - one.words
    return not code and not _titles_differ(one, other)


def _covered(one: ComparedNote, more: Iterable[Sentence]) -> float:
    """Return the share of a note's words that stand in sentences which another has too."""
    whole = sum(len(each.words) for each in one.sentences)
    return 1 - sum(len(each.words) for each in more) / max(1, whole)


def _match(
    one: Sequence[Sentence], other: Sequence[Sentence]
) -> tuple[list[tuple[Sentence, Sentence]], list[Sentence], list[Sentence]]:
    """Return the sentences of two notes that are one, and those that only one of them has."""
    sets = [set(each.words) for each in other]
    found: list[tuple[float, int, int]] = []
    for at, sentence in enumerate(one):
        words = set(sentence.words)
        for to, others in enumerate(sets):
            shared = 2 * len(words & others) / (len(words) + len(others))
            if shared >= _SAME_SENTENCE:
                found.append((-shared, at, to))
    taken: dict[int, int] = {}
    free = set(range(len(other)))
    for _, at, to in sorted(found):
        if at not in taken and to in free:
            taken[at] = to
            free.discard(to)
    pairs = [(one[at], other[to]) for at, to in sorted(taken.items())]
    more = [sentence for at, sentence in enumerate(one) if at not in taken]
    return pairs, more, [other[to] for to in sorted(free)]


def _differ(a: Sentence, b: Sentence, one: ComparedNote, other: ComparedNote) -> bool:
    """Return whether two sentences that are alike say different things."""
    if a.marks ^ b.marks:
        return True
    if a.loose - b.loose and b.loose - a.loose:
        return True
    if a.first and b.first and a.first != b.first and a.words[1:] == b.words[1:]:
        return True
    return bool(a.names - other.words) and bool(b.names - one.words)


def _titles_differ(one: ComparedNote, other: ComparedNote) -> bool:
    if one.title is None or other.title is None:
        return False
    if one.title.marks - other.words - other.marks or other.title.marks - one.words - one.marks:
        return True
    first, second = set(one.title.words), set(other.title.words)
    if not all(map(str.isalpha, first ^ second)) and first - second and second - first:
        return True
    if not first & second:
        return False
    # One that is named for another thing is about it, though it says the same of it.
    first, second = first - other.words, second - one.words
    return bool(first and second)
