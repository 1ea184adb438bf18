"""Checks every byte of the vectors that can be checked: a flipped bit must not decide an answer."""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import Any

import apsw

from engrain.index.vectors.blocks import BLOCK, pack_signs
from engrain.index.vectors.file import OpenedVectors
from engrain.index.vectors.queries import check_key
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import FLOAT_BYTES, check_vector


def check_all(connection: apsw.Connection, _: OpenedVectors) -> None:
    """Raise ValueError if the file has anything that was not written so."""
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
