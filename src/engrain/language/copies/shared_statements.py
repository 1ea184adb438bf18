"""Finds statements that several notes make, by sketches of their words (S1.17).

Two sentences say the same where nearly all their words are the same and no word or number turns one
of them around. A sentence falls into a few buckets by its words; of two that are alike some bucket
is the same with great likelihood.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from engrain.language.text.fences import without_fences
from engrain.language.text.sentences import CODE, Sentence, read_sentences

LEAST_WORDS = 4
"""Different words that a statement has at least: fewer say the same by chance."""
MOST_WORDS = 40
_SENTENCES = 60
"""Sentences of a note that are read."""
ALIKE = 0.6
"""Share of their words that two statements have in common at least."""
_HASHES = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0xD3A2646D, 0xFD7046C5,
           0xB55A4F09)  # fmt: skip
_MASK = 0xFFFFFFFF
_TOGETHER = 2
"""Least hashes that name one bucket."""


def list_statements(text: str) -> list[Sentence]:
    """The sentences of a text that say enough for another to repeat them; code is left out, and
    what was only recalled."""
    sentences = read_sentences(without_fences(text), _SENTENCES)
    return [one for one in sentences if one.kind != CODE and states(one)]


def states(sentence: Sentence) -> bool:
    """Whether a sentence has enough words for another to repeat it."""
    return LEAST_WORDS <= len(set(sentence.words)) <= MOST_WORDS


def share(one: Sentence, other: Sentence) -> float:
    """How much two sentences have in common, from 0 to 1; 0 where something turns one around."""
    if one.marks != other.marks:
        return 0.0
    first, second = set(one.words), set(other.words)
    return len(first & second) / len(first | second)


def buckets_of(sentence: Sentence) -> Iterator[int]:
    """The buckets that a sentence falls into, as numbers of 32 bits."""
    keys = [crc32(word.encode("utf-8", "surrogatepass")) for word in set(sentence.words)]
    least = [min((key * by ^ (key >> 15)) & _MASK for key in keys) for by in _HASHES]
    marks = crc32(" ".join(sorted(sentence.marks)).encode("utf-8", "surrogatepass"))
    for start in range(0, len(least), _TOGETHER):
        bucket = marks + start
        for part in least[start : start + _TOGETHER]:
            bucket = (bucket * 31 + part) & _MASK
        yield bucket
