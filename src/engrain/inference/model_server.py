"""The process with the model that all processes of this device ask, and how they ask it.

It listens on a Unix socket in a private folder, loads the model at the first request, and ends when
nobody is connected any more or nobody has asked for a while. A question for one text is answered at
once; several texts at once are a backlog, which waits for its turn in a thread of low priority.

A request is a JSON object (`model`; `texts`; `seconds` that are left, or null), a reply is one
(`error` or null) followed by the vectors. Each is preceded by its sizes as eight bytes.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Condition, Lock, Thread
from time import monotonic
from typing import Any, NoReturn

from engrain.model.errors import EmbeddingError
from engrain.seam.embedder import Embedder

_SIZES = struct.Struct(">II")
_MOST_BYTES = 64 * 1024 * 1024
_LINGER_S = 5.0
"""Seconds without a connection until the process ends."""
_IDLE_S = 600.0
"""Seconds without a question until it ends, and a recall goes by words until it runs again."""
_LOOK_S = 1.0
_NICER = 5
_BACKLOG = 64


def ask(
    connection: socket.socket, model: str, texts: Sequence[str], seconds: float | None
) -> bytes:
    """Return the vectors of some texts by a model, one after the other. Raises EmbeddingError,
    OSError."""
    _send(connection, {"model": model, "texts": list(texts), "seconds": seconds}, b"")
    reply, vectors = _receive(connection)
    error = reply.get("error")
    if error is not None:
        raise EmbeddingError(error["message"], path=error["path"], remedy=error["remedy"])
    if not vectors or len(vectors) % len(texts):
        raise ConnectionError("the reply is not whole")
    return vectors


def listen() -> ModelServer:
    """Take the place of the model's server; return in a new process, which is to run the server.
    The arguments are the socket's path, the model's folder ("" for the packaged one), and the
    folder of checksums ("" for none). This process ends once the socket is there, or at once if
    another process serves it already."""
    path, folder, stamps = sys.argv[1:]
    os.umask(0o077)
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(0)
    server = ModelServer(path, folder or None, stamps or None)
    if os.fork():  # so nobody has to wait for its end, and the lock is the child's too
        sys.exit(0)
    return server


class ModelServer:
    """Answers the processes that ask the model."""

    def __init__(self, path: str, folder: str | None, stamps: str | None) -> None:
        self._path = path
        self._folder = folder
        self._stamps = stamps
        self._embedder: Embedder | None = None
        self._loading = Lock()
        self._asking = Lock()
        self._changed = Condition()
        self._connected = 0
        self._busy = 0
        self._used = monotonic()
        with suppress(FileNotFoundError):
            os.unlink(path)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(path)
        self._listening.listen(_BACKLOG)
        self._own = os.stat(path).st_ino

    def run(self, open_model: Callable[[str | None, str | None], Embedder]) -> NoReturn:
        """Answer with the model that `open_model` loads at the first request, until nobody needs it
        any more, and exit."""
        self._open_model = open_model
        self._used = monotonic()
        self._slow = ThreadPoolExecutor(1, initializer=_be_nice)
        Thread(target=self._accept, daemon=True).start()
        with self._changed:
            while self._is_needed():
                self._changed.wait(_LOOK_S)
            if self._is_found():
                os.unlink(self._path)
        os._exit(0)  # no thread of a library is taken apart

    def _is_needed(self) -> bool:
        """Return whether to go on: while it answers, and while others can find it and do."""
        patience = _IDLE_S if self._connected else _LINGER_S
        return self._busy > 0 or (self._is_found() and monotonic() < self._used + patience)

    def _is_found(self) -> bool:
        """Return whether its socket is still there."""
        try:
            return os.stat(self._path).st_ino == self._own
        except OSError:
            return False

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            with self._changed:
                self._connected += 1
                self._used = monotonic()
            Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        """Answer one process until it leaves."""
        with connection, suppress(OSError, ValueError, KeyError, TypeError):
            while True:
                request, _ = _receive(connection)
                with self._changed:
                    self._busy += 1
                try:
                    _send(connection, *self._answer(request))
                finally:
                    with self._changed:
                        self._busy -= 1
                        self._used = monotonic()
        with self._changed:
            self._connected -= 1
            self._used = monotonic()

    def _answer(self, request: dict[str, Any]) -> tuple[dict[str, object], bytes]:
        seconds = request["seconds"]
        until = None if seconds is None else monotonic() + seconds
        texts = request["texts"]
        try:
            if len(texts) > 1:
                vectors = self._slow.submit(self._embed, request["model"], texts, until).result()
            else:
                with self._asking:
                    vectors = self._embed(request["model"], texts, until)
        except EmbeddingError as error:
            told = {"message": error.message, "path": error.path, "remedy": error.remedy}
            return {"error": told}, b""
        return {"error": None}, b"".join(vectors)

    def _embed(self, model: str, texts: Sequence[str], until: float | None) -> list[bytes]:
        with self._loading:
            if self._embedder is None or self._embedder.model != model:
                self._embedder = self._open_model(self._folder, self._stamps)
            embedder = self._embedder
        if embedder.model != model:
            raise EmbeddingError("the model's file has changed", remedy="run `engrain jobs embed`")
        return embedder.embed(texts, deadline=until)


def _be_nice() -> None:
    """Lower this thread's priority, or the whole process's where threads have none."""
    with suppress(OSError):
        os.nice(_NICER)


def _send(connection: socket.socket, head: dict[str, object], body: bytes) -> None:
    raw = json.dumps(head).encode()
    connection.sendall(_SIZES.pack(len(raw), len(body)) + raw + body)


def _receive(connection: socket.socket) -> tuple[dict[str, Any], bytes]:
    head, body = _SIZES.unpack(_read(connection, _SIZES.size))
    if head + body > _MOST_BYTES:
        raise ConnectionError("larger than any request or reply")
    value = json.loads(_read(connection, head))
    if not isinstance(value, dict):
        raise ConnectionError("not an object")
    return value, _read(connection, body)


def _read(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(min(size - len(parts), 256 * 1024))
        if not part:
            raise ConnectionError("the other process has ended")
        parts += part
    return bytes(parts)
