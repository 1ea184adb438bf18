"""Find, read and replace small files of the user and of other programs; read secrets, which are
never in a setting, on a command line or in an address; take kernel locks, which end with their
holder."""

from __future__ import annotations

import os
from collections.abc import Iterator

from engrain.model.errors import ConfigError, StorageError

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

_MOST_CHARACTERS = 64 * 1024


def climb(folder: str) -> Iterator[str]:
    """Yield a folder and all folders above it."""
    above = os.path.dirname(folder)
    while above != folder:
        yield folder
        folder, above = above, os.path.dirname(above)
    yield folder


def find_upwards(folder: str, name: str) -> str | None:
    """Return the nearest `name` in `folder` or above, None if there is none."""
    paths = (os.path.join(one, name) for one in climb(folder))
    return next(filter(os.path.lexists, paths), None)


def read_text(path: str, most: int = _MOST_CHARACTERS) -> str | None:
    """Return the first characters of a file in UTF-8 with its own line ends, None if it can't be
    read."""
    try:
        with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123
            return file.read(most)
    except (OSError, UnicodeDecodeError):
        return None


def replace_file(path: str, text: str, *, private: bool = False, durable: bool = True) -> None:
    """Replace a file by a text in one step; a missing folder is made. An old file keeps its mode,
    but a `private` one is readable only by its owner. A file that is not `durable` may be lost in a
    power cut. Raises OSError, UnicodeEncodeError."""
    raw = text.encode()
    os.makedirs(os.path.dirname(path) or ".", 0o700 if private else 0o777, exist_ok=True)
    temp = f"{path}.{os.getpid()}.tmp"
    try:
        mode = 0o600 if private else os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mode = 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(temp, flags, mode), "wb") as file:  # noqa: PTH123
            file.write(raw)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if mode != 0o666:
            os.chmod(temp, mode)
        os.replace(temp, path)
    except OSError:
        if os.path.exists(temp):
            os.unlink(temp)
        raise


_LONGEST = 16 * 1024


def read_secret(setting: str, path: str) -> str:
    """Return the secret in the file that a setting names. Raises ConfigError for a file that others
    can read, or without a secret."""
    path = os.path.abspath(os.path.expanduser(path))
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        try:
            mode = os.fstat(file).st_mode
            raw = os.read(file, _LONGEST)
        finally:
            os.close(file)
    except OSError as error:
        raise ConfigError(
            f"the file of {setting} can't be read: {error.strerror}", path=path
        ) from None
    if mode & 0o077 and os.name == "posix":
        raise ConfigError(
            f"others can read the file of {setting}", path=path, remedy="set its mode to 600"
        )
    secret = raw.decode("ascii", errors="replace").strip()
    if not secret or not secret.isprintable() or "\ufffd" in secret:
        raise ConfigError(f"the file of {setting} has no secret on one line", path=path)
    return secret


def take_lock_file(path: str, *, wait: bool = False) -> int | None:
    """Return the descriptor of the locked file; None if another process has the lock, for whose end
    `wait` waits. Raises StorageError on a system without such locks, OSError."""
    if fcntl is None:
        raise StorageError(
            "this system has no locks to tell that one server runs", remedy="use --stdio"
        )
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(path, flags, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            # A holder that left has removed the file; then this lock is of no use.
            held = os.fstat(file)
            there = os.stat(path)
            if (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino):
                return file
        except BlockingIOError:
            os.close(file)
            return None
        except FileNotFoundError:
            pass
        except OSError:
            os.close(file)
            raise
        os.close(file)


def leave_lock_file(path: str, file: int) -> None:
    """Release the lock. The file is removed while it is still locked: a process that has opened it
    meanwhile sees that it is not the lock any more."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    finally:
        os.close(file)


def read_date(path: str) -> float | None:
    """Return when a file was last written, in epoch seconds; None if that can't be read."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return None
