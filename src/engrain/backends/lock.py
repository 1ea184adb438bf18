"""The write lock of the file stores: one writer at a time on this machine (DESIGN section 7).

Where the system has them it is a kernel lock: on POSIX `flock` on the opened vault folder itself,
which writes no file into it, on Windows a locked byte of a file in this device's notes. The
kernel frees it when its holder dies, so it is never taken over, and a suspended holder keeps it.

Where the file system has no locks, a file in the notes stands for the lock, and its name says who
holds it: `free`, or `held-<place>-<pid>-<nonce>`. Renaming it is what claims it, takes it over
and gives it back, which one contender alone can do. Only a holder that is dead or has shown no
sign of life for `STALE_SECONDS` is taken over; its name is its fencing token, and `Held.check`
tells a holder that woke up too late.

All processes get the same kind, since the file system decides it. Those that have to wait get it
in order of arrival (`waiting`), except where the system has no named pipes: there they try again
and again. No machine sees the locks of another. Only Linux has been run; what is for Windows is
tested with a stand-in for `msvcrt`.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from abc import ABC, abstractmethod

from engrain.model.errors import LockedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import ModuleType

STALE_SECONDS = 30.0
"""A holder of the fallback that has not called `check` for so long may be taken over."""

_FIRST_PAUSE = 0.0002
_LONGEST_PAUSE = 0.02

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

_QUEUE = "queue"
"""The folder in the notes in which those that wait have their places (`waiting`)."""
_NOTE = "writer.json"
_NOTE_BYTES = 64  # always overwritten whole, which is cheaper than cutting it
_REGION = "write.lock"
_LOCK = "lock"
_FREE = "free"
_HELD = "held"


class Held(ABC):
    """The lock, while it is held."""

    @abstractmethod
    def check(self) -> None:
        """Show a sign of life; call it just before each rename of data.

        Raises LockedError when the lock is no longer ours. A kernel lock always is.
        """

    @abstractmethod
    def release(self) -> None:
        """Give the lock back; `hold_lock` does it at the end of its block."""


def hold_lock(folder: str, notes: str, wait: float = 10.0) -> AbstractContextManager[Held]:
    """Hold the write lock of the vault in `folder` for the length of a block.

    `notes` is a device-local folder, in which `writer.json` names the holder for the error of
    others. Two threads exclude each other like two processes; a thread that holds the lock and
    asks again waits for itself. On entering raises LockedError after `wait` seconds (0: tries
    once), naming the process that holds it, and OSError as the file system gives it.
    """
    return _Block(folder, notes, wait)


class _Block:
    __slots__ = ("_folder", "_held", "_notes", "_queue", "_wait")

    def __init__(self, folder: str, notes: str, wait: float) -> None:
        self._folder = folder
        self._notes = notes
        self._queue = os.path.join(notes, _QUEUE)
        self._wait = wait

    def __enter__(self) -> Held:
        held = None
        if self._wait <= 0 or not self._is_waited_for():
            held = self._try_claim()
        if held is None and self._wait > 0:
            held = self._wait_for_it()
        if held is None:
            raise _explain_holder(self._folder, self._notes)
        self._held = held
        _write_note(self._notes, f'{{"pid": {os.getpid()}, "since": {time.time():.3f}}}')
        return held

    def __exit__(self, *_: object) -> None:
        _write_note(self._notes, "{}")
        try:
            self._held.release()
            if self._is_waited_for():
                from engrain.backends.waiting import call_first

                call_first(self._queue)
        except OSError:
            return  # What was done under the lock is done. Others get it by waiting.

    def _is_waited_for(self) -> bool:
        try:
            return bool(os.listdir(self._queue))
        except OSError:
            return False

    def _try_claim(self) -> Held | None:
        return _try_claim(self._folder, self._notes)

    def _wait_for_it(self) -> Held | None:
        from engrain.backends.waiting import join_queue

        deadline = time.monotonic() + self._wait
        if (place := join_queue(self._queue)) is not None:
            with place:
                return place.wait(self._try_claim, deadline)
        pause = _FIRST_PAUSE
        while (held := self._try_claim()) is None and (left := deadline - time.monotonic()) > 0:
            # Jitter, lest contenders knock in step; `random` takes longer to import than to wait.
            time.sleep(min(left, pause * (0.5 + os.urandom(1)[0] / 255)))
            pause = min(2 * pause, _LONGEST_PAUSE)
        return held


def _try_claim(folder: str, notes: str) -> Held | None:
    """The lock if it can be had at once. Raises OSError."""
    try:
        return _claim_from_kernel(folder, notes)
    except ImportError:  # a Python built without locks
        pass
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return _claim_by_rename(folder, notes)


def _claim_from_kernel(folder: str, notes: str) -> Held | None:
    try:
        import fcntl
    except ImportError:
        from importlib import import_module

        return _claim_region(notes, import_module("msvcrt"))
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    ours = False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another folder put in its place meanwhile is one that others may have locked.
        ours = os.path.samestat(os.fstat(descriptor), os.stat(folder))
    except BlockingIOError:
        return None
    finally:
        if not ours:
            os.close(descriptor)
    return _FolderLock(descriptor) if ours else None


class _FolderLock(Held):
    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def check(self) -> None:
        return

    def release(self) -> None:
        import fcntl

        # Closing alone would leave it locked while a child forked meanwhile has it open too.
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        finally:
            os.close(self._descriptor)


def _claim_region(notes: str, msvcrt: ModuleType) -> Held | None:
    os.makedirs(notes, exist_ok=True)
    descriptor = os.open(os.path.join(notes, _REGION), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except PermissionError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return _RegionLock(descriptor, msvcrt)


class _RegionLock(Held):
    __slots__ = ("_descriptor", "_msvcrt")

    def __init__(self, descriptor: int, msvcrt: ModuleType) -> None:
        self._descriptor = descriptor
        self._msvcrt = msvcrt

    def check(self) -> None:
        return

    def release(self) -> None:
        try:
            self._msvcrt.locking(self._descriptor, self._msvcrt.LK_UNLCK, 1)
        finally:
            os.close(self._descriptor)


def _claim_by_rename(folder: str, notes: str) -> Held | None:
    place = os.path.join(notes, _LOCK)
    here = _name_place()
    mine = os.path.join(place, f"{_HELD}-{here}-{os.getpid()}-{os.urandom(8).hex()}")
    for name in _list_lock(place):
        theirs = os.path.join(place, name)
        try:
            if name == _FREE:
                os.utime(theirs)  # or it would be stale from the moment it is held
            seen = os.stat(theirs).st_mtime_ns
            if name != _FREE and not _is_stale(name, seen, here):
                continue
            os.rename(theirs, mine)
            if name != _FREE and os.stat(mine).st_mtime_ns != seen:
                # The holder woke up in between: it had seen that the lock was its own.
                os.rename(mine, theirs)
                continue
            os.utime(mine)
        except FileNotFoundError:
            continue  # another contender was faster
        return _RenamedLock(mine, os.path.join(place, _FREE), folder)
    return None


class _RenamedLock(Held):
    __slots__ = ("_folder", "_free", "_mine")

    def __init__(self, mine: str, free: str, folder: str) -> None:
        self._mine = mine
        self._free = free
        self._folder = folder

    def check(self) -> None:
        try:
            os.utime(self._mine)
        except FileNotFoundError:
            raise LockedError(
                "the write lock was lost to another process: this one was suspended too long",
                path=self._folder,
                remedy="repeat the command",
            ) from None

    def release(self) -> None:
        try:
            os.rename(self._mine, self._free)
        except FileNotFoundError:
            return  # taken over: it is another's to give back


def _list_lock(place: str) -> list[str]:
    """What lies in the lock's folder; it is put in place, never empty, when it is missing."""
    try:
        names = os.listdir(place)
    except FileNotFoundError:
        names = []
    if names:
        return names
    # Empty is what a power cut may leave; a rename replaces an empty folder and no other.
    fresh = f"{place}-{os.urandom(8).hex()}"
    free = os.path.join(fresh, _FREE)
    os.makedirs(fresh)
    os.close(os.open(free, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        os.rename(fresh, place)
    except OSError as error:
        os.unlink(free)
        os.rmdir(fresh)
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    return os.listdir(place)


def _is_stale(name: str, touched: int, here: str) -> bool:
    """Whether the holder named by the lock's file, last touched at `touched` ns, is gone."""
    # A sign of life from the future was given before the clock was set back.
    if abs(time.time() - touched / 1e9) > STALE_SECONDS:
        return True
    held, *rest = name.split("-")
    if held != _HELD or len(rest) != 3:
        return False
    place, pid, _ = rest
    return place == here and pid.isdecimal() and not _is_alive(int(pid))


def _name_place() -> str:
    """Where process ids mean the same: this machine, and in it this process id namespace."""
    from hashlib import sha256
    from platform import node

    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return sha256(f"{node()} {namespace}".encode()).hexdigest()[:12]


def _is_alive(pid: int) -> bool:
    """Whether a process of this id runs; True where that can't be asked."""
    if sys.platform == "win32":
        return True  # there os.kill does not ask: it ends the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _write_note(notes: str, text: str) -> None:
    """Name the holder, or nobody. It is only for the error of others, so it may fail."""
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
    """The holder's process id and since when (epoch seconds), or None if no live one is noted."""
    import json

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
        return LockedError(
            "the vault is held by an unknown process",
            path=folder,
            remedy="wait for it, then repeat the command",
        )
    pid, since = noted
    seconds = max(0, round(time.time() - since))
    if pid == os.getpid():
        return LockedError(
            f"another thread of this process has been writing for {seconds} s",
            path=folder,
            remedy="wait for it",
        )
    return LockedError(
        f"another process (pid {pid}) has been writing for {seconds} s",
        path=folder,
        remedy=f"wait for it, or stop process {pid}",
    )
