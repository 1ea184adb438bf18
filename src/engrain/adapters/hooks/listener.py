"""The server's side of the short way: hooks answered from a memory that is open and warm."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable

from engrain.adapters.hooks.answers import render
from engrain.adapters.hooks.events import HANDLERS, Call, handle, make_answer, note_answer
from engrain.adapters.hooks.intake import HEAD, TAIL
from engrain.adapters.hooks.payloads import Occasion, read_payload
from engrain.adapters.hooks.warm import FIELDS
from engrain.api.memory import Memory
from engrain.model.errors import EngrainError

_LARGEST = HEAD + TAIL + 16 * 1024
_PATIENCE = 2.0
"""Seconds in which a hook must have sent all it has to say."""
_MOST_AT_ONCE = 32
"""So many hooks are answered at once; any other finds its own way."""


class Listener:
    """Answers hooks on a socket, for the length of a block.

    `find_project` says which project a folder belongs to, given the one named outright, None for
    none. The socket's folder must be private: whoever can connect is answered.
    """

    def __init__(
        self, path: str, memory: Memory, find_project: Callable[[str, str], str | None]
    ) -> None:
        self._path = path
        self._memory = memory
        self._find_project = find_project
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)

    def __enter__(self) -> Listener:
        # Whoever holds the vault's lock may take the place of a server that died.
        if os.path.lexists(self._path):
            os.unlink(self._path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(self._path)
        os.chmod(self._path, 0o600)
        self._socket.listen(socket.SOMAXCONN)
        self._thread = threading.Thread(target=self._accept, name="hooks", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes whoever accepts
        self._socket.close()
        self._thread.join()
        if os.path.lexists(self._path):
            os.unlink(self._path)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # closed
            if self._places.acquire(blocking=False):
                threading.Thread(
                    target=self._answer, args=(connection,), name="hook", daemon=True
                ).start()
            else:
                connection.close()

    def _answer(self, connection: socket.socket) -> None:
        try:
            with connection:
                printed = self._respond(_receive(connection))
                if printed is not None:
                    connection.settimeout(_PATIENCE)
                    connection.sendall(f"{len(printed)}\n".encode() + printed)
        except (OSError, ValueError, EngrainError):
            return  # the hook finds its own way
        finally:
            self._places.release()

    def _respond(self, raw: bytes) -> bytes | None:
        *values, payload = raw.split(b"\0", len(FIELDS))
        fields = dict(zip(FIELDS, (value.decode() for value in values), strict=True))
        event, host = fields["event"], fields["host"]
        if event not in HANDLERS:
            return None
        deadline = float(fields["deadline"])
        occasion = Occasion(read_payload(payload))
        call = Call(
            event,
            host,
            occasion,
            self._memory,
            deadline=deadline,
            at=time.time(),
            project=self._find_project(occasion.cwd or fields["cwd"], fields["project"]) or "",
            phase=fields["phase"],
        )
        handle(call)
        answer = make_answer(call)
        if call.losses or time.monotonic() > deadline:
            return None  # the hook finds its own way, and it notes what it is given by itself
        note_answer(call, answer)
        return render(host, event, answer.context, answer.message).encode()


def _receive(connection: socket.socket) -> bytes:
    until = time.monotonic() + _PATIENCE
    parts: list[bytes] = []
    size = 0
    while True:
        connection.settimeout(max(0.001, until - time.monotonic()))
        part = connection.recv(64 * 1024)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > _LARGEST:
            raise ValueError("larger than any hook sends")
