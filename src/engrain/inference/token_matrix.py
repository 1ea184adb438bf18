"""A matrix of token vectors in a safetensors file, read in place: a row costs what it is long."""

from __future__ import annotations

import mmap
import struct

from engrain.model.errors import EmbeddingError

_LENGTH = struct.Struct("<Q")
_HEADER_BYTES = 1024 * 1024
_CODES = {"F32": ("f", 4), "F16": ("e", 2)}


class TokenMatrix:
    """The only two-dimensional table of the file, of float32 or float16 numbers."""

    __slots__ = ("_bytes", "_map", "_row", "_start", "rows", "size")

    def __init__(self, path: str) -> None:
        """Raises EmbeddingError when the file is no such matrix, or not whole."""
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
        """The vector of a token. Raises EmbeddingError for one the file has no row for."""
        if not 0 <= token < self.rows:
            raise EmbeddingError("the vocabulary and the token vectors do not belong together")
        return self._row.unpack_from(self._map, self._start + token * self._bytes)


def _find_table(content: mmap.mmap) -> tuple[int, int, int, str]:
    """(where it starts, rows, columns, kind of number)."""
    import json

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
