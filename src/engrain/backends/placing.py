"""Putting a finished temp file in its place, atomically, and only over what is expected there.

The lock keeps Engrain's own writers apart; other programs know nothing of it and may write between
the comparison and the rename. A new file is linked into place, which fails where the name is
taken; an old one is exchanged with the new, so that what was displaced can be looked at and put
back. Where the file system can do neither, a plain rename closes the window as far as it can.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys

from engrain.backends import confined
from engrain.model.errors import EngrainError
from engrain.model.note import hash_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.EXDEV)


def place_new(folder: int, temp: str, name: str) -> bool:
    """Put `temp` where nothing is; False, with nothing changed, where something has come."""
    try:
        os.link(temp, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        remove(folder, temp)
        return False
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        discard(folder, temp)
    return True


def place_over(folder: int, temp: str, name: str, expected: str | None) -> bool:
    """Put `temp` in the place of a file whose bytes hash to `expected`.

    False, with the file as another program left it, where they did not.
    """
    exchange = _find_exchange()
    if exchange is None or not exchange(folder, temp, name):
        os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
        return True
    try:
        displaced = hash_bytes(confined.read_file(folder, temp)[0])
    except EngrainError:
        displaced = None  # not even a readable file: certainly not what was expected
    if displaced != expected:
        exchange(folder, temp, name)
    discard(folder, temp)
    return displaced == expected


def remove(folder: int, name: str) -> None:
    """Remove a file that may be gone already."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def discard(folder: int, temp: str) -> None:
    """Remove what is left over, where that can be done."""
    with contextlib.suppress(OSError):
        os.unlink(temp, dir_fd=folder)


def _find_exchange() -> Callable[[int, str, str], bool] | None:
    """What exchanges two names of a folder, False where the file system can't; None without it."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None

    def exchange(folder: int, one: str, other: str) -> bool:
        if renameat2(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0:
            return True
        number = ctypes.get_errno()
        if number in _CANNOT:
            return False
        raise OSError(number, os.strerror(number), other)

    return exchange
