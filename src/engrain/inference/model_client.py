"""Ask the process with the model (`model_server`), which is started if there is none."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from select import select
from threading import Lock
from time import monotonic, sleep

from engrain.inference.embedders import readable, remaining
from engrain.inference.local import MINILM, PackagedModel, name_model
from engrain.inference.model_server import ask
from engrain.model.errors import EmbeddingError, StorageError
from engrain.model.note.vectors import FLOAT_BYTES
from engrain.seam.embedder import Embedder

_PATIENCE_S = 60.0
"""The most seconds until the process has been started."""
_ANSWER_S = 600.0
"""The most seconds that it takes to answer."""
_LOOK_S = 0.01
_PAUSES_S = (0.0, 0.05, 0.5)
"""Seconds before each attempt: a process that is just ending may still take a connection."""
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""What keeps numpy to the thread that asks: with several it takes 5 times the processor's time for
the small matrices of a sentence."""
_START = (
    "from engrain.inference.model_server import listen; server = listen()\n"
    "from {0} import {1}; server.run({1})"
)
"""The libraries of the model are loaded when the socket is there, at which others wait."""


class ModelProcess(Embedder):
    """The model in its process, which is started again if it has ended."""

    cheap = False

    def __init__(
        self,
        folder: str | None,
        stamps: str | None,
        find_socket: Callable[[], str],
        packaged: PackagedModel = MINILM,
    ) -> None:
        """Take what `LocalLink` takes. The process is asked for the size of a model that is not the
        packaged one. Raises EmbeddingError."""
        self._idle: list[socket.socket] = []
        self._lock = Lock()
        self.link = packaged.link
        self.model = name_model(folder, stamps, packaged)
        self.size = packaged.size if self.model == packaged.model else 0
        self._script = _START.format(packaged.module, packaged.opener)
        try:
            self._path = find_socket()
        except StorageError as error:
            raise EmbeddingError(error.message, path=error.path, remedy=error.remedy) from error
        self._arguments = [self._path, folder or "", stamps or ""]
        if not self.size:
            self.size = len(self.embed([""])[0]) // FLOAT_BYTES

    def __del__(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        if not texts:
            return []
        heads = [readable(text) for text in texts]
        raw = b""
        for pause in _PAUSES_S:
            sleep(pause)
            connection = self._pick_idle() or self._connect(deadline)
            try:
                seconds = remaining(deadline)
                connection.settimeout(_ANSWER_S if seconds is None else seconds)
                raw = ask(connection, self.model, heads, seconds)
                break
            except TimeoutError:
                connection.close()
                remaining(deadline)  # raises if it is past
                raise EmbeddingError("the model does not answer in time") from None
            except OSError:
                connection.close()
                if pause == _PAUSES_S[-1]:
                    raise EmbeddingError("the process of the model has ended") from None
            except BaseException:
                connection.close()
                raise
        with self._lock:
            self._idle.append(connection)
        width = len(raw) // len(texts)
        if self.size and width != self.size * FLOAT_BYTES:
            raise EmbeddingError(f"the model gives {width // FLOAT_BYTES} numbers a text")
        return [raw[at : at + width] for at in range(0, len(raw), width)]

    def is_ready(self) -> bool:
        connection = self._pick_idle()
        if connection is not None:
            with self._lock:
                self._idle.append(connection)
        return connection is not None

    def _pick_idle(self) -> socket.socket | None:
        """Return an idle connection whose other end is open, None if there is none."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if not select([connection], [], [], 0)[0]:
                return connection
            connection.close()  # nothing was asked, so it can only be the end

    def _connect(self, deadline: float | None) -> socket.socket:
        """Connect to the process, which is started if there is none. Raises EmbeddingError."""
        until = monotonic() + _PATIENCE_S
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(self._path)
                return connection
            except OSError:
                connection.close()
            remaining(deadline)
            if monotonic() > until:
                raise EmbeddingError("the model's process did not start in time")
            self._start()
            sleep(_LOOK_S)  # it may have found another that ends just now

    def _start(self) -> None:
        """Start the process, which keeps none of this one's streams and folders; return when it
        listens. Raises EmbeddingError."""
        places = [os.path.abspath(place) for place in sys.path if place]
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", self._script, *self._arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=os.sep,
                env={**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(places)},
                start_new_session=True,  # Ctrl-C is for the program that started it
                check=False,
            )
        except OSError as error:
            raise EmbeddingError(
                f"the process of the model can't be started: {error.strerror}"
            ) from error
        if done.returncode:
            raise EmbeddingError(f"the process of the model failed (code {done.returncode})")
