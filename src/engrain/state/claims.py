"""The claim to run the jobs of a vault: a kernel lock on a file, which has its holder's process id.

The kernel frees it when its holder dies, so it is never taken over. Two threads exclude each other
like two processes.
"""

from __future__ import annotations

import errno
import json
import os
import time

from engrain.model.errors import LockedError, StorageError

_PATIENCE = 0.2
"""Seconds that one who would have the claim waits for those who only look whether it is held."""
_PAUSE = 0.01
_NOTE_BYTES = 64


class Claim:
    """Held for the length of a block. On entering raises LockedError, which names the holder, and
    StorageError where there can be no such lock."""

    __slots__ = ("_file", "_path")

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._failed(error) from None
        try:
            self._lock()
            note = json.dumps({"pid": os.getpid(), "since": round(time.time(), 3)})
            os.pwrite(self._file, note.ljust(_NOTE_BYTES).encode(), 0)
        except OSError as error:
            os.close(self._file)
            raise self._failed(error) from None
        except BaseException:
            os.close(self._file)
            raise

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def _lock(self) -> None:
        until = time.monotonic() + _PATIENCE
        while not _try_lock(self._file):
            if time.monotonic() > until:
                pid = _read_pid(self._file)
                who = f"process {pid}" if pid else "another process"
                if pid == os.getpid():
                    who = "another thread of this process"
                raise LockedError(
                    f"the jobs of this vault are being run by {who}",
                    path=self._path,
                    remedy="wait for it; `engrain jobs status` tells what it does",
                )
            time.sleep(_PAUSE)

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(f"can't claim the jobs: {error.strerror}", path=self._path)


def find_holder(path: str) -> int | None:
    """The process id of who holds the claim at `path`, 0 if that is not known, None for nobody."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _read_pid(file) if _is_held(file) else None
    finally:
        os.close(file)


def _try_lock(file: int) -> bool:
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        raise OSError(errno.ENOSYS, "this system has no file locks") from None
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_held(file: int) -> bool:
    try:
        from fcntl import LOCK_NB, LOCK_SH, flock

        flock(file, LOCK_SH | LOCK_NB)
    except BlockingIOError:
        return True
    except (ImportError, OSError):
        return False
    return False


def _read_pid(file: int) -> int:
    try:
        pid = json.loads(os.pread(file, _NOTE_BYTES, 0))["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return pid if type(pid) is int and pid > 0 else 0
