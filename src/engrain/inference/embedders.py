"""What the embedders share (when they load, how much of a text they read, how long they have), and
the simplest of them."""

from __future__ import annotations

import re
import sys
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from threading import Lock, Thread
from time import monotonic

from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import pack_unit
from engrain.seam.embedder import Embedder, EmbedderLink

TEXT_CHARS = 8192
"""Characters of a text that are read: no model here takes more."""
_AGAIN_S = 60.0
"""Seconds from a failure to the next attempt to make a model ready beside other work."""


class LoadedLink(EmbedderLink):
    """A link that loads its embedder when it is first opened, once for all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._embedder: Embedder | None = None

    def open(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                if reason := self.missing():
                    raise EmbeddingError(reason)
                self._embedder = self._load()
            return self._embedder

    @abstractmethod
    def _load(self) -> Embedder:
        """Load the embedder. Raises EmbeddingError."""


class SlowLink(LoadedLink):
    """A link whose model takes seconds to load or to be reached."""

    def __init__(self) -> None:
        super().__init__()
        self._beginning = Lock()
        self._is_beginning = False
        self._failure: EmbeddingError | None = None
        self._again = 0.0

    def begin(self) -> Embedder | None:
        with self._beginning:
            if self._is_ready():
                return self._embedder
            if not self._is_beginning:
                if self._failure is not None and monotonic() < self._again:
                    raise self._failure

                self._is_beginning = True
                Thread(target=self._begin, daemon=True).start()
        return None

    def _begin(self) -> None:
        failure = None
        try:
            self._prepare()
        except EmbeddingError as error:
            failure = error
        with self._beginning:
            self._is_beginning = False
            self._failure = failure
            self._again = monotonic() + _AGAIN_S

    def _is_ready(self) -> bool:
        return self._embedder is not None

    def _prepare(self) -> None:
        """Make it ready. Raises EmbeddingError."""
        self.open()


class SingleEmbedder(Embedder):
    """An embedder that gains nothing from several texts at once."""

    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        vectors = []
        for text in texts:
            remaining(deadline)
            vectors.append(self._embed(readable(text)))
        return vectors

    @abstractmethod
    def _embed(self, text: str) -> bytes:
        """Return the vector of one text."""


def readable(text: str) -> str:
    """Return the beginning of a text, with lone surrogates (no Unicode) replaced."""
    head = text[:TEXT_CHARS]
    return head if head.isascii() else head.encode("utf-8", "replace").decode("utf-8")


def remaining(deadline: float | None) -> float | None:
    """Return the seconds until `deadline`, None for none. Raises EmbeddingError once it is past."""
    if deadline is None:
        return None
    left = deadline - monotonic()
    if left <= 0:
        raise EmbeddingError("the time for embedding is over")
    return left


_SIZE = 256
_LONGEST = 6
"""Longer words are rarer, up to about here."""
_BALANCED = 1e-3
_WORD = re.compile(r"\w+")


class StubLink(LoadedLink):
    """The last link of the chain, always there: a vector from the letters alone, with no model.

    Each word and each three letters of a word choose a direction by a hash (BLAKE2b, one bit a
    dimension). A word adds it times its length, six at most, and three letters add it once; a text
    without words gets the same value in every dimension. Texts that share words or parts of words
    lie close (random projection, Charikar 2002); meaning plays no part.
    """

    name = "stub"

    def missing(self) -> str | None:
        return None

    def _load(self) -> Embedder:
        return _StubEmbedder()


class _StubEmbedder(SingleEmbedder):
    link = "stub"
    model = "engrain-stub-1"
    size = _SIZE
    cheap = True

    def __init__(self) -> None:
        # The bits of a byte as 16-bit numbers: the sums of whole texts stay below 2**16.
        self._lanes = [
            bytes(part for bit in range(8) for part in (byte >> bit & 1, 0)) for byte in range(256)
        ]

    def _embed(self, text: str) -> bytes:
        total = weights = 0
        for feature, weight in _features(text):
            digest = blake2b(feature.encode(), digest_size=_SIZE // 8).digest()
            ones = int.from_bytes(b"".join([self._lanes[byte] for byte in digest]), "little")
            total += ones * weight
            weights += weight
        sums = array("H", total.to_bytes(2 * _SIZE, "little"))
        if sys.byteorder == "big":
            sums.byteswap()
        # A one adds the feature's weight, a zero subtracts it; an exact balance is nearly 0.
        return pack_unit([(2 * value - weights) or _BALANCED for value in sums])


def _features(text: str) -> Iterator[tuple[str, int]]:
    """Yield each word and each three letters of it, edges included, with their weights."""
    for word in _WORD.findall(text.casefold()):
        yield word, min(len(word), _LONGEST)
        edged = f"^{word}$"
        for at in range(len(edged) - 2):
            yield edged[at : at + 3], 1
