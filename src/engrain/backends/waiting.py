"""The queue of those that wait for the write lock, so that it goes to them in order of arrival.

Each waiter makes a named pipe in one folder on this device, called after the time of its
arrival, and sleeps until a byte comes through it. Whoever releases the lock writes that byte to the
first pipe. A newcomer that finds the queue occupied joins its end.

The queue only orders: who holds the lock is decided by the lock alone, so nothing that happens to a
pipe can let two in. Nor can it stop anyone. A dead waiter's pipe has no reader, and is passed over.
A first waiter that is suspended loses its place once it was called and did not come. A holder that
dies calls nobody, so the first waiter also tries the lock by itself now and then.
"""

from __future__ import annotations

import errno
import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, Self, TypeVar


class Releasable(Protocol):
    """What is claimed."""

    def release(self) -> None: ...


Claimed = TypeVar("Claimed", bound=Releasable)


FIRST_PAUSE = 0.01
"""Seconds after which the first waiter tries the lock uncalled."""
LOOK_PAUSE = 0.1
"""Seconds after which another waiter looks whether the first one comes when it is called."""
_LOOKS = 5
"""After so many looks at a free lock in a row, the first one has lost its place."""
_OPENING_NS = 60_000_000_000
"""Longer than any waiter takes to open the pipe that it has made."""
_DIGITS = 20
_CALL = b"!"


def join_queue(queue: str) -> Place | None:
    """A place at the end of the queue in a folder; None where there can be no such queue."""
    try:
        return Place(queue)
    except OSError:
        return None


def call_first(queue: str) -> None:
    """Wake whoever has waited longest, if anybody waits."""
    with suppress(OSError):
        _find_first(queue, call=True)


class Place:
    """A waiter's place in the queue, left at the end of a block. Raises OSError."""

    def __init__(self, queue: str) -> None:
        self._queue = queue
        self._name = f"{time.monotonic_ns():0{_DIGITS}}-{os.urandom(4).hex()}"
        self._path = os.path.join(queue, self._name)
        if not hasattr(os, "mkfifo"):
            raise OSError(errno.ENOSYS, "this system has no named pipes")
        os.makedirs(queue, exist_ok=True)
        self._pipe = _make_pipe(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _remove(self._path)
        os.close(self._pipe)

    def wait(self, try_claim: Callable[[], Claimed | None], deadline: float) -> Claimed | None:
        """What `try_claim` claims, when it is this waiter's turn; None once `deadline` (of
        `time.monotonic`) is over. Raises what `try_claim` raises."""
        suspect, looks, called = "", 0, False
        while True:
            first = self._name if called else self._first()
            mine = first == self._name
            if mine and (held := try_claim()) is not None:
                return held
            left = deadline - time.monotonic()
            if left <= 0:
                _remove(self._path)
                call_first(self._queue)  # the call may have come to this one just now
                return None
            called = self._sleep(min(left, FIRST_PAUSE if mine else LOOK_PAUSE))
            if called or mine:
                continue
            if (held := try_claim()) is None:
                suspect = ""
            elif looks >= _LOOKS and first == suspect == self._first():
                _remove(os.path.join(self._queue, first))  # if it wakes up, it takes it again
                return held
            else:
                suspect, looks = first, looks + 1 if first == suspect else 1
                held.release()
                call_first(self._queue)

    def _first(self) -> str:
        """The name of the first living waiter; this one's own where the queue can't be read."""
        try:
            if not os.path.exists(self._path):  # others took this process for suspended
                before, self._pipe = self._pipe, _make_pipe(self._path)
                os.close(before)
            return _find_first(self._queue)
        except OSError:
            return self._name

    def _sleep(self, seconds: float) -> bool:
        """Sleep until called, at most so long; whether it was called."""
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        if not poll.poll(max(1, seconds * 1000)):
            return False
        with suppress(BlockingIOError):
            os.read(self._pipe, 4096)
        return True


def _make_pipe(path: str) -> int:
    folder, name = os.path.split(path)
    hidden = os.path.join(folder, "." + name)
    os.mkfifo(hidden, 0o600)
    try:
        # For writing too: else it would look ready for ever once the first caller has closed it.
        pipe = os.open(hidden, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        os.rename(hidden, path)  # open before it can be seen, so one that nobody reads is dead
    except BaseException:
        for made in (hidden, path):  # an interrupt may come just after the renaming
            _remove(made)
        raise
    return pipe


def _find_first(queue: str, *, call: bool = False) -> str:
    """The name of the first living waiter, "" for none; the pipes of dead ones are removed."""
    for name in sorted(os.listdir(queue)):
        path = os.path.join(queue, name)
        if not name[:_DIGITS].isdecimal():
            if name[:1] == ".":
                _sweep(path, name)
            continue
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            _remove(path)
            continue
        try:
            if call:
                with suppress(OSError):  # it was called often enough, or has died since
                    os.write(pipe, _CALL)
        finally:
            os.close(pipe)
        return name
    return ""


def _sweep(path: str, name: str) -> None:
    """Remove what a death left of a pipe that was not opened yet."""
    made = name[1 : 1 + _DIGITS]
    if made.isdecimal() and not 0 <= time.monotonic_ns() - int(made) < _OPENING_NS:
        _remove(path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
