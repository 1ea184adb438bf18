"""Find, read and replace small files of the user and of other programs."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
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
