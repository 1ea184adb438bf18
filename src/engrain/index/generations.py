"""The files of the index: one for each generation, and a pointer to the one in use.

A rebuild writes a file that nobody reads yet and then moves the pointer, so that a reader has the
complete old or new generation. The folder may vanish at any moment.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

_POINTER = "current"
_TURN = "turn"
_MOST_CHARS = 16 * 1024
_FILE = "index-"
_SUFFIX = ".sqlite"
_BAD = ".bad"
_NAME_CHARS = "0123456789abcdef-"
ABANDONED_S = 3600.0
"""Seconds without a write after which its builder has abandoned a generation."""


class Generations:
    """The files of one index folder. Methods raise OSError as the file system does."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._pointer = os.path.join(folder, _POINTER)

    def stamp(self) -> tuple[int, int] | None:
        """Return the inode and time of the pointer file; None if it is missing."""
        try:
            stat = os.stat(self._pointer)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return stat.st_ino, stat.st_mtime_ns

    def current(self) -> str | None:
        """Return the name of the generation in use, None if there is none."""
        try:
            with open(self._pointer, "rb") as file:  # noqa: PTH123
                name = file.read(100).decode("ascii", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return name if name and not name.strip(_NAME_CHARS) else None

    def path(self, name: str) -> str:
        """Return the file of a generation."""
        return os.path.join(self.folder, f"{_FILE}{name}{_SUFFIX}")

    def open_folder(self) -> int:
        """Return a descriptor of the folder, which is created if missing."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        return os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)

    def begin(self, now: float) -> str:
        """Create an empty file, private to its owner, for a new generation; return its name."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        attempt = 0
        while True:
            name = f"{int(now * 1000):x}-{os.getpid():x}-{attempt:x}"
            try:
                os.close(os.open(self.path(name), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            except FileExistsError:
                attempt += 1
            else:
                return name

    @contextmanager
    def building(self) -> Iterator[None]:
        """Run a block that only one process at a time enters; any number, if the system can't
        lock, so that they rebuild side by side, and the last one's stays."""
        folder = -1
        try:
            folder = self.open_folder()
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError:
            pass
        try:
            yield
        finally:
            if folder >= 0:
                os.close(folder)

    def seal(self, name: str) -> None:
        """Flush a finished generation to the disk.

        It was built without a journal, so a power cut could otherwise leave a corrupt one in use.
        """
        built = os.open(self.path(name), os.O_RDWR)
        try:
            os.fsync(built)
        finally:
            os.close(built)

    def point_to(self, name: str) -> None:
        """Put a generation into use."""
        pointer = f"{self._pointer}-{name}"
        with open(pointer, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(name)
        os.replace(pointer, self._pointer)

    def clean(self, kept: str, replaced: str | None) -> None:
        """Remove the replaced generation and the files of dead builders, as far as possible: the
        new one is in use by now."""
        if replaced:
            self.discard(replaced)
        try:
            before = os.path.getmtime(self.path(kept)) - ABANDONED_S
            names = os.listdir(self.folder)
        except OSError:
            return
        for name in names:
            path = os.path.join(self.folder, name)
            ours = name.startswith((_FILE, _POINTER + "-"))
            if ours and not path.startswith(self.path(kept)) and is_older(path, before):
                _remove(path)

    def sweep(self) -> None:
        """Remove everything but the generation in use, even one that is still being built."""
        kept = self.current()
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            ours = name.startswith((_FILE, _POINTER + "-"))
            if ours and not (kept and path.startswith(self.path(kept))):
                _remove(path)

    def read_turn(self) -> str:
        """Return the text that `write_turn` stored last, "" if there is none."""
        try:
            with open(os.path.join(self.folder, _TURN), encoding="utf-8") as file:  # noqa: PTH123
                return file.read(_MOST_CHARS)
        except (OSError, ValueError):
            return ""

    def write_turn(self, text: str) -> None:
        """Store a text that may be lost, without a flush or waiting for writers of the index."""
        try:
            path = os.path.join(self.folder, _TURN)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        # In place and in one write: the rest of a longer text follows the lines that are read.
        os.write(file, text.encode(errors="replace"))
        os.close(file)

    def discard(self, name: str) -> None:
        """Remove the files of a generation as far as possible."""
        path = self.path(name)
        for suffix in ("", "-wal", "-shm", "-journal", _BAD):
            _remove(path + suffix)

    def mark_bad(self, name: str) -> None:
        """Mark a generation as corrupt for every process, if the folder can be written."""
        try:
            open(self.path(name) + _BAD, "wb").close()  # noqa: PTH123
        except OSError:
            return  # the next process that meets the damage tries again

    def is_bad(self, name: str) -> bool:
        """Whether some process met damage in a generation."""
        return os.path.exists(self.path(name) + _BAD)


def is_older(path: str, time: float) -> bool:
    """Whether a file was last changed before a moment; False where it is gone."""
    try:
        return os.path.getmtime(path) < time
    except OSError:
        return False  # Another process removed it.


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
