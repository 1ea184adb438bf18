"""The write lock of the file stores: one writer at a time on this machine (DESIGN section 7).

Where possible it is a kernel lock: `flock` on the vault folder itself, which needs no file in it.
The kernel frees it when its holder dies, so it is never taken over, and a suspended holder keeps
it.

Where the file system has no locks, a file in the notes stands for the lock, and its name says who
holds it: `free`, or `held-<place>-<pid>-<nonce>`. The lock is claimed, taken over and given back
by renaming that file, which only one contender can do. It is taken over only from a holder that is
dead or has shown no sign of life for `STALE_SECONDS`; the name is the fencing token by which
`Held.check` warns a holder that woke up too late.

The file system decides the kind of lock, so all processes use the same kind. Waiting processes try
again and again, with short pauses, in no order. A lock is not visible on other machines. Windows
has no `fcntl`, so a vault can't be written there.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256

from engrain.model.errors import LockedError, StorageError

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

STALE_SECONDS = 30.0
"""How long a holder of the file lock may go without `check` before the lock can be taken over."""

_FIRST_PAUSE = 0.0002
_LONGEST_PAUSE = 0.02

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

_NOTE = "writer.json"
_NOTE_BYTES = 64  # always overwritten whole, which is cheaper than cutting it
_LOCK = "lock"
_FREE = "free"
_HELD = "held"


_descriptors: set[int] = set()
"""The open folders by which this process holds locks."""


def _leave_to_parent() -> None:
    """In a forked child, close them: the lock would else outlive its holder."""
    while _descriptors:
        with suppress(OSError):
            os.close(_descriptors.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


@dataclass(slots=True, eq=False)
class Held:
    """The lock, while it is held."""

    release: Callable[[], None]
    """Gives the lock back; `hold_lock` calls it at the end of its block."""
    check: Callable[[], None] = lambda: None
    """Shows a sign of life; call it just before each rename of data.

    Raises LockedError if the lock was taken over, which never happens to a kernel lock.
    """


@contextmanager
def hold_lock(folder: str, notes: str, wait: float = 10.0) -> Iterator[Held]:
    """Hold the write lock of the vault in `folder` for the length of a block.

    `notes` is a device-local folder whose file `writer.json` names the holder for error messages.
    Two threads exclude each other like two processes; a thread that already holds the lock waits
    for itself. Entering raises LockedError after `wait` seconds (0: one try), which names the
    process that holds the lock, and OSError from the file system.
    """
    held = _wait_for_it(folder, notes, time.monotonic() + wait)
    if held is None:
        raise _explain_holder(folder, notes)
    _write_note(notes, f'{{"pid": {os.getpid()}, "since": {time.time():.3f}}}')
    try:
        yield held
    finally:
        _write_note(notes, "{}")
        with suppress(OSError):  # The work is done, and others still get the lock by waiting.
            held.release()


def _wait_for_it(folder: str, notes: str, deadline: float) -> Held | None:
    """Claim the lock, by repeated tries until `deadline`; return None if others held it."""
    pause = _FIRST_PAUSE
    while (held := _try_claim(folder, notes)) is None and (left := deadline - time.monotonic()) > 0:
        # Jitter keeps contenders out of step; importing `random` takes longer than the wait.
        time.sleep(min(left, pause * (0.5 + os.urandom(1)[0] / 255)))
        pause = min(2 * pause, _LONGEST_PAUSE)
    return held


def _try_claim(folder: str, notes: str) -> Held | None:
    """Take the lock if it is free, else return None. Raises OSError."""
    try:
        return _claim_from_kernel(folder)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return _claim_by_rename(folder, notes)


def _claim_from_kernel(folder: str) -> Held | None:
    if fcntl is None:
        raise StorageError(
            "this system has no locks of files that Engrain can use, so nothing can be written",
            path=folder,
            remedy="use Linux or macOS; on Windows, WSL",
        )
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    ours = False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # If the folder was replaced meanwhile, others may have locked the new one.
        ours = os.path.samestat(os.fstat(descriptor), os.stat(folder))
    except BlockingIOError:
        return None
    finally:
        if not ours:
            os.close(descriptor)
    if not ours:
        return None

    _descriptors.add(descriptor)

    def release() -> None:
        # Closing alone would not unlock it while a child forked meanwhile has it open too.
        _descriptors.discard(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        finally:
            os.close(descriptor)

    return Held(release)


def _claim_by_rename(folder: str, notes: str) -> Held | None:
    place = os.path.join(notes, _LOCK)
    here = _name_place()
    mine = os.path.join(place, f"{_HELD}-{here}-{os.getpid()}-{os.urandom(8).hex()}")
    for name in _list_lock(place):
        theirs = os.path.join(place, name)
        try:
            if name == _FREE:
                os.utime(theirs)  # or it would be stale as soon as it is held
            seen = os.stat(theirs).st_mtime_ns
            if name != _FREE and not _is_stale(name, seen, here):
                continue
            os.rename(theirs, mine)
            if name != _FREE and os.stat(mine).st_mtime_ns != seen:
                # The holder woke up in between, and its `check` passed: give the lock back to it.
                os.rename(mine, theirs)
                continue
            os.utime(mine)
        except FileNotFoundError:
            continue  # another contender was faster
        return _hold_renamed(mine, os.path.join(place, _FREE), folder)
    return None


def _hold_renamed(mine: str, free: str, folder: str) -> Held:
    def check() -> None:
        try:
            os.utime(mine)
        except FileNotFoundError:
            raise LockedError(
                "the write lock was lost to another process: this one was suspended too long",
                path=folder,
                remedy="repeat the command",
            ) from None

    def release() -> None:
        with suppress(FileNotFoundError):  # taken over: the new holder gives it back
            os.rename(mine, free)

    return Held(release, check)


def _list_lock(place: str) -> list[str]:
    """Return the names in the lock's folder, which is made with a free lock if it is missing."""
    try:
        names = os.listdir(place)
    except FileNotFoundError:
        names = []
    if names:
        return names
    # A power cut may leave the folder empty; a rename replaces only an empty folder.
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
    """Whether the holder in a lock file's `name`, last touched at `touched` (ns), is gone."""
    # A time in the future means that the clock was set back since.
    if abs(time.time() - touched / 1e9) > STALE_SECONDS:
        return True
    held, *rest = name.split("-")
    if held != _HELD or len(rest) != 3:
        return False
    place, pid, _ = rest
    return place == here and pid.isdecimal() and not _is_alive(int(pid))


def _name_place() -> str:
    """Return a name for the scope of process ids: this machine and its process id namespace."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return sha256(f"{os.uname().nodename} {namespace}".encode()).hexdigest()[:12]


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
