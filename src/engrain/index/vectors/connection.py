"""Connections to the file of the vectors: its tables, and the distance that SQL needs."""

from __future__ import annotations

import os

import apsw

from engrain.index.connection import BUSY_MS
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import dot

_SCHEMA = 1
_CACHE_KB = 16 * 1024
_PAGE_BYTES = 8192  # five vectors of 384 dimensions; in 4096 bytes a quarter would be waste

_TABLES = f"""
PRAGMA page_size={_PAGE_BYTES};
PRAGMA journal_mode=WAL;
BEGIN IMMEDIATE;
CREATE TABLE models (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
  centre BLOB
);
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, key BLOB NOT NULL,
  vector BLOB NOT NULL
);
CREATE UNIQUE INDEX vectors_by_key ON vectors (model, key);
CREATE TABLE loose (
  model INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (model, id)
) WITHOUT ROWID;
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, ids BLOB NOT NULL,
  planes BLOB NOT NULL
);
CREATE INDEX blocks_by_model ON blocks (model);
PRAGMA user_version={_SCHEMA};
COMMIT;
"""


def open_file(path: str) -> apsw.Connection | None:
    """A connection to a file, made if need be; None when it is of another version."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # for its owner's eyes only
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(BUSY_MS)
        version = connection.execute("PRAGMA user_version").get
        if not version and not connection.execute("SELECT count(*) FROM sqlite_schema").get:
            connection.execute(_TABLES).fetchall()
        elif version != _SCHEMA:
            connection.close()
            return None
        # The last commits may be lost with the power: they can be embedded again.
        connection.execute(f"PRAGMA synchronous=NORMAL; PRAGMA cache_size=-{_CACHE_KB}").fetchall()
        _give_distance(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _give_distance(connection: apsw.Connection) -> None:
    """Give SQL `vec_distance_cosine`: sqlite-vec's, or plain Python where that is not installed.

    The extension is found without importing its package, which would load numpy.
    """
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("sqlite_vec")
    if spec and spec.submodule_search_locations:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(os.path.join(spec.submodule_search_locations[0], "vec0"))
        except apsw.ExtensionLoadingError:
            spec = None
        finally:
            connection.enable_load_extension(False)
    if not spec:
        connection.create_scalar_function(
            "vec_distance_cosine", _distance, numargs=2, deterministic=True
        )


def _distance(*vectors: apsw.SQLiteValue) -> float:
    left, right = vectors
    if not (isinstance(left, bytes) and isinstance(right, bytes)):
        raise EmbeddingError("a vector is kept as bytes")
    return 1.0 - dot(left, right)
