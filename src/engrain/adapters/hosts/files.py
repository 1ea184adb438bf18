"""Read a host's files as bytes, and change them atomically: all of them or none."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from engrain.model.errors import ConfigError, ConflictError, StorageError
from engrain.resolution.files import replace_file


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file's bytes before and after, None for no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> str:
        """Return created, changed, removed or unchanged."""
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    def diff(self) -> list[str]:
        """Return a unified diff with one line of context: a host's configuration may hold keys."""
        before = (self.before or b"").decode(errors="replace").splitlines()
        after = (self.after or b"").decode(errors="replace").splitlines()
        old = "/dev/null" if self.before is None else self.path
        new = "/dev/null" if self.after is None else self.path
        return list(unified_diff(before, after, old, new, lineterm="", n=1))


def read(path: str) -> bytes | None:
    """Return the bytes of the file, following links; None if there is none. Raises ConfigError."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ConfigError("not a file", path=path, remedy="move it away")
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except FileNotFoundError:
        if os.path.islink(path):
            raise ConfigError(
                "a broken symbolic link", path=path, remedy="repair or remove it"
            ) from None
        return None
    except OSError as error:
        raise ConfigError(f"can't read: {error.strerror}", path=path) from None


def write_all(changes: Sequence[FileEdit]) -> list[str]:
    """Make every change or none, and return the folders that were made for them.

    Raises ConflictError if a file has changed meanwhile, StorageError if one can't be written.
    """
    made: list[str] = []
    done: list[FileEdit] = []
    try:
        for change in changes:
            if change.action != "unchanged":
                if change.after is not None:
                    _make_folders(os.path.dirname(change.path), made)
                _write(change)
                done.append(change)
    except BaseException as error:
        for change in reversed(done):
            with contextlib.suppress(OSError, ConflictError):
                _write(FileEdit(change.path, change.after, change.before))
        remove_folders(made)
        if isinstance(error, OSError):
            raise StorageError(
                f"can't write: {error.strerror}; no file was changed", path=error.filename
            ) from None
        raise
    return made


def remove_folders(folders: Iterable[str]) -> None:
    """Remove the folders that are empty, the deepest first."""
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _write(change: FileEdit) -> None:
    # A symbolic link to a file elsewhere stays.
    path = os.path.realpath(change.path)
    now = read(path)
    if now == change.after:
        return  # another host that shares this file wrote it
    if now != change.before:
        raise ConflictError(
            "another program changed it meanwhile; no file was changed",
            path=change.path,
            remedy="run the same command again",
        )
    if change.after is None:
        os.unlink(path)
        return
    if change.before is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", path)
    replace_file(path, change.after)


def _make_folders(folder: str, made: list[str]) -> None:
    missing = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        os.mkdir(path)
        made.append(path)
