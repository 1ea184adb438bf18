"""The place at which hooks find the process that answers them: taken before anything is loaded."""

from __future__ import annotations

import os
import socket
import stat
import threading
from contextlib import suppress
from time import monotonic

from engrain.resolution.files import acquire_lock_file, release_lock_file, replace_file
from engrain_hook import check_own, connect

LEAVE = "leave"
"""What a bridge says to a stand-in, beside the events of hosts."""
_MOST = 200  # characters of a place that is no socket
_QUEUE = 4096
"""The hooks that may wait until the process that opens has begun to answer."""


class HookPlace:
    """A listening socket at `path`, held by one process: a kernel lock beside it is passed on by
    the system when its holder has left or died.

    Where a system has no Unix sockets, `path` is a private file with a port of this machine and
    the token that hooks must send.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.token = ""
        self.socket: socket.socket | None = None
        self._lock: int | None = None
        self._is_left = False
        self._changing = threading.Lock()

    def acquire(self, *, wait: bool) -> bool:
        """Begin to listen, so that hooks wait here. Return False if another process does (`wait`
        waits for its end), or if `release` was called meanwhile. Raises OSError, StorageError."""
        lock = acquire_lock_file(f"{self.path}.lock", wait=wait)
        with self._changing:
            self._lock = lock
            if lock is None or self._is_left:
                self._release()
                return False
            try:
                self.socket = self._listen()
            except BaseException:
                self._release()
                raise
        return True

    def _listen(self) -> socket.socket:
        # The holder of the lock may remove the socket of a process that died.
        with suppress(FileNotFoundError):
            os.unlink(self.path)
        if hasattr(socket, "AF_UNIX"):
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listening.bind(self.path)
            os.chmod(self.path, 0o600)
        else:
            listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listening.bind(("127.0.0.1", 0))
            self.token = os.urandom(32).hex()
            port = listening.getsockname()[1]
            replace_file(self.path, f"{port} {self.token}\n", private=True, durable=False)
        listening.listen(_QUEUE)
        return listening

    def adopt(self, socket_number: int, lock: int) -> None:
        """Hold what another process has taken and passed on: its socket and its lock."""
        self.socket, self._lock = socket.socket(fileno=socket_number), lock
        self.socket.listen(_QUEUE)  # so that the system names this process as the one that answers

    def numbers(self) -> tuple[int, int]:
        """Return the descriptors of the socket and the lock, for a process that adopts them."""
        assert self.socket is not None
        assert self._lock is not None
        return self.socket.fileno(), self._lock

    def release(self) -> None:
        """Stop listening, and release the lock for another process."""
        with self._changing:
            self._is_left = True
            self._release()

    def _release(self) -> None:
        if self.socket is not None:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()
            self.socket = None
            with suppress(OSError):
                os.unlink(self.path)
        lock, self._lock = self._lock, None
        if lock is not None:
            release_lock_file(f"{self.path}.lock", lock)


def connect_anywhere(place: str, limit: float) -> socket.socket:
    """Connect to the process at a place, until a moment. Raises OSError, and ValueError for a file
    that is no place."""
    if hasattr(socket, "AF_UNIX"):
        return connect(place, limit)
    check_own(place, stat.S_ISREG)
    with open(place, encoding="ascii") as file:  # noqa: PTH123
        port, token = file.read(_MOST).split()
    left = max(0.001, limit - monotonic())
    connection = socket.create_connection(("127.0.0.1", int(port)), left)
    connection.sendall(token.encode())
    return connection
