"""Static token vectors: a text is the mean of its tokens' vectors, whatever their order.

Quick enough for a cold process, with no array library (Tissier et al. 2019; model2vec, Minish
Lab 2024). A folder holds `model.safetensors`, and `vocab.txt` or `tokenizer.json`.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from engrain.inference.checksums import checksum
from engrain.inference.texts import readable, remaining
from engrain.inference.token_matrix import TokenMatrix
from engrain.inference.tokens import find_lacking, read_tokenizer
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import pack_unit
from engrain.seam.embedder import Embedder, Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MATRIX = "model.safetensors"
_TOKENS = 512


class StaticLink(Link):
    """The token vectors in `folder`. `stamps`: where verified checksums are remembered."""

    name = "static"

    def __init__(self, folder: str | None, stamps: str | None) -> None:
        self._folder = folder
        self._stamps = stamps
        self._lock = allocate_lock()
        self._embedder: Embedder | None = None

    def missing(self) -> str | None:
        if self._folder is None:
            return "no folder of token vectors is set (embedder_static_folder)"
        return find_lacking(self._folder, MATRIX)

    def open(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                reason = self.missing()
                if reason or self._folder is None:
                    raise EmbeddingError(reason or "")
                self._embedder = _StaticEmbedder(self._folder, self._stamps)
            return self._embedder


class _StaticEmbedder(Embedder):
    link = "static"
    cheap = True

    def __init__(self, folder: str, stamps: str | None) -> None:
        path = os.path.join(folder, MATRIX)
        name = os.path.basename(os.path.abspath(folder))
        self.model = f"{name}@{checksum(path, stamps)[:8]}"
        self._matrix = TokenMatrix(path)
        self._tokenizer = read_tokenizer(folder)
        self.size = self._matrix.size

    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        vectors = []
        for text in texts:
            remaining(deadline)
            vectors.append(self._embed(readable(text)))
        return vectors

    def _embed(self, text: str) -> bytes:
        tokens = self._tokenizer.encode(text, _TOKENS)
        rows = [self._matrix.row(token) for token in tokens if token != self._tokenizer.unknown]
        sums = list(map(sum, zip(*rows, strict=True)))
        # Of a text of which nothing is known, every dimension is alike.
        return pack_unit(sums if any(sums) else [1.0] * self.size)
