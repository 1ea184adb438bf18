"""The vector index on SQLite: exact among few vectors, by a vote of signs among many.

Each vector is a row. Each full block of rows is also stored as planes of signs (`blocks`), by which
a query picks candidates; these, and the rows that are in no block yet, are compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engrain.index.vectors import changes as vector_changes
from engrain.index.vectors import queries as vector_queries
from engrain.index.vectors.blocks import BLOCK
from engrain.index.vectors.checking import check_all
from engrain.index.vectors.file import VectorFile
from engrain.model.errors import EmbeddingError, IndexUnavailableError
from engrain.model.note.vectors import check_vector
from engrain.seam.derived import KEY_BYTES, VectorIndex


def open_vectors(folder: str) -> VectorIndex:
    """Open the vectors in `folder`, which must be device-local, may be missing and may vanish."""
    return _SqliteVectors(folder)


class _SqliteVectors(VectorIndex):
    def __init__(self, folder: str) -> None:
        self._file = VectorFile(folder)

    def check(self) -> str | None:
        try:
            self._file.ask(vector_queries.models)
        except IndexUnavailableError as error:
            return error.message
        return None

    def models(self) -> dict[str, int]:
        return self._file.ask(vector_queries.models)

    def count(self, model: str) -> int:
        return self._file.ask(vector_queries.count, model)

    def missing(self, model: str, keys: Iterable[bytes]) -> list[bytes]:
        return self._file.ask(vector_queries.missing, model, list(dict.fromkeys(keys)))

    def add(self, model: str, size: int, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        for key, vector in vectors:
            if len(key) != KEY_BYTES:
                raise EmbeddingError(f"a key has {len(key)} bytes instead of {KEY_BYTES}")
            check_vector(vector, size)
        self._file.change(vector_changes.add, model, size, vectors)

    def nearest(self, model: str, vector: bytes, limit: int) -> list[tuple[bytes, float]]:
        return self._file.ask(vector_queries.nearest, model, vector, limit) if limit > 0 else []

    def similarities(self, model: str, vector: bytes, keys: Iterable[bytes]) -> dict[bytes, float]:
        return self._file.ask(vector_queries.similarities, model, vector, list(keys))

    def background(self, model: str, vector: bytes) -> tuple[float, float]:
        return self._file.ask(vector_queries.background, model, vector)

    def keep_only(self, model: str, keys: Iterable[bytes]) -> int:
        gone = self._file.ask(vector_queries.others, model, set(keys))
        for block in self._file.ask(vector_queries.blocks, model) if gone else ():
            self._file.change(vector_changes.dissolve, block, gone)
        rows = sorted(gone)
        for start in range(0, len(rows), BLOCK):
            self._file.change(vector_changes.remove_rows, rows[start : start + BLOCK])
        while self._file.change(vector_changes.fill_block, model):
            pass
        return len(rows)

    def drop(self, model: str) -> None:
        self._file.change(vector_changes.forget, model)
        while self._file.change(vector_changes.remove_orphans):
            pass

    def purge(self, keys: Iterable[bytes]) -> None:
        kept = list(keys)
        try:
            for model in self.models():
                self.keep_only(model, kept)
            self._file.rewrite()
        except IndexUnavailableError:
            self._file.remove()

    def verify(self) -> str | None:
        try:
            self._file.ask(check_all)
        except IndexUnavailableError as error:
            return error.path
        return self._file.find_damaged()

    def settle_damage(self) -> None:
        try:
            self._file.drop_damaged()
        except OSError:
            return  # `doctor` goes on naming it

    def close(self) -> None:
        self._file.close()
