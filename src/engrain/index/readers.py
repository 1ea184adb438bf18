"""Child processes of this interpreter: readers that make index rows from notes for a rebuild, and
an indexer that indexes what an import commits."""

from __future__ import annotations

import gc
import marshal
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, TypeAlias

from engrain.index.documents import make_rows
from engrain.seam.derived import Indexer, Readers
from engrain.seam.locator import Locator
from engrain.seam.search import Batch, Document, Problem
from engrain.seam.storage import StorageBackend

ReadPlaces: TypeAlias = "Callable[[StorageBackend, Sequence[Locator]], Batch]"

_MOST = 4
_SIZE = 8
_START = "from engrain.wiring import serve_readers; serve_readers()"
_INDEX = "from engrain.wiring import serve_indexer; serve_indexer()"


def start_readers(backend: str, location: str, count: int | None = None) -> Readers | None:
    """Start processes that read the folder of a backend: `count` of them (4 by default), at most
    one for each processor. Return None if there is only one processor or they can't be started."""
    found = _count_processors()
    if found < 2:
        return None
    try:
        return _Processes(backend, location, min(count or _MOST, found))
    except OSError:
        return None


def start_indexer(*arguments: str) -> Indexer | None:
    """Start a process that indexes a store; `arguments` are those of `serve_indexer`. Return None
    if there is only one processor or it can't be started."""
    try:
        return _IndexingProcess(arguments) if _count_processors() > 1 else None
    except OSError:
        return None


def _count_processors() -> int:
    """Return the number of processors, 0 if this interpreter can't be started again."""
    if not sys.executable:
        return 0
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start(code: str, arguments: Sequence[str], stdout: int) -> subprocess.Popen[bytes]:
    """Start a process of this interpreter. Raises OSError."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


class _IndexingProcess(Indexer):
    def __init__(self, arguments: Sequence[str]) -> None:
        self._process = _start(_INDEX, arguments, subprocess.DEVNULL)

    def tell(self) -> bool:
        assert self._process.stdin is not None
        try:
            os.write(self._process.stdin.fileno(), b"\n")
        except OSError:
            return False
        return True

    def close(self) -> None:
        self._process.communicate()


class _Processes(Readers):
    def __init__(self, backend: str, location: str, count: int) -> None:
        self.count = count
        self._asked: deque[subprocess.Popen[bytes]] = deque()
        self._next = 0
        self._all: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(count):
                self._all.append(_start(_START, [backend, location], subprocess.PIPE))
        except OSError:
            self.close()
            raise

    def ask(self, places: Sequence[Locator]) -> None:
        one = self._all[self._next % self.count]
        self._next += 1
        self._asked.append(one)
        try:
            assert one.stdin is not None
            _send(one.stdin, [str(place) for place in places])
        except OSError:
            return  # It died; `take` will notice.

    def take(self) -> Batch | None:
        stdout = self._asked.popleft().stdout
        assert stdout is not None
        try:
            answer: Any = _receive(stdout)
        except (EOFError, OSError):
            return None
        return _unpack(*answer)

    def close(self) -> None:
        for one in self._all:
            one.kill()
            one.communicate()


def serve(read: ReadPlaces, backend: StorageBackend) -> None:
    """Answer requests from the standard input on the standard output, until the input ends."""
    asked: SimpleQueue[Any] = SimpleQueue()

    def listen() -> None:
        # In a thread, so that the asking process is never blocked while an answer waits.
        with suppress(EOFError, OSError):
            while True:
                asked.put(_receive(sys.stdin.buffer))
        asked.put(None)

    Thread(target=listen, daemon=True).start()
    gc.disable()  # no row is in a circle, and looking for circles takes a twentieth of its time
    while places := asked.get():
        _send(sys.stdout.buffer, _pack(read(backend, [Locator(place) for place in places])))


def _send(stream: IO[bytes], value: list[Any] | tuple[Any, ...]) -> None:
    raw = marshal.dumps(value)
    stream.write(len(raw).to_bytes(_SIZE, "big") + raw)
    stream.flush()


def _receive(stream: IO[bytes]) -> object:
    """Return the next value of a stream. Raises EOFError, OSError."""
    size = int.from_bytes(stream.read(_SIZE), "big")
    raw = stream.read(size)
    if not size or len(raw) < size:
        raise EOFError
    return marshal.loads(raw)


def _pack(batch: Batch) -> tuple[Any, ...]:
    return (
        [
            (
                str(one.locator),
                one.id,
                one.hash,
                one.stamp,
                one.settled,
                make_rows(one.entry, one.links),
            )
            for one in batch.documents
        ],
        [
            (str(one.locator), one.reason, one.message, one.line, one.stamp, one.settled, one.fatal)
            for one in batch.problems
        ],
        [str(place) for place in batch.gone],
    )


def _unpack(documents: list[Any], problems: list[Any], gone: list[str]) -> Batch:
    return Batch(
        documents=[Document.of_rows(Locator(place), *rest) for place, *rest in documents],
        problems=[
            Problem(
                Locator(place), reason, message, line=line, stamp=stamp, settled=old, fatal=fatal
            )
            for place, reason, message, line, stamp, old, fatal in problems
        ],
        gone=[Locator(place) for place in gone],
    )
