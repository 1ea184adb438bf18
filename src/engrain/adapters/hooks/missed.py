"""The notes of hooks that run out of time; the module is quick to load, since they have none.

A session's start that was not answered completely is a file in one folder: its name is made from
the session's, and it contains the source of the start. The next prompt of the session makes up for
it. Without missed starts there is no folder, so a prompt looks only once. Every failure of a hook
is a line of the log.
"""

from __future__ import annotations

import json
import os

from engrain.seam.journal import name_file

_KEPT = 86_400.0
"""Seconds after which the file of a session without another prompt is removed."""
_LONGEST = 4096
_FILE = "hooks.log"
_MOST_BYTES = 256 * 1024


def note_missed(folder: str, session: str, source: str, at: float) -> None:
    """Note at a moment (epoch seconds) that the start of a session, caused by `source`, was
    missed. Raises OSError."""
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
    """Return the source of a session's missed start, None if it was not missed. Raises OSError."""
    try:
        file = os.open(os.path.join(folder, name_file(session)), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return os.read(file, _LONGEST).decode(errors="replace")
    finally:
        os.close(file)


def drop_missed(folder: str, session: str) -> None:
    """Note that a session's start has been made up for."""
    try:
        os.unlink(os.path.join(folder, name_file(session)))
        os.rmdir(folder)
    except OSError:
        return  # there is no such file, or the folder has others


def log_path(state_dir: str) -> str:
    """Return the path of the log."""
    return os.path.join(state_dir, _FILE)


def append_loss(state_dir: str, at: float, event: str, host: str, ms: int, reason: str) -> None:
    """Add a failure, whose reason must hold no secret, to the log; when the log is long, its older
    half is removed. Never raises."""
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
        return  # no other place is left to report it
