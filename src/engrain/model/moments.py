"""Reads the times that callers of the Python API give."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import overload

from engrain.language.text.instants import parse_dated, parse_end, parse_local, parse_moment
from engrain.model.errors import UsageError

When = datetime | str | float
"""A time: a `datetime`, ISO 8601 text, or seconds since the epoch. A `datetime` or text without an
offset is local time."""


@overload
def read_when(when: When) -> float: ...
@overload
def read_when(when: When | None) -> float | None: ...
def read_when(when: When | None) -> float | None:
    """Return a bound in epoch seconds: a date alone is that day's local midnight. Raises UsageError
    for a text that is no time, as the other functions here do."""
    return _read(when, parse_local)


def read_date(when: When | None) -> float | None:
    """Return when something was, in epoch seconds: a date alone is that date everywhere."""
    return _read(when, parse_dated)


def read_end(when: When | None) -> float | None:
    """Return the moment up to which something holds, in epoch seconds: a date alone is the end of
    that day by this device's clock."""
    return _read(when, parse_end)


@overload
def read_moment(when: When) -> float: ...
@overload
def read_moment(when: When | None) -> float | None: ...
def read_moment(when: When | None) -> float | None:
    """Return the moment to look from, in epoch seconds: a date alone is a moment of that day."""
    return _read(when, parse_moment)


def _read(when: When | None, parse: Callable[[str], float]) -> float | None:
    if when is None or isinstance(when, int | float):
        return when
    try:
        return when.timestamp() if isinstance(when, datetime) else parse(when)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{str(when)[:40]!r} is no time",
            remedy="give a datetime, ISO 8601 text such as 2026-11-28T09:30, or epoch seconds",
        ) from None
