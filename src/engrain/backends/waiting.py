"""The queue for the write lock, which gives it to waiting processes in order of arrival.

Each waiter makes a named pipe in one folder on this device, named after the time of its arrival,
and sleeps until a byte comes through it. Whoever releases the lock writes that byte to the first
pipe. A newcomer that finds the queue occupied joins its end.

The queue only orders the waiters; the lock alone decides who holds it, so nothing that happens to a
pipe can let two in. Nor can it block anyone: a dead waiter's pipe has no reader and is skipped, and
a suspended first waiter loses its place if it was called and did not come. A holder that dies calls
nobody, so the first waiter also tries the lock by itself now and then.
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
    """A claim that can be given back, such as the lock."""

    def release(self) -> None: ...


Claimed = TypeVar("Claimed", bound=Releasable)


FIRST_PAUSE = 0.01
"""Seconds after which the first waiter tries the lock without being called."""
LOOK_PAUSE = 0.1
"""Seconds after which another waiter checks that the first one still takes the lock."""
_LOOKS = 5
"""The number of checks in a row that find the lock free before the first waiter loses its place."""
_OPENING_NS = 60_000_000_000
"""Nanoseconds: longer than any waiter takes to open the pipe that it made."""
_DIGITS = 20
_CALL = b"!"


def join_queue(queue: str) -> Place | None:
    """Return a place at the end of the queue in a folder, None if pipes can't be made there."""
    try:
        return Place(queue)
    except OSError:
        return None


def call_first(queue: str) -> None:
    """Wake the waiter that has waited longest, if there is one."""
    with suppress(OSError):
        _find_first(queue, call=True)


class Place:
    """A waiter's place in the queue, given up at the end of a block. Raises OSError."""

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
        """Return what `try_claim` claims when it is this waiter's turn, None after `deadline` (of
        `time.monotonic`). Raises what `try_claim` raises."""
        suspect, looks, called = "", 0, False
        while True:
            first = self._name if called else self._first()
            mine = first == self._name
            if mine and (held := try_claim()) is not None:
                return held
            left = deadline - time.monotonic()
            if left <= 0:
                _remove(self._path)
                call_first(self._queue)  # this waiter may have been called just now
                return None
            called = self._sleep(min(left, FIRST_PAUSE if mine else LOOK_PAUSE))
            if called or mine:
                continue
            if (held := try_claim()) is None:
                suspect = ""
            elif looks >= _LOOKS and first == suspect == self._first():
                _remove(os.path.join(self._queue, first))  # it takes its place again if it wakes up
                return held
            else:
                suspect, looks = first, looks + 1 if first == suspect else 1
                held.release()
                call_first(self._queue)

    def _first(self) -> str:
        """Return the first living waiter's name, or this one's if the queue can't be read."""
        try:
            if not os.path.exists(self._path):  # another waiter took this process for suspended
                before, self._pipe = self._pipe, _make_pipe(self._path)
                os.close(before)
            return _find_first(self._queue)
        except OSError:
            return self._name

    def _sleep(self, seconds: float) -> bool:
        """Sleep until called, at most `seconds`; return whether it was called."""
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
        # Open for writing too, or it would look ready for ever once the first caller closed it.
        pipe = os.open(hidden, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        os.rename(hidden, path)  # opened before it is visible, so a pipe without a reader is dead
    except BaseException:
        for made in (hidden, path):  # an interrupt may come just after the renaming
            _remove(made)
        raise
    return pipe


def _find_first(queue: str, *, call: bool = False) -> str:
    """Return the name of the first living waiter, "" for none; remove the pipes of dead ones."""
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
                with suppress(OSError):  # the pipe is full of calls, or the waiter has died since
                    os.write(pipe, _CALL)
        finally:
            os.close(pipe)
        return name
    return ""


def _sweep(path: str, name: str) -> None:
    """Remove a pipe whose maker was killed before it opened it."""
    made = name[1 : 1 + _DIGITS]
    if made.isdecimal() and not 0 <= time.monotonic_ns() - int(made) < _OPENING_NS:
        _remove(path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
