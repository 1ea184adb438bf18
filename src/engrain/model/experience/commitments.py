"""Commitments: promises, and what became of each (S3.8).

An entry of the kind `commitment` has a `state` (open, kept or broken) and may have `due`, a date.
"""

from __future__ import annotations

from engrain.language.text.instants import format_instant, parse_instant, read_instant
from engrain.model.errors import UsageError
from engrain.model.note.entry import COMMITMENT_STATES, Entry

KIND = "commitment"
STATES = OPEN, KEPT, BROKEN = COMMITMENT_STATES

_DAY = 86_400.0


class Commitment:
    """One promise: `due` is the instant (epoch seconds, UTC) its day begins at, None without."""

    __slots__ = ("due", "entry", "state")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.state = read_state(entry)
        self.due = read_instant(entry.fields.get("due"))

    def overdue(self, now: float) -> bool:
        """Whether it is open still and its day has passed."""
        return self.state == OPEN and self.due is not None and now >= self.due + _DAY

    def order(self) -> tuple[int, float, float]:
        """What is open first, then by what is due first, then the oldest first."""
        due = self.due if self.due is not None else float("inf")
        return STATES.index(self.state), due, self.entry.created or 0.0


def read_state(entry: Entry) -> str:
    """The state of an entry; one that says none of the three is open."""
    state = entry.fields.get("state")
    return state if isinstance(state, str) and state in STATES else OPEN


def read_due(text: str) -> str:
    """A date as the field has it. Raises UsageError."""
    try:
        return format_instant(parse_instant(text))[:10]
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no date", remedy="give a date such as 2026-09-01") from None
