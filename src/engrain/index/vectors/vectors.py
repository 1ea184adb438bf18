"""The vector index on SQLite: exact among few vectors, by a vote of signs among many.

Each vector is a row. Each full block of rows is also stored as planes of signs (`blocks`), by which
a query picks candidates; these, and the rows that are in no block yet, are compared exactly.

A *key* is the 16-byte hash of the text that was embedded, so that a rebuilt text index, a moved
entry or two equal texts need no new vector. Vectors are as `model.note.vectors` packs them. Those
of several models stand side by side and are never compared with each other.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from engrain.index.vectors import changes as vector_changes
from engrain.index.vectors import queries as vector_queries
from engrain.index.vectors.blocks import BLOCK, pack_signs
from engrain.index.vectors.file import OpenedVectors, VectorFile
from engrain.index.vectors.queries import KEY_BYTES, check_key
from engrain.model.errors import EmbeddingError, IndexUnavailableError
from engrain.model.note.vectors import FLOAT_BYTES, check_vector


class VectorIndex:
    """The vectors of one store on one device. They may be deleted at any moment, which costs only
    time. Methods raise IndexUnavailableError; the caller then does without and says so."""

    def __init__(self, folder: str) -> None:
        self._file = VectorFile(folder)

    def models(self) -> dict[str, int]:
        """Return the dimensions of each model that has had vectors here."""
        return self._file.ask(vector_queries.models)

    def count(self, model: str) -> int:
        """Return the number of vectors of `model`."""
        return self._file.ask(vector_queries.count, model)

    def missing(self, model: str, keys: Iterable[bytes]) -> list[bytes]:
        """Return those of `keys` without a vector of `model`, each once, in the given order."""
        return self._file.ask(vector_queries.missing, model, list(dict.fromkeys(keys)))

    def add(self, model: str, size: int, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        """Store (key, vector) pairs in one transaction; a key with a vector keeps it. Raises
        EmbeddingError, and stores nothing, for a vector that is not of `size` dimensions and length
        1, or if `model` has had vectors of another size."""
        for key, vector in vectors:
            if len(key) != KEY_BYTES:
                raise EmbeddingError(f"a key has {len(key)} bytes instead of {KEY_BYTES}")
            check_vector(vector, size)
        self._file.change(vector_changes.add, model, size, vectors)

    def nearest(self, model: str, vector: bytes, limit: int) -> list[tuple[bytes, float]]:
        """Return the vectors of `model` nearest to `vector`, as (key, cosine), best first, ties by
        key. Among many vectors a near one may be missed, see the implementation; the cosines are
        exact. Raises EmbeddingError for a vector of another size."""
        return self._file.ask(vector_queries.nearest, model, vector, limit) if limit > 0 else []

    def similarities(self, model: str, vector: bytes, keys: Iterable[bytes]) -> dict[bytes, float]:
        """Return the exact cosine of each of `keys` that has a vector of `model`. Raises
        EmbeddingError for a vector of another size."""
        return self._file.ask(vector_queries.similarities, model, vector, list(keys))

    def background(self, model: str, vector: bytes) -> tuple[float, float]:
        """Return the mean and standard deviation of the cosines of `vector` with vectors of `model`
        that are chosen independently of it, against which nearness is measured."""
        return self._file.ask(vector_queries.background, model, vector)

    def drop_others(self, model: str, keys: Iterable[bytes]) -> int:
        """Drop the vectors of `model` whose keys are not among `keys`, and return their number."""
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
        """Drop the model and all its vectors."""
        self._file.change(vector_changes.forget, model)
        while self._file.change(vector_changes.remove_orphans):
            pass

    def purge(self, keys: Iterable[bytes]) -> None:
        """Drop the vectors of every model whose keys are not among `keys`, so that no file contains
        a trace of them. If that fails, all vectors are dropped. Raises IndexUnavailableError if
        that fails too."""
        kept = list(keys)
        try:
            for model in self.models():
                self.drop_others(model, kept)
            self._file.rewrite()
        except IndexUnavailableError:
            self._file.remove()

    def verify(self) -> bool:
        """Check every vector. Return False if any was damaged; all are removed then."""
        before = self._file.damages
        try:
            self._file.ask(check_all)
        except IndexUnavailableError:
            return False
        return self._file.damages == before

    def close(self) -> None:
        """Release all resources."""
        self._file.close()


def check_all(connection: apsw.Connection, _: OpenedVectors) -> None:
    """Raise ValueError if the file has anything that was not written so: a flipped bit must not
    decide an answer."""
    if connection.execute("PRAGMA integrity_check(1)").get != "ok":
        raise ValueError("its pages do not belong together")
    models: list[tuple[Any, ...]] = connection.execute(
        "SELECT id, name, size, centre FROM models"
    ).fetchall()
    for number, name, size, centre in models:
        if not isinstance(name, str) or not isinstance(size, int):
            raise ValueError("a model is damaged")
        if centre is not None and len(centre) != size * FLOAT_BYTES:
            raise ValueError("a model's centre is damaged")
        rows = _check_rows(connection, number, size)
        held = _check_blocks(connection, number, centre)
        loose = [row for (row,) in connection.execute(
            "SELECT id FROM loose WHERE model = ?", (number,)
        )]  # fmt: skip
        if sorted([*held, *loose]) != sorted(rows):
            raise ValueError("the rows of a model are not each in one place")


def _check_rows(connection: apsw.Connection, number: int, size: int) -> list[int]:
    rows = []
    for row, key, vector in connection.execute(
        "SELECT id, key, vector FROM vectors WHERE model = ?", (number,)
    ):
        check_key(key)
        try:
            check_vector(vector, size)
        except EmbeddingError as error:
            raise ValueError(error.message) from None
        rows.append(row)
    return rows


def _check_blocks(connection: apsw.Connection, number: int, centre: Any) -> list[int]:
    held: list[int] = []
    blocks: list[tuple[Any, ...]] = connection.execute(
        "SELECT ids, planes FROM blocks WHERE model = ?", (number,)
    ).fetchall()
    for packed, planes in blocks:
        ids = array("q", packed)
        if len(ids) != BLOCK or centre is None:
            raise ValueError("a block is damaged")
        kept: dict[int, bytes] = defaultdict(bytes)
        for start in range(0, BLOCK, BLOCK // 8):
            some = ids[start : start + BLOCK // 8]
            places = ",".join("?" * len(some))
            kept.update(
                connection.execute(
                    f"SELECT id, vector FROM vectors WHERE id IN ({places})", tuple(some)
                )
            )
        if planes != pack_signs([kept[row] for row in ids], centre):
            raise ValueError("a block does not belong to its vectors")
        held += ids
    return held
