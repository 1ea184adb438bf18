"""A file whose kernel lock is a place that one process has: it dies with its holder, so what a
crash leaves is in nobody's way."""

from __future__ import annotations

import os

from engrain.model.errors import StorageError


def take_lock_file(path: str, *, wait: bool = False) -> int | None:
    """The descriptor of the locked file. While another process has it: None, or with `wait` only
    when that has left or died. Raises StorageError on a system without such locks, OSError."""
    try:
        import fcntl
    except ImportError:
        raise StorageError(
            "this system has no locks to tell that one server runs", remedy="use --stdio"
        ) from None
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(path, flags, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            # A holder that left has removed the file; then this is the lock of nothing.
            held = os.fstat(file)
            there = os.stat(path)
            if (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino):
                return file
        except BlockingIOError:
            os.close(file)
            return None
        except FileNotFoundError:
            pass
        except OSError:
            os.close(file)
            raise
        os.close(file)


def leave_lock_file(path: str, file: int) -> None:
    """Give the place back. The file goes while it is still locked: who opened it meanwhile sees
    that it is not the place."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    finally:
        os.close(file)
