"""The private folder in which the processes that serve a vault are found (S1.13)."""

from __future__ import annotations

import os
import socket
import stat
import sys
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from engrain.model.errors import StorageError

if TYPE_CHECKING:

    class SupportsOptions(Protocol):
        """A socket."""

        def getsockopt(self, level: int, option: int, size: int, /) -> bytes: ...


PROJECT_HEADER = "engrain-project"
"""The header with the client's project, percent-encoded, which the server can't know otherwise."""
_LONGEST = 76
"""The most bytes of a folder's path in which a socket can be bound: the kernel takes 107 in all."""
_NAME = 8  # bytes of the digest that names a vault


def endpoint_path(state_dir: str, location: str, ending: str) -> str:
    """Return the path of a file of the server of the vault at `location`, such as its socket, lock
    or address, without touching the disk."""
    return os.path.join(_choose_folder(state_dir), f"{_digest(_real(location))}.{ending}")


def hooks_path(state_dir: str) -> str:
    """Return the path of the socket on which one bridge answers the hooks of all vaults whose state
    is in `state_dir`, without touching the disk."""
    return os.path.join(_choose_folder(state_dir), "hooks.sock")


def run_folder(state_dir: str) -> str:
    """Return the folder of those files, which is made if missing. Raises StorageError if it can't
    be made or if others could enter it."""
    folder = _choose_folder(state_dir)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError as error:
        raise StorageError(
            f"can't make the folder of the server's socket: {error.strerror}",
            path=folder,
            remedy="set ENGRAIN_STATE_DIR to a folder that can be written",
        ) from None
    if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077:
        raise StorageError(
            "others can reach into the folder of the server's socket",
            path=folder,
            remedy="remove it, or set its mode to 700",
        )
    return folder


def find_peer(connection: SupportsOptions) -> int:
    """Return the process that listens at the other end of a connection to a Unix socket, 0 if the
    system can't tell."""
    try:
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    except (AttributeError, OSError):
        return 0
    return int.from_bytes(peer[:4], sys.byteorder)


def is_stopped(connection: SupportsOptions) -> bool:
    """Whether the process at the other end is stopped (SIGSTOP, Ctrl-Z) or dead, while the kernel
    still accepts connections for it. False if the system can't tell."""
    return read_state(f"/proc/{find_peer(connection)}/stat") in (b"T", b"t", b"Z", b"X")


def read_state(path: str) -> bytes:
    """Return the state of a process or thread as the kernel's letter (proc(5)), b"" if unknown."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b") ")[2][:1]
    except OSError:
        return b""


def _choose_folder(state_dir: str) -> str:
    """Return `run` in the state folder, or one of this user in `/tmp` if that path is too long."""
    folder = os.path.join(state_dir, "run")
    if len(os.fsencode(folder)) <= _LONGEST:
        return folder
    return os.path.join("/tmp", f"engrain-{os.getuid()}-{_digest(_real(state_dir))}")


def _real(location: str) -> str:
    return os.path.realpath(location) if os.path.isabs(location) else location


def _digest(text: str) -> str:
    return blake2b(os.fsencode(text), digest_size=_NAME).hexdigest()
