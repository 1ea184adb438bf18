"""Sessions: where one begins, what it was given, what it leaves to be learned from (S1.20).

A session's marks say that there is something to reflect on: a turn ended, the context is about to
be compacted, the session ended, or it was left without a word.
"""

from __future__ import annotations

from engrain.seam.journal import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engrain.seam.journal import SessionJournal

START = "start"
GIVEN = "given"
STOP = "stop"
COMPACT = "pre-compact"
END = "session-end"
LEFT = "left"

MARKS = (STOP, COMPACT, END, LEFT)
"""The events after which there is something to reflect on."""

LEFT_AFTER = 12 * 3600.0
"""Seconds without an event after which a session that did not end counts as left: its host was
killed, or has no event for the end."""

_FORGETFUL = ("startup", "clear", "compact")
"""How a session starts whose context has nothing of what was given before. A resumed one has: its
host puts it there again."""

PROBE = "doctor-"
"""How the id of a session begins that only tries the hooks: nothing is noted of it."""


def start_session(
    journal: SessionJournal, session: str, at: float, *, source: str, **details: str
) -> list[str]:
    """Note that a session starts, and that others were left; the ids of those."""
    left = sweep_left(journal, at)
    _note(journal, session, Event(START, at, {"session": session, "source": source, **details}))
    return left


def note_given(journal: SessionJournal, session: str, at: float, ids: Iterable[str]) -> None:
    """Note which entries the session has in its context now."""
    given = list(ids)
    if given:
        _note(journal, session, Event(GIVEN, at, {"ids": given}))


def mark_session(
    journal: SessionJournal, session: str, at: float, mark: str, **details: str
) -> None:
    """Leave a mark from which learning starts; at the end the session is closed."""
    _note(journal, session, Event(mark, at, details))
    if mark == END and session:
        journal.close(session)


def list_given(journal: SessionJournal, session: str) -> list[str]:
    """The ids of the entries in a session's context, the latest last."""
    given: dict[str, None] = {}
    for event in journal.read(session) if session else ():
        if event.name == START and event.details.get("source") in _FORGETFUL:
            given.clear()
        ids = event.details.get("ids") if event.name == GIVEN else None
        for id_ in ids if isinstance(ids, list) else ():
            given.pop(str(id_), None)
            given[str(id_)] = None
    return list(given)


def sweep_left(journal: SessionJournal, now: float) -> list[str]:
    """Mark and close the sessions that were left; their ids."""
    left: Sequence[str] = journal.idle_since(now - LEFT_AFTER)
    for session in left:
        mark_session(journal, session, now, LEFT)
        journal.close(session)
    return list(left)


def _note(journal: SessionJournal, session: str, event: Event) -> None:
    if session and not session.startswith(PROBE):
        journal.append(session, event)
