"""The token vectors that Engrain ships, read in place: a cold process loads no vocabulary.

`pieces.bin` holds the pieces of MiniLM's vocabulary that are of Latin letters and digits, each with
a vector of `SIZE` bytes; `pieces.md` says how they were made. First comes a hash table, `BUCKETS`
buckets of `SLOTS` slots of two 16-bit numbers: a mark that is never 0, and the row of the vector.
A byte is a component plus `MIDDLE`, in steps that are the same for all.
"""

from __future__ import annotations

import mmap
import os
import sys
from array import array
from zlib import crc32

from engrain.inference.embedders import LoadedLink, SingleEmbedder
from engrain.inference.model_files import MARKERS, UNKNOWN, WordPiece
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import pack_unit
from engrain.seam.embedder import Embedder

MODEL = "engrain-static-1"
"""Changes whenever the table does."""
TABLE = os.path.join(os.path.dirname(__file__), "pieces.bin")
SIZE = 128
BUCKETS = 4096
SLOTS = 16
BUCKET_BYTES = 4 * SLOTS
MIDDLE = 128
_ROWS = BUCKETS * BUCKET_BYTES
"""Where the vectors start."""
_TOKENS = 256
"""Tokens of a text that are read: their sum still fits into 16 bits."""
_NONE = -1


def place(piece: str) -> tuple[int, int]:
    """Return the bucket of a piece and its mark there."""
    code = crc32(piece.encode())
    return code % BUCKETS, (code >> 16) or 1


class PiecesLink(LoadedLink):
    """Always there."""

    name = "static"

    def missing(self) -> str | None:
        return None

    def _load(self) -> Embedder:
        return _PiecesEmbedder()


class _PiecesEmbedder(SingleEmbedder):
    link = "static"
    model = MODEL
    size = SIZE
    cheap = True
    answers = False

    def __init__(self) -> None:
        try:
            with open(TABLE, "rb") as file:  # noqa: PTH123
                self._table = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise EmbeddingError(f"can't read the token vectors: {error}", path=TABLE) from error
        self._words = WordPiece(_Pieces(self._table))
        self._lanes: dict[int, int] = {}

    def _embed(self, text: str) -> bytes:
        rows = [row for row in self._words.encode(text, _TOKENS) if row != _NONE]
        total = sum(map(self._lane, rows))
        sums = array("H", total.to_bytes(2 * SIZE, "little"))
        if sys.byteorder == "big":
            sums.byteswap()
        middle = MIDDLE * len(rows)
        values = [value - middle for value in sums]
        # A text without a known piece gets the same value in every dimension.
        return pack_unit(values if any(values) else [1.0] * SIZE)

    def _lane(self, row: int) -> int:
        """Return a vector as one number, 16 bits a component, so that one addition adds all."""
        lane = self._lanes.get(row)
        if lane is None:
            wide = bytearray(2 * SIZE)
            wide[::2] = self._table[_ROWS + row * SIZE : _ROWS + (row + 1) * SIZE]
            lane = self._lanes[row] = int.from_bytes(wide, "little")
        return lane


class _Pieces(dict[str, int]):
    """The row of each piece, looked up when it is asked for; markers have none."""

    def __init__(self, table: mmap.mmap) -> None:
        super().__init__(dict.fromkeys((UNKNOWN, *MARKERS), _NONE))
        self._table = table

    def get(self, piece: str) -> int | None:  # type: ignore[override]  # nobody names a default
        row = super().get(piece)
        if row is None and (row := self._find(piece)) is not None:
            self[piece] = row
        return row

    def _find(self, piece: str) -> int | None:
        bucket, mark = place(piece)
        start = bucket * BUCKET_BYTES
        slots = self._table[start : start + BUCKET_BYTES]
        for at in range(0, BUCKET_BYTES, 4):
            if int.from_bytes(slots[at : at + 2], "little") == mark:
                return int.from_bytes(slots[at + 2 : at + 4], "little")
        return None
