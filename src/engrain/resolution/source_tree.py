"""Opens what another tool left on this machine: a folder, a file, a zip, an SQLite database; and
says which files of a folder stay out of an import: what git ignores, what lies in hidden folders
or in those of packages, and what the user excludes.

git itself is asked, if it is there. A folder that git ignores as a whole is imported nevertheless,
since its user named it.
"""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
from calendar import timegm
from collections.abc import Iterator, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
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


PACKAGES = "node_modules"
IGNORED = "git ignores it"
HIDDEN = "hidden"
_TIMEOUT_S = 60.0
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit")
"""Settings under which git runs no program that a folder names."""


class LeavingOut:
    """Decides what stays out below a folder; `patterns` are names or paths with wildcards, which
    also stand for all that lies in a folder of that name."""

    def __init__(self, folder: str, patterns: Sequence[str] = ()) -> None:
        self._folder = os.path.realpath(folder)
        self._patterns = [pattern.removeprefix("./").strip("/") for pattern in patterns]
        self._ignored: set[str] = set()
        self.hidden: list[str] = []
        """Hidden folders and files, which no import reads; a folder ends with `/`."""
        self._walk()

    def __call__(self, path: str) -> tuple[str, str] | None:
        """Return what stays out with the file at a path, and why; None for a file that comes in."""
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            place, is_folder = "/".join(parts[:end]), end < len(parts)
            if why := self._why(place, parts[end - 1], is_folder=is_folder):
                return (f"{place}/" if is_folder else place), why
        return None

    def _why(self, place: str, name: str, *, is_folder: bool) -> str:
        for pattern in self._patterns:
            if _matches(place, name, pattern):
                return f"--exclude {pattern}"
        if is_folder and name == PACKAGES:
            return "packages of other programs"
        return IGNORED if place in self._ignored else ""

    def _walk(self) -> None:
        """Ask git about the folder and every repository below it, and find what is hidden."""
        self._ask_git("")
        for folder, below, files in os.walk(self._folder):
            place = os.path.relpath(folder, self._folder).replace(os.sep, "/")
            place = "" if place == "." else f"{place}/"
            if place and (".git" in below or ".git" in files):
                self._ask_git(place)
            self.hidden += [f"{place}{name}/" for name in sorted(below) if name[0] == "."]
            self.hidden += [f"{place}{name}" for name in sorted(files) if name[0] == "."]
            below[:] = sorted(
                name for name in below if name[0] != "." and self(f"{place}{name}/x") is None
            )

    def _ask_git(self, place: str) -> None:
        folder = os.path.join(self._folder, place)
        if _run_git(folder, "check-ignore", "-q", "--", ".") is not None:
            return
        options = ("--others", "--ignored", "--exclude-standard", "--directory")
        found = _run_git(folder, "ls-files", "-z", *options)
        for name in (found or b"").split(b"\0"):
            if name:
                self._ignored.add(place + os.fsdecode(name).rstrip("/"))


def _matches(place: str, name: str, pattern: str) -> bool:
    if "/" not in pattern:
        return fnmatchcase(name, pattern)
    return any(fnmatchcase(place, one) for one in _spellings(pattern))


def _spellings(pattern: str) -> Iterator[str]:
    """Yield a path's pattern, in which `*` stands for any folders too; those that `**/` begins are
    also met at the top, and `/**` stands for all that is in a folder."""
    pattern = pattern.removesuffix("/**")
    yield pattern
    if pattern.startswith("**/"):
        yield pattern[3:]


def _run_git(folder: str, *words: str) -> bytes | None:
    """Return what git writes about a folder, None where it fails or is not there."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environ |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    settings = [word for setting in _SAFE for word in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", "--no-pager", *settings, *words],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
