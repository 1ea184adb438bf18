"""The last link: a vector from the letters alone, the same on every machine, with no model.

Each word and each three letters of a word choose a direction by a hash (BLAKE2b, one bit a
dimension) and add it, a word by its length up to six and three letters by one; of a text that has
no word every dimension is alike. Texts that share words or parts of words lie close
(random projection, Charikar 2002); what they mean is unknown to it.
"""

from __future__ import annotations

import re
import sys
from array import array

from engrain.inference.texts import readable, remaining
from engrain.model.note.vectors import pack_unit
from engrain.seam.embedder import Embedder, Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SIZE = 256
_LONGEST = 6
"""Longer words are rarer, up to about here."""
_BALANCED = 1e-3
_WORD = re.compile(r"\w+")
_LANES = [b"".join([bytes((byte >> bit & 1, 0)) for bit in range(8)]) for byte in range(256)]
"""The bits of a byte as 16-bit numbers: those of whole texts add up to less than 2**16."""
_MODEL = "engrain-stub-1"


class StubLink(Link):
    """Always there."""

    name = "stub"

    def missing(self) -> str | None:
        return None

    def open(self) -> Embedder:
        return _StubEmbedder()


class _StubEmbedder(Embedder):
    link = "stub"
    model = _MODEL
    size = _SIZE
    cheap = True

    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        vectors = []
        for text in texts:
            remaining(deadline)
            vectors.append(_embed(readable(text)))
        return vectors


def _embed(text: str) -> bytes:
    from hashlib import blake2b

    total = weights = 0
    for feature, weight in _features(text):
        digest = blake2b(feature.encode(), digest_size=_SIZE // 8).digest()
        ones = int.from_bytes(b"".join([_LANES[byte] for byte in digest]), "little")
        total += ones * weight
        weights += weight
    sums = array("H", total.to_bytes(2 * _SIZE, "little"))
    if sys.byteorder == "big":
        sums.byteswap()
    # A one counts for the feature's weight, a zero against it; an exact balance for very little.
    return pack_unit([(2 * value - weights) or _BALANCED for value in sums])


def _features(text: str) -> Iterator[tuple[str, int]]:
    """(feature, weight): each word, and each three letters of it with its edges."""
    for word in _WORD.findall(text.casefold()):
        yield word, min(len(word), _LONGEST)
        edged = f"^{word}$"
        for at in range(len(edged) - 2):
            yield edged[at : at + 3], 1
