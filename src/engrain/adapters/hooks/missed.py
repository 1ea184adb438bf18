"""What hooks leave in the state folder that run out of time: light to load, since they have none.

A session's start that was not answered whole is a file in one folder, called by the session and
saying how that began; the next prompt of the session makes up for it. There is no such folder while
nothing is missed, so that a prompt pays for one look. Every loss is a line of the log.
"""

from __future__ import annotations

import json
import os

from engrain.seam.journal import name_file

_KEPT = 86_400.0
"""Seconds after which the file of a session goes that had no other prompt."""
_LONGEST = 4096
_FILE = "hooks.log"
_MOST_BYTES = 256 * 1024


def note_missed(folder: str, session: str, source: str, at: float) -> None:
    """Note at a moment (epoch seconds) that the start of a session was missed, which began by
    `source`. Raises OSError."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for entry in os.scandir(folder):
        if entry.stat().st_mtime < at - _KEPT:
            os.unlink(entry.path)
    path = os.path.join(folder, name_file(session))
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, source.encode(errors="replace"))
    finally:
        os.close(file)


def read_missed(folder: str, session: str) -> str | None:
    """Return the source by which a session began whose start was missed, None where it was not.
    Raises OSError."""
    try:
        file = os.open(os.path.join(folder, name_file(session)), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return os.read(file, _LONGEST).decode(errors="replace")
    finally:
        os.close(file)


def drop_missed(folder: str, session: str) -> None:
    """Note that nothing of a session's start is missing any more."""
    try:
        os.unlink(os.path.join(folder, name_file(session)))
        os.rmdir(folder)
    except OSError:
        return  # there was none, or others are left


def log_path(state_dir: str) -> str:
    """Where the log is."""
    return os.path.join(state_dir, _FILE)


def append_loss(state_dir: str, at: float, event: str, host: str, ms: int, reason: str) -> None:
    """Add a loss whose reason holds no secret to the log, whose older half goes when it grows long.
    Never raises."""
    line = json.dumps([round(at, 3), event, host, ms, reason]) + "\n"
    path = log_path(state_dir)
    try:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > _MOST_BYTES:
            os.replace(path, f"{path}.1")
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)
    except OSError:
        return  # There is nowhere left to say it.
