"""Write vectors: all SQL that changes them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engrain.index.vectors.blocks import BLOCK, find_centre, pack_signs
from engrain.index.vectors.queries import as_list, centre_of, find
from engrain.model.errors import EmbeddingError

if TYPE_CHECKING:
    import apsw

    from engrain.index.vectors.file import OpenedVectors


def add(
    connection: apsw.Connection,
    opened: OpenedVectors,
    model: str,
    size: int,
    vectors: Sequence[tuple[bytes, bytes]],
) -> None:
    connection.execute("INSERT OR IGNORE INTO models (name, size) VALUES (?, ?)", (model, size))
    number, known = find(connection, model) or (0, 0)
    if known != size:
        raise EmbeddingError(
            f"the model {model} has vectors of {known} dimensions, these have {size}"
        )
    for key, vector in vectors:
        row = connection.execute(
            "INSERT INTO vectors (model, key, vector) VALUES (?, ?, ?)"
            " ON CONFLICT DO NOTHING RETURNING id",
            (number, key, vector),
        ).get
        if row is not None:
            connection.execute("INSERT INTO loose VALUES (?, ?)", (number, row))
    while fill_block(connection, opened, model):
        pass


def fill_block(connection: apsw.Connection, _: OpenedVectors, model: str) -> bool:
    """Gather a block of loose rows; return whether there were enough."""
    found = find(connection, model)
    if found is None:
        return False
    number = found[0]
    loose = connection.execute("SELECT count(*) FROM loose WHERE model = ?", (number,)).get
    if loose < BLOCK:
        return False
    rows: list[tuple[int, bytes]] = connection.execute(
        "SELECT id, vector FROM (SELECT id FROM loose WHERE model = ? LIMIT ?)"
        " JOIN vectors USING (id)",
        (number, BLOCK),
    ).fetchall()  # type: ignore[assignment]  # the columns' types are the table's
    vectors = [vector for _, vector in rows]
    centre = centre_of(connection, number)
    if centre is None:  # the first block's centre is good enough for all: it only spreads the votes
        centre = find_centre(vectors)
        connection.execute("UPDATE models SET centre = ? WHERE id = ?", (centre, number))
    connection.execute(
        "INSERT INTO blocks (model, ids, planes) VALUES (?, ?, ?)",
        (number, array("q", [row for row, _ in rows]).tobytes(), pack_signs(vectors, centre)),
    )
    connection.executemany(
        "DELETE FROM loose WHERE model = ? AND id = ?", [(number, row) for row, _ in rows]
    )
    return True


def dissolve(connection: apsw.Connection, _: OpenedVectors, block: int, gone: set[int]) -> None:
    """Make the rows of a block loose if some of them are `gone`."""
    found = connection.execute("SELECT model, ids FROM blocks WHERE id = ?", (block,)).get
    if found is None:
        return  # another process did it
    number, packed = found
    rows = array("q", packed)
    if gone.isdisjoint(rows):
        return
    connection.execute("DELETE FROM blocks WHERE id = ?", (block,))
    connection.executemany("INSERT INTO loose VALUES (?, ?)", [(number, row) for row in rows])


def remove_rows(connection: apsw.Connection, _: OpenedVectors, rows: Sequence[int]) -> int:
    listed = as_list(rows)
    before = connection.total_changes()
    connection.execute(
        "DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))", (listed,)
    )
    removed = connection.total_changes() - before
    connection.execute(
        "DELETE FROM loose WHERE (model, id) IN"
        " (SELECT models.id, value FROM models, json_each(?))",
        (listed,),
    )
    return removed


def forget(connection: apsw.Connection, _: OpenedVectors, model: str) -> None:
    connection.execute("DELETE FROM models WHERE name = ?", (model,))


def remove_orphans(connection: apsw.Connection, _: OpenedVectors) -> bool:
    """Remove some rows of models that no longer exist; return whether there were any."""
    before = connection.total_changes()
    for table in ("blocks", "loose"):
        connection.execute(f"DELETE FROM {table} WHERE model NOT IN (SELECT id FROM models)")
    connection.execute(
        "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors WHERE model NOT IN"
        " (SELECT id FROM models) LIMIT ?)",
        (BLOCK,),
    )
    return connection.total_changes() > before
