"""Choose the vectors that are worth an exact comparison, by a vote of the dimensions.

A block stores for each dimension a *plane*: one bit for each of `BLOCK` vectors, which says on
which side of the model's *centre* it lies. Each dimension of a query votes for the vectors on its
own side, with a power of two that grows with its distance from the centre. The votes for thousands
of vectors are added at once, in wide integers: the n-th holds the n-th digit of all sums
(carry-save addition). This takes 2.5 ms for 100k vectors of 384 dimensions, with no array library
to load. Among 100k perturbed MiniLM vectors of LoCoMo turns the 1,024 with the most votes hold .99
of the exact ten nearest.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import sub

from engrain.model.note.vectors import pack, unpack

BLOCK = 2048
"""Vectors in a block; those of less than a block are compared exactly."""

_LEVELS = (0.6, 1.2, 2.4)
"""The distances from the centre, in mean distances, from which on a dimension votes with 1, 2 or 4:
about its distance as a power of two, and nothing if it says little."""
_SIGN = bytes(48 + (byte >> 7) for byte in range(256))
"""Maps the byte of a float that has its sign to the digit 0 or, for a minus, 1."""

_BITS = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]
"""The positions of the set bits of each byte."""
_SOME = bytes(map(bool, range(256)))
"""Maps a byte to 1 if it has a set bit."""


class Signs:
    """The planes of one or several blocks side by side; bit i of each plane is of row `ids[i]`."""

    __slots__ = ("ids", "planes")

    def __init__(self, blocks: Sequence[tuple[bytes, bytes]], size: int) -> None:
        self.ids = array("q")
        for ids, _ in blocks:
            self.ids.frombytes(ids)
        width = BLOCK // 8
        self.planes = [
            int.from_bytes(b"".join([planes[at : at + width] for _, planes in blocks]), "little")
            for at in range(0, size * width, width)
        ]


def find_centre(vectors: Sequence[bytes]) -> bytes:
    """Return the mean of packed vectors: many models have all theirs on one side of zero."""
    sums = map(sum, zip(*map(unpack, vectors), strict=True))
    return pack([total / len(vectors) for total in sums])


def pack_signs(vectors: Sequence[bytes], centre: bytes) -> bytes:
    """Return the planes of a block of packed vectors, one after the other; a set bit is a minus."""
    middle = unpack(centre)
    size = len(middle)
    # The sign is the first bit of a number's last byte.
    digits = b"".join(
        [
            pack(map(sub, unpack(vector), middle))[3::4].translate(_SIGN)
            for vector in reversed(vectors)
        ]
    )
    return b"".join(
        int(digits[dimension::size], 2).to_bytes(BLOCK // 8, "little") for dimension in range(size)
    )


def choose(groups: Sequence[Signs], query: bytes, centre: bytes, limit: int) -> list[int]:
    """Return the `limit` ids with the most votes, or all if there are no more."""
    votes = list(_votes(list(map(sub, unpack(query), unpack(centre)))))
    tallies = [_tally(group, votes) for group in groups]
    chosen = [0] * len(groups)
    undecided = [(1 << len(group.ids)) - 1 for group in groups]
    wanted = limit
    for digit in range(max(map(len, tallies), default=0) - 1, -1, -1):
        above = [
            rows & tally[digit] if digit < len(tally) else 0
            for rows, tally in zip(undecided, tallies, strict=True)
        ]
        found = sum(map(int.bit_count, above))
        if found >= wanted:
            undecided = above
        else:
            wanted -= found
            chosen = [old | new for old, new in zip(chosen, above, strict=True)]
            undecided = [rows ^ new for rows, new in zip(undecided, above, strict=True)]
    ids = [group.ids[at] for group, rows in zip(groups, chosen, strict=True) for at in _ones(rows)]
    for group, rows in zip(groups, undecided, strict=True):
        for at in _ones(rows):
            if len(ids) == limit:
                return ids
            ids.append(group.ids[at])
    return ids


def _votes(query: Sequence[float]) -> Iterator[tuple[int, int, bool]]:
    """Yield (dimension, binary digit of its vote, whether the query is negative there)."""
    mean = sum(map(abs, query)) / len(query)
    for dimension, value in enumerate(query):
        level = sum(abs(value) >= least * mean for least in _LEVELS)
        if level:
            yield dimension, level - 1, value < 0


def _tally(group: Signs, votes: Iterable[tuple[int, int, bool]]) -> list[int]:
    """Return the binary digits of the sums of votes, the lowest first."""
    everyone = (1 << len(group.ids)) - 1
    digits: list[list[int]] = [[] for _ in _LEVELS]
    for dimension, digit, negative in votes:
        plane = group.planes[dimension]
        digits[digit].append(plane if negative else plane ^ everyone)
    sums = []
    for planes in digits:  # grows by the carries of its last digit
        total, carries = _add(planes)
        sums.append(total)
        if carries:
            at = len(sums)
            if at == len(digits):
                digits.append([])
            digits[at].extend(carries)
    return sums


def _add(planes: Sequence[int]) -> tuple[int, list[int]]:
    """Return the sum of one binary digit over all planes, and the carries to the next digit."""
    total = 0
    carries = []
    for at in range(0, len(planes) - 1, 2):
        left, right = planes[at], planes[at + 1]
        differ = left ^ right
        carries.append(left & right | differ & total)
        total ^= differ
    if len(planes) % 2:
        if len(planes) > 1:
            carries.append(total & planes[-1])
        total ^= planes[-1]
    return total, carries


def _ones(rows: int) -> Iterator[int]:
    """Yield the positions of the set bits, the lowest first."""
    whole = rows.to_bytes((rows.bit_length() + 7) // 8, "little")
    some = whole.translate(_SOME)
    at = some.find(1)
    while at >= 0:
        for bit in _BITS[whole[at]]:
            yield 8 * at + bit
        at = some.find(1, at + 1)
