"""What only this device knows about a vault, such as sessions: neither in the vault nor derived."""

from __future__ import annotations

import errno
import fcntl
import os

from engrain.model.errors import StorageError


def failed(what: str, error: OSError, path: str) -> StorageError:
    """Return the error to raise when something can't be done to a file of this device."""
    return StorageError(f"can't {what}: {error.strerror}", path=path)


def try_lock(file: int) -> bool:
    """Lock an open file; return False if another process or opener has the lock. Raises OSError."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def append_whole(path: str, raw: bytes) -> None:
    """Append lines to a file, all of them or none. Raises OSError."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        before = os.fstat(file).st_size
        if before and os.pread(file, 1, before - 1) != b"\n":
            raw = b"\n" + raw  # keep a line that a crash cut off from spoiling this one
        write_whole(file, raw, before)
    finally:
        os.close(file)


def write_whole(file: int, raw: bytes, before: int = 0) -> None:
    """Write bytes to the end of a file of size `before`, all of them or none. Raises OSError."""
    if os.write(file, raw) < len(raw):
        os.ftruncate(file, before)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
