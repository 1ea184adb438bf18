"""How surprising a word is in general English, from a table of word frequencies.

A word that is rare in one vault may be common in English, and says little about what a text is
about. The table `english.bin` holds the most frequent words of wordfreq 3.1.1 (Robyn Speer, data
under CC BY-SA 4.0, see `english.md`). It is a hash table that is read in place: `BUCKETS` buckets
of `SLOTS` slots, each a mark of two bytes and the word's Zipf frequency in `STEPS` steps a unit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from zlib import crc32

BUCKETS = 4096
SLOTS = 24
BUCKET_BYTES = 3 * SLOTS
STEPS = 32
TABLE = os.path.join(os.path.dirname(__file__), "english.bin")

_BITS_PER_ZIPF = 3.32  # log2(10): the Zipf scale is log10 of occurrences per 10^9 words
_MOST_ZIPF = 9.0
_UNKNOWN_ZIPF = 1.0
_PLAIN_BITS = 6.0
"""Bits of surprise up to which a word is plain: one in sixty-four words."""
_UNIT_BITS = 10.0
_LEAST = 0.05
_NUMBERS = (0.3, 0.6, 1.0)
"""The surprise of a number of one digit, of two, and of more: the table has none."""
_PAIRS = (("\u0e00", "\u109f", 0.35), ("\u1780", "\u17ff", 0.35), ("\u1100", "\ud7ff", 1.0))
"""The surprise of a pair of characters of scripts without spaces, by their first and last one: of
alphabets such as Thai, where a word is many pairs, and of Chinese, Japanese and Korean."""


def place(word: str) -> tuple[int, int]:
    """Return the bucket of a word and its mark there, which is never 0."""
    code = crc32(word.encode("utf-8", "surrogatepass"))
    return code % BUCKETS, (code >> 16) or 1


def find_surprises(words: Iterable[str]) -> list[float]:
    """Return how surprising each word is in general English: from .05 for the plainest to 2.06 for
    one that the table lacks; 1 for a number, and less for a pair of characters of a script without
    spaces. Raises OSError if the table can't be read."""
    table = os.open(TABLE, os.O_RDONLY)
    try:
        return [_find_surprise(table, word.casefold()) for word in words]
    finally:
        os.close(table)


def _find_surprise(table: int, word: str) -> float:
    if word.isdigit():
        return _NUMBERS[min(len(word), len(_NUMBERS)) - 1]
    for first, last, surprise in _PAIRS if not word.isascii() else ():
        if first <= word[0] <= last:
            return surprise
    bucket, mark = place(word)
    os.lseek(table, bucket * BUCKET_BYTES, os.SEEK_SET)
    slots = os.read(table, BUCKET_BYTES)
    sought = mark.to_bytes(2, "little")
    at = slots.find(sought)
    while at % 3 and at > 0:  # between two slots, whose bytes are alike by chance
        at = slots.find(sought, at + 1)
    zipf = slots[at + 2] / STEPS if at >= 0 else _UNKNOWN_ZIPF
    return max(_LEAST, (_BITS_PER_ZIPF * (_MOST_ZIPF - zipf) - _PLAIN_BITS) / _UNIT_BITS)
