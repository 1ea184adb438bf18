"""The user's configuration once more, as lines that a cold process reads in no time: loading a
parser of TOML takes it longer than to recall. Derived, device-local, and made anew by whoever finds
that it is of another version of the file."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BYTES = 64 * 1024


def identify(path: str) -> str:
    """A file and its version; "" when it can't be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {path}"


def read_flat(flat: str, identity: str) -> dict[str, str] | None:
    """The settings in `flat`, if they are of the file of that identity."""
    try:
        with open(flat, encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            first, *lines = file.read(_MOST_BYTES).split("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if not identity or first != identity or not lines or lines.pop() != "":
        return None
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def write_flat(flat: str, identity: str, settings: Mapping[str, str]) -> None:
    """Keep settings for `read_flat`, where they can be kept: nothing depends on it."""
    lines = [identity, *(f"{name}={value}" for name, value in settings.items())]
    text = "\n".join(lines)
    if not identity or len(text.split("\n")) != len(lines) or "\r" in text:
        return
    try:
        raw = f"{text}\n".encode()
    except UnicodeEncodeError:
        return
    temp = f"{flat}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(flat), mode=0o700, exist_ok=True)
        file = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            whole = os.write(file, raw) == len(raw)
        finally:
            os.close(file)
        if whole:
            os.replace(temp, flat)
        else:
            os.unlink(temp)
    except OSError:
        if os.path.exists(temp):
            os.unlink(temp)
