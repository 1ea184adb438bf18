"""A host's files as bytes: read, and changed atomically or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from engrain.model.errors import ConfigError, ConflictError, StorageError

_PRIVATE = 0o600


@dataclass(slots=True, eq=False)
class Change:
    """One file's bytes before and after; None where there is no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> str:
        """created, changed, removed or unchanged."""
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    def diff(self) -> list[str]:
        """A unified diff, with little around it: a host's configuration may hold keys."""
        before = (self.before or b"").decode(errors="replace").splitlines()
        after = (self.after or b"").decode(errors="replace").splitlines()
        old = "/dev/null" if self.before is None else self.path
        new = "/dev/null" if self.after is None else self.path
        return list(unified_diff(before, after, old, new, lineterm="", n=1))


def read(path: str) -> bytes | None:
    """The file's bytes, through links; None where there is none. Raises ConfigError."""
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


def write_all(changes: Sequence[Change]) -> list[str]:
    """Make every change or none; the folders that were made for them.

    Raises ConflictError when a file is no longer what it was, StorageError when one can't be
    written; the others are as they were then.
    """
    made: list[str] = []
    done: list[Change] = []
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
                _write(Change(change.path, change.after, change.before))
        remove_folders(made)
        if isinstance(error, OSError):
            raise StorageError(
                f"can't write: {error.strerror}; no file was changed", path=error.filename
            ) from None
        raise
    return made


def remove_folders(folders: Iterable[str]) -> None:
    """Remove those that are empty, the deepest first."""
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def place(path: str, raw: bytes, mode: int) -> None:
    """Put the bytes at `path` in one step, with this mode. Raises OSError."""
    temp = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temp, "xb", opener=_open_private) as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temp, mode)
        os.replace(temp, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temp)
        raise
    _sync_folder(os.path.dirname(path))


def _write(change: Change) -> None:
    # A file kept elsewhere and linked here stays linked.
    path = os.path.realpath(change.path)
    now = read(path)
    if now == change.after:
        return  # hosts share a file
    if now != change.before:
        raise ConflictError(
            "another program changed it meanwhile; no file was changed",
            path=change.path,
            remedy="run the same command again",
        )
    if change.after is None:
        os.unlink(path)
        return
    mode = 0o666 & ~_umask()
    if change.before is not None:
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "it is read-only", path)
        mode = stat.S_IMODE(os.stat(path).st_mode)
    place(path, change.after, mode)


def _make_folders(folder: str, made: list[str]) -> None:
    missing = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        os.mkdir(path)
        made.append(path)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


def _sync_folder(folder: str) -> None:
    if os.name == "posix":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
