"""Static token vectors: a text is the mean of its tokens' vectors, whatever their order (Tissier et
al. 2019; model2vec, Minish Lab 2024).

This is quick enough for a cold process, without an array library. A folder holds
`model.safetensors`, and `vocab.txt` or `tokenizer.json`; `pieces` has the vectors that we ship.
"""

from __future__ import annotations

import json
import mmap
import os
import struct

from engrain.inference.embedders import LoadedLink, SingleEmbedder
from engrain.inference.model_files import checksum, find_lacking, read_tokenizer
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import pack_unit
from engrain.seam.embedder import Embedder

MATRIX = "model.safetensors"
_TOKENS = 512


class StaticLink(LoadedLink):
    """The token vectors in `folder`. The folder `stamps` remembers verified checksums."""

    name = "static"

    def __init__(self, folder: str, stamps: str | None) -> None:
        super().__init__()
        self._folder = folder
        self._stamps = stamps

    def missing(self) -> str | None:
        return find_lacking(self._folder, MATRIX)

    def _load(self) -> Embedder:
        return _StaticEmbedder(self._folder, self._stamps)


class _StaticEmbedder(SingleEmbedder):
    link = "static"
    cheap = True
    answers = False

    def __init__(self, folder: str, stamps: str | None) -> None:
        path = os.path.join(folder, MATRIX)
        name = os.path.basename(os.path.abspath(folder))
        self.model = f"{name}@{checksum(path, stamps)[:8]}"
        self._matrix = _TokenMatrix(path)
        self._tokenizer = read_tokenizer(folder)
        self.size = self._matrix.size

    def _embed(self, text: str) -> bytes:
        tokens = self._tokenizer.encode(text, _TOKENS)
        rows = [self._matrix.row(token) for token in tokens if token != self._tokenizer.unknown]
        sums = list(map(sum, zip(*rows, strict=True)))
        # A text without a known token gets the same value in every dimension.
        return pack_unit(sums if any(sums) else [1.0] * self.size)


_LENGTH = struct.Struct("<Q")
_HEADER_BYTES = 1024 * 1024
_CODES = {"F32": ("f", 4), "F16": ("e", 2)}


class _TokenMatrix:
    """The only two-dimensional table of the file, of float32 or float16 numbers."""

    __slots__ = ("_bytes", "_map", "_row", "_start", "rows", "size")

    def __init__(self, path: str) -> None:
        """Open the file. Raises EmbeddingError when it is no such matrix, or not whole."""
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            start, self.rows, self.size, kind = _find_table(self._map)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
            raise EmbeddingError(f"can't read the token vectors: {error}", path=path) from error
        code, width = _CODES[kind]
        self._row = struct.Struct(f"<{self.size}{code}")
        self._bytes = self.size * width
        self._start = start
        if len(self._map) < start + self.rows * self._bytes:
            raise EmbeddingError("the token vectors end too early", path=path)

    def row(self, token: int) -> tuple[float, ...]:
        """Return the vector of a token. Raises EmbeddingError if the file has no row for it."""
        if not 0 <= token < self.rows:
            raise EmbeddingError("the vocabulary and the token vectors do not belong together")
        return self._row.unpack_from(self._map, self._start + token * self._bytes)


def _find_table(content: mmap.mmap) -> tuple[int, int, int, str]:
    """Return where the table starts, its rows and columns, and its kind of number."""
    (length,) = _LENGTH.unpack_from(content)
    if length > _HEADER_BYTES:
        raise ValueError("its header is too long")
    start = _LENGTH.size + length
    for name, table in json.loads(content[_LENGTH.size : start]).items():
        if name != "__metadata__" and len(table["shape"]) == 2 and table["dtype"] in _CODES:
            rows, columns = map(int, table["shape"])
            if rows < 1 or columns < 1 or table["data_offsets"][0] < 0:
                break
            return start + int(table["data_offsets"][0]), rows, columns, table["dtype"]
    raise ValueError("it has no table of float32 or float16 numbers")
