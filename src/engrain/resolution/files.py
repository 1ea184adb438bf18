"""Small files of the user and of other programs: found, read and replaced."""

from __future__ import annotations

import os

_MOST_CHARACTERS = 64 * 1024


def find_upwards(folder: str, name: str) -> str | None:
    """The nearest `name` in `folder` or above."""
    while True:
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            return path
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def read_text(path: str, most: int = _MOST_CHARACTERS) -> str | None:
    """The first characters of a file in UTF-8, line ends as they are; None where it can't be
    read."""
    try:
        with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123
            return file.read(most)
    except (OSError, UnicodeDecodeError):
        return None


def replace_file(path: str, text: str, *, private: bool = False, durable: bool = True) -> None:
    """Put a text in the place of a file, whole or not at all; its folder is made if missing. An old
    file's mode stays; a `private` one is its owner's alone. One that is not `durable` may be lost
    with the power. Raises OSError, UnicodeEncodeError."""
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
