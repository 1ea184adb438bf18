"""Reads what the arguments of commands say: times and texts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from engrain.language.text.instants import parse_dated, parse_end, parse_local, parse_moment
from engrain.model.errors import UsageError

if TYPE_CHECKING:
    from engrain.engine.core.scope import Scope
    from engrain.engine.verbs.listing import Listing

T = TypeVar("T")
_SPANS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}


def read_when(text: str | None) -> float | None:
    """Read a date or a date and time by this device's clock, or a span back from now. Raises
    UsageError."""
    return _read_time(text, parse_local)


def read_date(text: str | None) -> float | None:
    """Read when something was: a date alone is that date everywhere. Raises UsageError."""
    return _read_time(text, parse_dated)


def read_end(text: str | None) -> float | None:
    """Read up to when something holds: a date alone is the end of that day by this device's clock.
    Raises UsageError."""
    return _read_time(text, parse_end)


def read_moment(text: str | None) -> float | None:
    """Read the moment to look from; a date alone means one on that day. Raises UsageError."""
    return _read_time(text, parse_moment)


def _read_time(text: str | None, read: Callable[[str], float]) -> float | None:
    if text is None:
        return None
    try:
        if text[:-1].isdecimal() and text[-1] in _SPANS:
            return time.time() - int(text[:-1]) * _SPANS[text[-1]]
        return read(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no time", remedy="give a date such as 2026-09-01, or a span such as 7d"
        ) from None


def read_text(given: str | None) -> str:
    """Read a text argument, where `-` means standard input. Raises UsageError."""
    if given != "-":
        return given or ""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None


def list_here(ask: Callable[[bool], Sequence[T]], everywhere: bool) -> tuple[Sequence[T], int]:
    """Return what `ask` gives for the current project, or all with `everywhere`; and if that is
    nothing, how many there are in other projects."""
    found = ask(everywhere)
    return found, 0 if found or everywhere else len(ask(True))


def count_elsewhere(listing: Listing, scope: Scope, ask: Callable[[Scope], Listing]) -> int:
    """Return how many entries of other projects an empty listing by a scope left out; `ask` lists
    entries by another scope."""
    if listing.total or scope.all_projects:
        return 0
    return ask(replace(scope, all_projects=True)).total
