"""The server that answers hooks from an open, warm memory: one process of each vault."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable

from engrain.adapters.hooks.answers import render
from engrain.adapters.hooks.events import HANDLERS, HookCall, make_answer, note_answer
from engrain.adapters.hooks.intake import HEAD, TAIL
from engrain.adapters.hooks.payloads import Occasion, read_payload
from engrain.adapters.hooks.warm import FIELDS
from engrain.api.memory import Memory
from engrain.model.errors import EngrainError, MemoryOffError
from engrain.resolution.files import leave_lock_file, take_lock_file

_LARGEST = HEAD + TAIL + 16 * 1024
_PATIENCE = 2.0
"""Seconds within which a hook must have sent its request."""
_MOST_AT_ONCE = 32
"""The most hooks that are answered at once; others open the memory themselves."""


class HookPlace:
    """The right to answer the hooks of a vault on the socket at `path`: a kernel lock beside it,
    which the system passes on when its holder has left or died.

    `open_memory` returns a warm memory to answer from; until then there is no socket, and hooks
    open the memory themselves. `find_project` is that of `Listener`.
    """

    def __init__(
        self,
        path: str,
        open_memory: Callable[[], Memory],
        find_project: Callable[[str, str], str | None],
    ) -> None:
        self._path = path
        self._lock_path = f"{path}.lock"
        self._open_memory = open_memory
        self._find_project = find_project
        self._lock: int | None = None
        self._listener: Listener | None = None
        self._is_left = False

    @property
    def is_opening(self) -> bool:
        """Whether this process has the lock and loads the memory."""
        return self._lock is not None and self._listener is None

    @property
    def is_answering(self) -> bool:
        """Whether a hook waits for an answer from this process now."""
        listener = self._listener
        return listener is not None and listener.is_answering

    def take(self, *, wait: bool) -> bool:
        """Begin to answer. Return False if another process does (`wait` waits for its end), or if
        `leave` was called meanwhile. Raises what `open_memory` raises, OSError, StorageError."""
        self._lock = take_lock_file(self._lock_path, wait=wait)
        if self._lock is None:
            return False
        if self._is_left:
            self.leave()
            return False
        try:
            listener = Listener(self._path, self._open_memory(), self._find_project)
            listener.__enter__()
        except BaseException:
            self.leave()
            raise
        self._listener = listener
        return True

    def take_later(self) -> None:
        """Begin to answer as soon as no other process does, in another thread."""

        def wait() -> None:
            with contextlib.suppress(EngrainError, OSError):
                self.take(wait=True)

        threading.Thread(target=wait, name="place", daemon=True).start()

    def leave(self) -> None:
        """Stop answering, and release the lock for another process."""
        self._is_left = True
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.__exit__()
        lock, self._lock = self._lock, None
        if lock is not None:
            leave_lock_file(self._lock_path, lock)

    def clear(self) -> None:
        """Remove the socket and the lock file of a process that ends now."""
        for path in (self._path, self._lock_path):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def __enter__(self) -> None:
        if not self.take(wait=False):
            self.take_later()

    def __exit__(self, *_: object) -> None:
        self.leave()


class Listener:
    """Answers hooks on a socket while its block runs.

    `find_project` returns the project of a folder, given the project that is named explicitly; None
    for none. It raises MemoryOffError for a folder in which hooks give and learn nothing. The
    socket's folder must be private: every process that can connect is answered.
    """

    def __init__(
        self, path: str, memory: Memory, find_project: Callable[[str, str], str | None]
    ) -> None:
        self._path = path
        self._memory = memory
        self._find_project = find_project
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._answering: set[socket.socket] = set()

    def __enter__(self) -> Listener:
        # The holder of the lock may remove the socket of a process that died.
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
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread
        self._socket.close()
        self._thread.join()
        if os.path.lexists(self._path):
            os.unlink(self._path)

    @property
    def is_answering(self) -> bool:
        """Whether a hook waits for an answer now."""
        return bool(self._answering)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # closed
            if self._places.acquire(blocking=False):
                self._answering.add(connection)
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
            return  # the hook opens the memory itself
        finally:
            self._answering.discard(connection)
            self._places.release()

    def _respond(self, raw: bytes) -> bytes | None:
        *values, payload = raw.split(b"\0", len(FIELDS))
        fields = dict(zip(FIELDS, (value.decode() for value in values), strict=True))
        event, host = fields["event"], fields["host"]
        if event not in HANDLERS:
            return None
        deadline = float(fields["deadline"])
        occasion = Occasion(read_payload(payload))
        try:
            project = self._find_project(occasion.cwd or fields["cwd"], fields["project"]) or ""
        except MemoryOffError:
            return render(host, event, "", "").encode()
        call = HookCall(
            event,
            host,
            occasion,
            self._memory,
            deadline=deadline,
            at=time.time(),
            project=project,
            phase=fields["phase"],
        )
        HANDLERS[event](call)
        answer = make_answer(call)
        if call.losses or time.monotonic() > deadline:
            return None  # the hook opens the memory itself, and notes its own answer
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
