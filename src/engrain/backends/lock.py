"""The write lock of the file stores: one writer at a time on this machine (DESIGN section 7).

It is a kernel lock: `flock` on the vault folder itself, which needs no file in it. The kernel frees
it when its holder dies, so it is never taken over, and a suspended holder keeps it.

Waiting processes try again and again, with short pauses, in no order. A lock is not visible on
other machines. A file system without locks can't be written.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engrain.model.errors import LockedError, StorageError

_FIRST_PAUSE = 0.0002
_LONGEST_PAUSE = 0.02

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

_NOTE = "writer.json"
_NOTE_BYTES = 64  # always overwritten whole, which is cheaper than cutting it


_descriptors: set[int] = set()
"""The open folders by which this process holds locks."""


def _close_in_child() -> None:
    """In a forked child, close them: the lock would else outlive its holder."""
    while _descriptors:
        with suppress(OSError):
            os.close(_descriptors.pop())


os.register_at_fork(after_in_child=_close_in_child)


@contextmanager
def hold_lock(folder: str, notes: str, wait: float = 10.0) -> Iterator[None]:
    """Hold the write lock of the vault in `folder` for the length of a block.

    `notes` is a device-local folder whose file `writer.json` names the holder for error messages.
    Two threads exclude each other like two processes; a thread that already holds the lock waits
    for itself. Entering raises LockedError after `wait` seconds (0: one try), which names the
    process that holds the lock, and OSError from the file system.
    """
    descriptor = _wait_for_it(folder, time.monotonic() + wait)
    if descriptor is None:
        raise _explain_holder(folder, notes)
    _write_note(notes, f'{{"pid": {os.getpid()}, "since": {time.time():.3f}}}')
    try:
        yield
    finally:
        _write_note(notes, "{}")
        with suppress(OSError):  # The work is done, and others still get the lock by waiting.
            _release(descriptor)


def _wait_for_it(folder: str, deadline: float) -> int | None:
    """Claim the lock, by repeated tries until `deadline`; return None if others held it."""
    pause = _FIRST_PAUSE
    while (held := _try_claim(folder)) is None and (left := deadline - time.monotonic()) > 0:
        # Jitter keeps contenders out of step; importing `random` takes longer than the wait.
        time.sleep(min(left, pause * (0.5 + os.urandom(1)[0] / 255)))
        pause = min(2 * pause, _LONGEST_PAUSE)
    return held


def _try_claim(folder: str) -> int | None:
    """Take the lock if it is free, and return the descriptor of the folder. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    ours = False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # If the folder was replaced meanwhile, others may have locked the new one.
        ours = os.path.samestat(os.fstat(descriptor), os.stat(folder))
    except BlockingIOError:
        return None
    except OSError as error:
        if error.errno in _NO_LOCKS:
            raise _no_locks(folder) from None
        raise
    finally:
        if not ours:
            os.close(descriptor)
    if ours:
        _descriptors.add(descriptor)
    return descriptor if ours else None


def _release(descriptor: int) -> None:
    # Closing alone would not unlock it while a child forked meanwhile has it open too.
    _descriptors.discard(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def _no_locks(folder: str) -> StorageError:
    return StorageError(
        "there are no locks of files here that Engrain can use, so nothing can be written",
        path=folder,
        remedy="use a file system with locks",
    )


def _is_alive(pid: int) -> bool:
    """Whether a process with this id runs; True where the system can't say."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _write_note(notes: str, text: str) -> None:
    """Write the note on the holder. It only serves error messages, so failures are ignored."""
    try:
        note = os.open(os.path.join(notes, _NOTE), os.O_WRONLY | os.O_CREAT, 0o600)
    except OSError:
        return
    try:
        os.write(note, text.ljust(_NOTE_BYTES).encode())
    except OSError:
        return
    finally:
        os.close(note)


def _read_note(notes: str) -> tuple[int, float] | None:
    """Return the live holder's process id and since when (epoch seconds), None if unknown."""
    try:
        note = os.open(os.path.join(notes, _NOTE), os.O_RDONLY)
        try:
            content = json.loads(os.read(note, _NOTE_BYTES))
        finally:
            os.close(note)
        pid, since = content["pid"], content["since"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if type(pid) is not int or pid <= 0 or type(since) is not float or not _is_alive(pid):
        return None
    return pid, since


def _explain_holder(folder: str, notes: str) -> LockedError:
    noted = _read_note(notes)
    if noted is None:
        who, remedy = (
            "the vault is held by an unknown process",
            "wait for it, then repeat the command",
        )
        return LockedError(who, path=folder, remedy=remedy)
    pid, since = noted
    who, remedy = f"another process (pid {pid})", f"wait for it, or stop process {pid}"
    if pid == os.getpid():
        who, remedy = "another thread of this process", "wait for it"
    seconds = max(0, round(time.time() - since))
    return LockedError(f"{who} has been writing for {seconds} s", path=folder, remedy=remedy)
