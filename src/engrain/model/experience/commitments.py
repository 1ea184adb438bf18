"""Commitments: promises, and what became of each (S3.8).

An entry of the kind `commitment` has a `state` (open, kept or broken) and may have `due`, a date.
"""

from __future__ import annotations

from collections.abc import Mapping

from engrain.language.text.instants import (
    format_day,
    format_instant,
    parse_instant,
    read_instant,
    to_local,
)
from engrain.model.errors import UsageError
from engrain.model.note.entry import COMMITMENT_STATES, Entry
from engrain.model.note.tiers import COMMITMENT

KIND = COMMITMENT
STATES = OPEN, KEPT, BROKEN = COMMITMENT_STATES

_DAY = 86_400.0


class Commitment:
    """One promise. `due` is when its day begins (epoch seconds, UTC), None if it has none."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.state = read_state(entry)
        self.due = read_instant(entry.fields.get("due"))

    def overdue(self, now: float) -> bool:
        """Whether the promise is still open and its day has passed."""
        return self.state == OPEN and self.due is not None and to_local(now) >= self.due + _DAY

    def order(self) -> tuple[int, float, float]:
        """Return the sort key: open promises first, then by due date, then the oldest first."""
        due = self.due if self.due is not None else float("inf")
        return STATES.index(self.state), due, self.entry.created or 0.0


def read_state(entry: Entry) -> str:
    """Return the state of an entry, OPEN if it has none of the three."""
    state = entry.fields.get("state")
    return state if isinstance(state, str) and state in STATES else OPEN


def read_due(text: str) -> str:
    """Return a date in the form of the field. Raises UsageError."""
    try:
        return format_instant(parse_instant(text))[:10]
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no date", remedy="give a date such as 2026-09-01") from None


def read_standing(fields: Mapping[str, object], now: float) -> tuple[str, float | None]:
    """Return the state of the promise with these fields in words ("kept", "open, overdue since
    2026-09-02"), and when its day begins."""
    state = fields.get("state")
    due = read_instant(fields.get("due"))
    if state in STATES and state != OPEN:
        return str(state), due
    if due is None:
        return OPEN, None
    day = due if to_local(now) < due + _DAY else due + _DAY
    since = "due" if day == due else "overdue since"
    return f"{OPEN}, {since} {format_day(day)}", due
