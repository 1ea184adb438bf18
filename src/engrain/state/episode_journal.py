"""Recordings of episodes as files: a file for each episode, a line for each event.

A process keeps a kernel lock on each of its files. The kernel frees it however the process dies, so
an unlocked file was left behind. A new file gets its final name only when it is locked and has its
first line; before that nobody claims it.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from engrain.state import failed, try_lock, write_whole

_ENDING = ".jsonl"
_NEW = ".new"
_LITTER_AGE = 3600.0
"""Seconds after which a file without its final name counts as left by a killed process."""
_UNLOCKED_AGE = 86_400.0
"""Seconds without an event after which a recording counts as left, if the system has no locks."""


class Recording:
    """The journal of one episode, held by the caller. Methods raise StorageError."""

    __slots__ = ("_file", "_mutex", "_path", "name")

    def __init__(self, name: str, path: str, file: int) -> None:
        self.name = name
        self._path = path
        self._file = file
        self._mutex = Lock()

    def append(self, event: Mapping[str, Any]) -> None:
        """Append an event, as a whole or not at all, from any thread. Only a power cut can lose
        it."""
        line = json.dumps(event, ensure_ascii=True, default=str).encode() + b"\n"
        with self._mutex:
            try:
                if self._file < 0:
                    raise OSError(errno.EBADF, "the lock is no longer held")
                write_whole(self._file, line, os.fstat(self._file).st_size)
            except OSError as error:
                raise failed("note what happened in an episode", error, self._path) from None

    def events(self) -> Iterator[Mapping[str, Any]]:
        """Yield the events so far, in order. Unreadable ones are skipped."""
        try:
            with open(self._path, "rb") as file:  # noqa: PTH123
                for line in file:
                    if (event := _read_event(line)) is not None:
                        yield event
        except OSError as error:
            raise failed("read an episode's recording", error, self._path) from None

    def release(self) -> None:
        """Release it, so that others can claim it. Releasing twice does no harm."""
        with self._mutex:
            file, self._file = self._file, -1
            if file >= 0:
                os.close(file)

    def discard(self) -> None:
        """Remove it for good, and release it."""
        try:
            os.unlink(self._path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise failed("remove an episode's recording", error, self._path) from None
        finally:
            self.release()


class EpisodeJournal:
    """The recordings of one vault's episodes in `folder`, which must be device-local and need not
    exist yet. Methods raise StorageError."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def begin(self, name: str, event: Mapping[str, Any]) -> Recording:
        """Create a recording with this name, an id made on this device, and its first event, both
        or neither."""
        new, path = (os.path.join(self._folder, name + ending) for ending in (_NEW, _ENDING))
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            if os.path.lexists(path):  # an id is used twice only by a caller's mistake
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            file = os.open(new, flags, 0o600)
        except OSError as error:
            raise failed("record an episode", error, new) from None
        recording = Recording(name, path, file)
        try:
            try_lock(file)
            recording.append(event)
            os.rename(new, path)
        except OSError as error:
            recording.release()
            raise failed("record an episode", error, path) from None
        except BaseException:
            recording.release()
            raise
        return recording

    def claim_left(self) -> Iterator[Recording]:
        """Yield the recordings that nobody holds; the caller holds each from then on. Two callers
        at once never get the same one."""
        for name in self._list():
            path = os.path.join(self._folder, name)
            file = _claim(path)
            if file < 0:
                continue
            if name.endswith(_NEW):
                if time.time() - os.fstat(file).st_mtime > _LITTER_AGE:
                    Recording(name, path, file).discard()
                else:
                    os.close(file)
                continue
            yield Recording(name.removesuffix(_ENDING), path, file)

    def _list(self) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise failed("look for recordings", error, self._folder) from None
        return sorted(name for name in names if name.endswith((_ENDING, _NEW)))


def _claim(path: str) -> int:
    """Open and lock the file at `path`; return -1 if another process holds it or it is gone."""
    try:
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    except FileNotFoundError:
        return -1
    except OSError as error:
        raise failed("look at an episode's recording", error, path) from None
    try:
        locked, found = try_lock(file), os.fstat(file)
        # No link is left if the former holder has just removed the file.
        held = locked is False or found.st_nlink == 0
        held = held or (locked is None and time.time() - found.st_mtime < _UNLOCKED_AGE)
    except OSError:
        held = True
    if held:
        os.close(file)
        return -1
    return file


def _read_event(line: bytes) -> Mapping[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
