"""Ensure that a vault has one server, which other processes find (S1.13).

The server holds a kernel lock as long as it runs; a file beside it has its address. The lock ends
with its holder, so the next server can remove what a crash leaves.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from engrain.model.errors import LockedError, StorageError
from engrain.resolution.endpoint import endpoint_path, is_stopped, run_folder
from engrain.resolution.files import acquire_lock_file, release_lock_file, replace_file

if TYPE_CHECKING:
    from engrain.resolution.selector import Resolution


_WAIT = 10.0
"""Seconds within which the holder of the lock must publish its address."""
_PAUSE = 0.05
_TOKEN_BYTES = 32
_CONNECT = 1.0  # seconds


@dataclass(slots=True)
class Running:
    """A server that answers: its process, its address (None if it has only the socket), its socket,
    and the file with its token."""

    pid: int
    url: str | None
    socket: str
    token_file: str

    def read_token(self) -> str:
        """Return the token to send. Raises StorageError."""
        if token := _read_token(self.token_file):
            return token
        raise StorageError(
            "the server's token can't be read",
            path=self.token_file,
            remedy="stop the server and start it again",
        )

    def describe(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("url", "socket", "token_file", "pid")}


def find_running(resolution: Resolution) -> Running | None:
    """Return the server of a vault if it accepts connections; does not wait."""
    path = _path(resolution, "json")
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            noted = json.load(file)
        running = Running(noted["pid"], noted["url"], noted["socket"], noted["token_file"])
        with connect(running.socket, _CONNECT):
            return running
    except (OSError, ValueError, KeyError, TypeError):
        return None


def connect(path: str, patience: float) -> socket.socket:
    """Return a connection to a Unix socket with a timeout of `patience` seconds. Raises OSError,
    also if the listening process is stopped."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.settimeout(patience)
        made.connect(path)
        if is_stopped(made):
            raise ConnectionRefusedError(errno.ECONNREFUSED, "the process is stopped", path)
    except OSError:
        made.close()
        raise
    return made


def claim_place(resolution: Resolution) -> Place | Running:
    """Return the place of a vault's server, or the server that has it.

    Raises LockedError if a process holds the lock without publishing an address, StorageError if
    the folder of the place can't be used.
    """
    run_folder(resolution.state_dir)
    deadline = time.monotonic() + _WAIT
    while True:
        if (lock := acquire_lock_file(_path(resolution, "lock"))) is not None:
            return Place(resolution, lock)
        if (running := find_running(resolution)) is not None:
            return running
        if time.monotonic() > deadline:
            raise LockedError(
                f"a process has served this vault's place for {_WAIT:.0f} s without an address",
                path=_path(resolution, "lock"),
                remedy="end that process, or wait for it",
            )
        time.sleep(_PAUSE)


class Place:
    """The place of the vault's one server, held until the end of a `with` block, after which only
    the token is left."""

    def __init__(self, resolution: Resolution, lock: int) -> None:
        self._lock = lock
        self._lock_path = _path(resolution, "lock")
        self._description = _path(resolution, "json")
        self.sockets: list[socket.socket] = []
        self.socket_path = _path(resolution, "mcp.sock")
        self.token_file = _path(resolution, "token")

    def __enter__(self) -> Self:
        _remove(self._description, self.socket_path)
        return self

    def __exit__(self, *_: object) -> None:
        _remove(self._description, self.socket_path)
        for one in self.sockets:
            one.close()
        release_lock_file(self._lock_path, self._lock)

    def ensure_token(self) -> str:
        """Return the vault's token, which its first server writes to a file of mode 600."""
        if token := _read_token(self.token_file):
            return token
        token = os.urandom(_TOKEN_BYTES).hex()
        _write_private(self.token_file, token + "\n")
        return token

    def listen(self, port: int | None) -> None:
        """Open the Unix socket and, unless `port` is None, a TCP socket on 127.0.0.1 (0: a free
        port). Raises StorageError if the port is taken."""
        if port is not None:
            self.sockets.append(listen_tcp(port))
        try:
            self.sockets.append(_listen_unix(self.socket_path))
        except OSError as error:
            raise _refused(error, self.socket_path) from None

    def publish(self, path: str) -> Running:
        """Publish the server's address, whose path is `path`."""
        port = next(
            (one.getsockname()[1] for one in self.sockets if one.family == socket.AF_INET), None
        )
        url = None if port is None else f"http://127.0.0.1:{port}{path}"
        running = Running(os.getpid(), url, self.socket_path, self.token_file)
        _write_private(self._description, json.dumps(running.describe()) + "\n")
        return running


def _path(resolution: Resolution, ending: str) -> str:
    return endpoint_path(resolution.state_dir, resolution.location, ending)


def listen_tcp(port: int, address: str = "127.0.0.1") -> socket.socket:
    """Return a socket on an address of this machine, 0 for a free port. Raises StorageError if the
    port is taken or the address does not exist."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # Without the name of the protocol asyncio delays small answers by 40 ms (Nagle).
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # Otherwise the port of a server that has just stopped is taken for a minute.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(socket.SOMAXCONN)
    except OSError as error:
        made.close()
        raise _refused(error, f"{address}:{port}") from None
    return made


def _refused(error: OSError, where: str) -> StorageError:
    return StorageError(f"can't listen: {error.strerror}", path=where, remedy="give another --port")


def _listen_unix(path: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        made.bind(path)
        made.listen(socket.SOMAXCONN)
    except OSError:
        made.close()
        raise
    finally:
        os.umask(mask)
    return made


def _read_token(path: str) -> str | None:
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123
            token = file.read(4 * _TOKEN_BYTES).strip()
    except (OSError, ValueError):
        return None
    return token if len(token) == 2 * _TOKEN_BYTES else None


def _write_private(path: str, text: str) -> None:
    try:
        replace_file(path, text, private=True)
    except OSError as error:
        raise StorageError(f"can't be written: {error.strerror}", path=path) from None


def _remove(*paths: str) -> None:
    for path in paths:
        with suppress(FileNotFoundError):
            os.unlink(path)
