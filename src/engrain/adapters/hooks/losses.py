"""The logs of hooks: their failures, which no host shows but `doctor` does, and their times."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from engrain.adapters.hooks.answers import BUDGETS, TIMES
from engrain.adapters.hooks.missed import append_loss
from engrain.adapters.hooks.missed import log_path as log_path
from engrain.language.secrets.finding import redact

_LONGEST = 300
_READ = 4096  # characters in which secrets are searched: many more than are kept


@dataclass(slots=True, eq=False)
class Loss:
    """A failure of a hook: its time, event, host, duration and reason."""

    at: float
    event: str
    host: str
    ms: int
    reason: str


def note_loss(state_dir: str, loss: Loss) -> None:
    """Add a failure to the log, without secrets. Never raises."""
    reason = redact(" ".join(loss.reason[:_READ].split()))[0][:_LONGEST]
    append_loss(state_dir, loss.at, loss.event, loss.host, loss.ms, reason)


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
