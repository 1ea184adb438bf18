"""What hooks leave in the state: failures, which no host shows but `doctor` does, their times, and
the starts of sessions that were missed.

A session's start that was not answered completely is a file in one folder: its name is made from
the session's, and it contains the source of the start. The next prompt of the session makes up for
it. Without missed starts there is no folder, so a prompt looks only once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from engrain.adapters.hooks.answers import BUDGETS, TIMES
from engrain.seam.journal import name_file

_KEPT = 86_400.0
"""Seconds after which the file of a session without another prompt is removed."""
_MOST_SOURCE = 4096
_FILE = "hooks.log"
_MOST_LOG = 256 * 1024
_MOST_TIMES = 128 * 1024
_LONGEST = 300
_READ = 4096  # characters in which secrets are searched: many more than are kept


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
        return os.read(file, _MOST_SOURCE).decode(errors="replace")
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


@dataclass(slots=True, eq=False)
class Loss:
    """A failure of a hook: its time, event, host, duration and reason."""

    at: float
    event: str
    host: str
    ms: int
    reason: str


def note_loss(
    state_dir: str, loss: Loss, redact: Callable[[str], tuple[str, Sequence[str]]]
) -> None:
    """Add a failure to the log, without the secrets that `redact` finds. Never raises."""
    reason = redact(" ".join(loss.reason[:_READ].split()))[0][:_LONGEST]
    line = json.dumps([round(loss.at, 3), loss.event, loss.host, loss.ms, reason]) + "\n"
    _append(log_path(state_dir), line, _MOST_LOG)


def note_time(state_dir: str, event: str, host: str, at: float, ms: int, *, warm: bool) -> None:
    """Add to the statistics how long a hook took, and whether a bridge answered. Never raises."""
    _append(
        os.path.join(state_dir, TIMES), f"{int(at)} {event} {host} {ms} {int(warm)}\n", _MOST_TIMES
    )


def _append(path: str, line: str, most: int) -> None:
    """Add a line to a file; a long one becomes the older file first. Never raises, since no other
    place is left to report it."""
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > most:
            os.replace(path, f"{path}.1")
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with open(file, "w", encoding="utf-8") as log:  # noqa: PTH123
            log.write(line)


def read_losses(state_dir: str, since: float) -> Sequence[Loss]:
    """Return the failures since a moment, oldest first."""
    losses = []
    for line in _read_lines(log_path(state_dir)):
        try:
            at, event, host, ms, reason = json.loads(line)
            loss = Loss(float(at), str(event), str(host), int(ms), str(reason))
        except (ValueError, TypeError):
            continue
        if loss.at >= since:
            losses.append(loss)
    return losses


def _read_lines(path: str) -> Iterator[str]:
    """Return the lines of the older file and of the present one, as far as they can be read. A file
    that becomes the older one meanwhile is neither missed nor read twice."""
    files: dict[int, list[str]] = {}
    for name in (path, f"{path}.1"):
        with suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            files.setdefault(os.fstat(file.fileno()).st_ino, file.readlines())
    return chain.from_iterable(reversed(files.values()))


def forget_losses(state_dir: str, tells: Callable[[str], bool]) -> None:
    """Remove from the log the lines for which `tells` returns True. Raises OSError."""
    for path in (f"{log_path(state_dir)}.1", log_path(state_dir)):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                lines = file.readlines()
        except FileNotFoundError:
            continue
        kept = []
        for line in lines:
            try:
                said = " ".join(map(str, json.loads(line)))
            except (ValueError, TypeError):
                said = line
            if not tells(said):
                kept.append(line)
        if len(kept) < len(lines):
            number = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(number, "w", encoding="utf-8") as file:  # noqa: PTH123
                file.writelines(kept)
            os.replace(f"{path}.new", path)


@dataclass(slots=True, eq=False)
class Times:
    """The times of the hooks of one event since a moment, in milliseconds: the median, the 95th
    percentile and the budget, with the number of hooks and of those that a server answered."""

    event: str
    count: int
    median: int
    p95: int
    budget: int
    warm: int


def read_times(state_dir: str, since: float) -> Sequence[Times]:
    """Return the times of each event since a moment (epoch seconds), in the order of a session."""
    took: dict[str, list[int]] = {event: [] for event in BUDGETS}
    warm = dict.fromkeys(BUDGETS, 0)
    for line in _read_lines(os.path.join(state_dir, TIMES)):
        try:
            at, event, _, ms, answered = line.split()
            if int(at) >= since and event in took:
                took[event].append(int(ms))
                warm[event] += int(answered)
        except ValueError:
            continue
    return [
        Times(
            event,
            len(found),
            sorted(found)[len(found) // 2],
            sorted(found)[min(len(found) - 1, int(0.95 * len(found)))],
            round(BUDGETS[event] * 1000),
            warm[event],
        )
        for event, found in took.items()
        if found
    ]


def describe_cold(times: Sequence[Times]) -> str:
    """Return in words how many hooks of each event no bridge answered, "" without hooks."""
    shares = [f"{one.count - one.warm} of {one.count} {one.event}" for one in times]
    return f"cold in the last 7 days: {', '.join(shares)}" if shares else ""
