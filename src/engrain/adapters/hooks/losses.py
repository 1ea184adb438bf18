"""The log of what hooks could not do: a host shows nobody a hook that fails, so doctor does."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engrain.adapters.hooks.missed import append_loss
from engrain.adapters.hooks.missed import log_path as log_path
from engrain.language.secrets.finding import redact

_LONGEST = 300
_READ = 4096  # characters of a reason: far beyond those that are kept


@dataclass(slots=True, eq=False)
class Loss:
    """One thing that was lost: when, at which event of which host, after how long, and why."""

    at: float
    event: str
    host: str
    ms: int
    reason: str


def note_loss(state_dir: str, loss: Loss) -> None:
    """Add it to the log, less secrets. Never raises."""
    reason = redact(" ".join(loss.reason[:_READ].split()))[0][:_LONGEST]
    append_loss(state_dir, loss.at, loss.event, loss.host, loss.ms, reason)


def read_losses(state_dir: str, since: float) -> Sequence[Loss]:
    """The losses since a moment, oldest first."""
    losses = []
    for path in (f"{log_path(state_dir)}.1", log_path(state_dir)):
        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123
                lines = file.readlines()
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            try:
                at, event, host, ms, reason = json.loads(line)
                loss = Loss(float(at), str(event), str(host), int(ms), str(reason))
            except (ValueError, TypeError):
                continue
            if loss.at >= since:
                losses.append(loss)
    return losses


def forget_losses(state_dir: str, tells: Callable[[str], bool]) -> None:
    """Take out of the log the lines whose reason `tells` of something. Raises OSError."""
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


def make_loss(event: str, host: str, started: float, reason: str) -> Loss:
    """A loss of now, at an event that began at `started` (monotonic)."""
    return Loss(time.time(), event, host, int((time.monotonic() - started) * 1000), reason)
