"""Read vectors: all SQL that queries them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engrain.index.vectors.blocks import Signs, choose
from engrain.model.note.vectors import FLOAT_BYTES, check_vector

if TYPE_CHECKING:
    import apsw

    from engrain.index.vectors.file import OpenedVectors


KEY_BYTES = 16
_CANDIDATES = 1024
"""The vectors compared exactly at least, and at least `_PER_RESULT` for each wanted result."""
_PER_RESULT = 8
_ONE_IN = 1024
"""In a large index, one in so many rows: among 1M passages' static vectors 1,024 hold .995 of the
exact ten, and twice as many .998."""
_SAMPLE = 128
_PRIOR_ROWS = 5
_PRIOR_MEAN = 0.1
_PRIOR_DEVIATION = 0.12
"""The cosines assumed of a model before any row is read, as if found in `_PRIOR_ROWS` rows."""
_LEAST_VARIANCE = 0.0004
_GROUP = 64
"""Blocks added up at once: shorter integers mean more steps, longer ones overflow the caches."""
_KEYS_AT_ONCE = 10_000
_MOST_COSINE = 1.01
"""The most that a cosine is, with what float32 numbers lack of precision."""
_KEYS = "(SELECT unhex(value) FROM json_each(?))"


def models(connection: apsw.Connection, _: OpenedVectors) -> dict[str, int]:
    return dict(connection.execute("SELECT name, size FROM models ORDER BY name"))


def find(connection: apsw.Connection, model: str) -> tuple[int, int] | None:
    """Return a model's number and the size of its vectors."""
    found: tuple[int, int] | None = connection.execute(
        "SELECT id, size FROM models WHERE name = ?", (model,)
    ).get
    return found


def _number_for(connection: apsw.Connection, model: str, vector: bytes) -> int | None:
    """Return a model's number, after checking that `vector` is comparable with its vectors."""
    found = find(connection, model)
    if found is None:
        return None
    number, size = found
    check_vector(vector, size)
    return number


def count(connection: apsw.Connection, _: OpenedVectors, model: str) -> int:
    found: int = connection.execute(
        "SELECT count(*) FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?)",
        (model,),
    ).get
    return found


def missing(
    connection: apsw.Connection, _: OpenedVectors, model: str, keys: Sequence[bytes]
) -> list[bytes]:
    found = find(connection, model)
    if found is None:
        return list(keys)
    known: set[bytes] = set()
    for listed in _listings(keys):
        known.update(
            check_key(key)
            for (key,) in connection.execute(
                f"SELECT key FROM vectors WHERE model = ? AND key IN {_KEYS}", (found[0], listed)
            )
        )
    return [key for key in keys if key not in known]


def similarities(
    connection: apsw.Connection, _: OpenedVectors, model: str, vector: bytes, keys: Sequence[bytes]
) -> dict[bytes, float]:
    number = _number_for(connection, model, vector)
    if number is None:
        return {}
    found: dict[bytes, float] = {}
    for listed in _listings(keys):
        found.update(
            connection.execute(
                "SELECT key, 1 - vec_distance_cosine(vector, ?) FROM vectors"
                f" WHERE model = ? AND key IN {_KEYS}",
                (vector, number, listed),
            )
        )
    _check_cosines(found.values())
    return found


def background(
    connection: apsw.Connection, _: OpenedVectors, model: str, vector: bytes
) -> tuple[float, float]:
    """Return mean and standard deviation of the cosines of `vector` with an even sample of rows."""
    number = _number_for(connection, model, vector)
    first, last = connection.execute(
        "SELECT (SELECT min(id) FROM vectors), (SELECT max(id) FROM vectors)"
    ).get
    found: Sequence[tuple[float]] = ()
    if number is not None and first is not None:
        found = connection.execute(
            "SELECT 1 - vec_distance_cosine(v.vector, ?) FROM json_each(?)"
            " CROSS JOIN vectors v ON v.id = value WHERE v.model = ?",
            (vector, as_list(spread_ids(first, last)), number),
        ).fetchall()  # type: ignore[assignment]  # of the columns' types
    cosines = [cosine for (cosine,) in found]
    _check_cosines(cosines)
    return find_background(cosines)


def spread_ids(first: int, last: int) -> range:
    """Return the numbers of a sample of rows, spread evenly over all."""
    return range(first, last + 1, max(1, (last - first) // _SAMPLE))


def find_background(cosines: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of some cosines together with the assumed ones."""
    many = len(cosines) + _PRIOR_ROWS
    mean = (sum(cosines) + _PRIOR_ROWS * _PRIOR_MEAN) / many
    supposed = _PRIOR_ROWS * (_PRIOR_MEAN**2 + _PRIOR_DEVIATION**2)
    squares = sum(cosine * cosine for cosine in cosines) + supposed
    return mean, max(squares / many - mean * mean, _LEAST_VARIANCE) ** 0.5


def _listings(keys: Sequence[bytes]) -> list[str]:
    """Return keys as JSON lists for SQL, `_KEYS_AT_ONCE` in each."""
    return [
        "[" + ",".join([f'"{key.hex()}"' for key in keys[start : start + _KEYS_AT_ONCE]]) + "]"
        for start in range(0, len(keys), _KEYS_AT_ONCE)
    ]


def nearest(
    connection: apsw.Connection, opened: OpenedVectors, model: str, vector: bytes, limit: int
) -> list[tuple[bytes, float]]:
    number = _number_for(connection, model, vector)
    if number is None:
        return []
    found: list[tuple[bytes, float]] = connection.execute(
        "SELECT key, 1 - vec_distance_cosine(vector, ?) AS cosine FROM"
        " (SELECT value AS id FROM json_each(?) UNION ALL SELECT id FROM loose WHERE model = ?)"
        " JOIN vectors USING (id) ORDER BY cosine DESC, key LIMIT ?",
        (
            vector,
            as_list(sorted(_candidates(connection, opened, number, vector, limit))),
            number,
            limit,
        ),
    ).fetchall()  # type: ignore[assignment]  # the columns' types are the table's
    _check_cosines([cosine for key, cosine in found if check_key(key)])
    return found


def check_key(key: object) -> bytes:
    """Return a key as it was read. Raises ValueError if it can't have been written so."""
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise ValueError("a key is damaged")
    return key


def _check_cosines(cosines: Iterable[object]) -> None:
    """Raise ValueError if one of them is no cosine, so that its vector is damaged."""
    for cosine in cosines:
        if not isinstance(cosine, float) or not -_MOST_COSINE <= cosine <= _MOST_COSINE:
            raise ValueError("a vector is damaged")


def _candidates(
    connection: apsw.Connection, opened: OpenedVectors, number: int, vector: bytes, limit: int
) -> list[int]:
    """Return the rows in blocks that are worth an exact comparison."""
    centre = centre_of(connection, number)
    if centre is None:
        return []
    groups = _signs(connection, opened, number, len(vector) // FLOAT_BYTES)
    rows = sum(len(group.ids) for group in groups)
    wanted = max(_CANDIDATES, limit * _PER_RESULT, rows // _ONE_IN)
    return choose(groups, vector, centre, wanted)


def centre_of(connection: apsw.Connection, number: int) -> bytes | None:
    """Return the centre that a model's planes refer to, None if it has had no block yet."""
    found: bytes | None = connection.execute(
        "SELECT centre FROM models WHERE id = ?", (number,)
    ).get
    return found


def _signs(
    connection: apsw.Connection, opened: OpenedVectors, number: int, size: int
) -> list[Signs]:
    """Return the blocks of a model in groups; only groups not in memory are read."""
    blocks = [
        block
        for (block,) in connection.execute(
            "SELECT id FROM blocks WHERE model = ? ORDER BY id", (number,)
        )
    ]
    known = opened.groups.get(number, {})
    groups = {}
    for start in range(0, len(blocks), _GROUP):
        members = tuple(blocks[start : start + _GROUP])
        groups[members] = known.get(members) or Signs(
            [
                connection.execute("SELECT ids, planes FROM blocks WHERE id = ?", (block,)).get
                for block in members
            ],
            size,
        )
    opened.groups[number] = groups
    return list(groups.values())


def others(connection: apsw.Connection, _: OpenedVectors, model: str, keys: set[bytes]) -> set[int]:
    """Return the rows of a model whose keys are not among `keys`."""
    found = find(connection, model)
    if found is None:
        return set()
    rows = connection.execute("SELECT id, key FROM vectors WHERE model = ?", (found[0],))
    return {row for row, key in rows if key not in keys}


def blocks(connection: apsw.Connection, _: OpenedVectors, model: str) -> list[int]:
    rows = connection.execute(
        "SELECT id FROM blocks WHERE model = (SELECT id FROM models WHERE name = ?)", (model,)
    )
    return [block for (block,) in rows]


def as_list(rows: Sequence[int]) -> str:
    """Return row numbers as a JSON list for SQL."""
    return "[" + ",".join(map(str, rows)) + "]"
