"""Opens what another tool left on this machine: a folder, a file, a zip, an SQLite database."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import tempfile
import zipfile
from calendar import timegm
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.seam.source_tree import SourceTree

_MOST_BYTES = 1 << 30
_MOST_FILES = 100_000
_HEAD = 64 << 10
_SKIPPED = (".git", "node_modules", "__pycache__", ".venv")
_ENDINGS = (
    ".md", ".mdc", ".json", ".jsonl", ".ndjson", ".csv", ".org", ".edn", ".db", ".cursorrules",
    ".windsurfrules", ".clinerules",
)  # fmt: skip
"""The endings of files that a way in reads."""


def open_tree(path: str) -> SourceTree:
    """Open a folder, a zip, or one file as a tree. Links are not followed. Raises NotFoundError,
    UsageError, MalformedError."""
    path = os.path.abspath(os.path.expanduser(path))
    name = os.path.basename(path)
    if os.path.isdir(path):
        places = dict(_list_files(path))
    elif not os.path.lexists(path):
        raise NotFoundError("no such file or folder", path=path, remedy="check the path")
    elif not os.path.isfile(path):  # a pipe would be waited for
        raise UsageError("neither a file nor a folder", path=path)
    elif zipfile.is_zipfile(path):
        return _open_zip(path)
    else:
        places = {name: path}
        name = os.path.basename(os.path.dirname(path))

    def read(file: str) -> bytes:
        try:
            _check_size(file, os.path.getsize(places[file]))
            with open(places[file], "rb") as opened:  # noqa: PTH123
                return opened.read()
        except OSError as error:
            raise _refuse(file, error) from None

    def read_head(file: str) -> bytes:
        try:
            with open(places[file], "rb") as opened:  # noqa: PTH123
                return opened.read(_HEAD)
        except OSError as error:
            raise _refuse(file, error) from None

    def read_rows(file: str, table: str) -> list[dict[str, Any]]:
        return read_table(places[file], table)

    def date_of(file: str) -> float | None:
        try:
            return os.stat(places[file]).st_mtime
        except OSError:
            return None

    return SourceTree(name, path, sorted(places), read, read_head, read_rows, date_of)


def _check_size(file: str, size: int) -> None:
    if size > _MOST_BYTES:
        limit = f"over {_MOST_BYTES >> 30} GiB"
        raise MalformedError(limit, reason="too-large", path=file)


def _refuse(file: str, error: Exception) -> MalformedError:
    said = error.strerror if isinstance(error, OSError) else str(error)
    return MalformedError(said or "unreadable", reason="unreadable", path=file)


def _list_files(root: str) -> Iterator[tuple[str, str]]:
    count = 0
    for here, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if one not in _SKIPPED)
        for name in sorted(names):
            place = os.path.join(here, name)
            if name.endswith(_ENDINGS) and os.path.isfile(place) and not os.path.islink(place):
                count += 1
                if count > _MOST_FILES:
                    raise MalformedError(f"over {_MOST_FILES} files", reason="too-large", path=root)
                yield os.path.relpath(place, root).replace(os.sep, "/"), place


def _open_zip(path: str) -> SourceTree:
    """Open a zip whose members may be zips of the same export; it is opened for each reading."""
    inner: dict[str, zipfile.ZipFile] = {}
    members: dict[str, tuple[str, zipfile.ZipInfo]] = {}

    def add(archive: zipfile.ZipFile, part: str) -> None:
        for info in archive.infolist():
            if info.filename.endswith(".zip") and not part:
                _check_size(info.filename, info.file_size)
                inner[info.filename] = zipfile.ZipFile(io.BytesIO(archive.read(info)))
                add(inner[info.filename], info.filename)
            elif info.filename.endswith(_ENDINGS) and not info.is_dir():
                members[info.filename] = (part, info)

    def read_first(file: str, most: int) -> bytes:
        part, info = members[file]
        try:
            with zipfile.ZipFile(path) as outer, inner.get(part, outer).open(info) as opened:
                return opened.read(most)
        except (OSError, RuntimeError, zipfile.BadZipFile) as error:
            raise _refuse(file, error) from None

    def read(file: str) -> bytes:
        _check_size(file, members[file][1].file_size)
        return read_first(file, -1)

    def read_head(file: str) -> bytes:
        return read_first(file, _HEAD)

    def read_rows(file: str, table: str) -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "copy.db")
            with open(place, "wb") as copy:  # noqa: PTH123
                copy.write(read(file))
            return read_table(place, table)

    def date_of(file: str) -> float | None:
        return float(timegm((*members[file][1].date_time, 0, 0, 0)))

    try:
        with zipfile.ZipFile(path) as archive:
            add(archive, "")
    except (OSError, RuntimeError, zipfile.BadZipFile) as error:
        raise _refuse(path, error) from None
    stem = os.path.basename(path).removesuffix(".zip")
    return SourceTree(stem, path, sorted(members), read, read_head, read_rows, date_of)


def read_table(place: str, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table of an SQLite database, none if there is no such table. The file
    and its log are copied first, so that the other tool's own file is never written. Raises
    MalformedError."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.db")
        for ending in ("", "-wal"):
            if os.path.isfile(place + ending):
                shutil.copyfile(place + ending, copy + ending)
        try:
            with closing(sqlite3.connect(copy)) as database:
                database.row_factory = sqlite3.Row
                known = database.execute(
                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
                ).fetchone()
                if known is None:
                    return []
                rows = database.execute(f'SELECT * FROM "{table}" ORDER BY rowid')
                return [dict(row) for row in rows]
        except sqlite3.Error as error:
            raise _refuse(place, error) from None
