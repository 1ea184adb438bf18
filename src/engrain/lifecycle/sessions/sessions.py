"""Sessions: the events of each in the journal, what it was given, and its marks (S1.20, S3.4).

A mark says that there is something to reflect on: a turn ended, the context is about to be
compacted, the session ended or was abandoned. Recalls are noted here and folded into the vault once
the session has ended (`folding`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from engrain.language.text.instants import format_instant
from engrain.model.errors import UsageError
from engrain.model.settings import read_session_limit
from engrain.seam.journal import PROBE, Event

if TYPE_CHECKING:
    from engrain.engine.core.recalled import Recall
    from engrain.state.journals import SessionJournal


START = "start"
GIVEN = "given"
RECALLED = "recalled"
USED = "used"
ASKED = "asked"
TOUCHED = "touched"
SILENT = "silent"
FOLDED = "folded"
STOP = "stop"
COMPACT = "pre-compact"
END = "session-end"
LEFT = "left"

MARKS = (STOP, COMPACT, END, LEFT)
"""The events after which there is something to reflect on."""

LEFT_AFTER = 12 * 3600.0
"""Seconds without an event after which a session counts as abandoned: its host was killed, or has
no event for the end."""

FORGETFUL = ("startup", "clear", "compact")
"""Sources of a session's start after which its context is empty. Into a resumed session the host
puts the context again."""


_OPEN_WITHIN = 7 * 86_400.0
_LOOKED_AT = 8
"""The seconds, and the number of ended sessions, in which a request without an end is searched."""

_LONGEST = 200
DAY = "day-"
"""The prefix of the session of a day (UTC), to which recalls outside of any session belong."""


def start_session(
    journal: SessionJournal, session: str, at: float, *, source: str, **details: str
) -> list[str]:
    """Note that a session starts, and close abandoned ones; return the ids of those."""
    left = sweep_left(journal, at)
    _note(journal, session, Event(START, at, {"session": session, "source": source, **details}))
    return left


def check_session(session: str) -> str:
    """Check an id that a caller chose. Raises UsageError for an invalid one."""
    try:
        session.encode()
    except UnicodeEncodeError:
        session = ""
    if not session or len(session) > _LONGEST or not session.isprintable():
        raise UsageError(
            "not a valid session id", remedy="give up to 200 printable characters, or none"
        )
    return session


def begin_session(journal: SessionJournal, session: str, at: float, *, project: str = "") -> None:
    """Begin a session and make it the current one; the former one counts as abandoned."""
    if before := journal.current():
        mark_session(journal, before, at, LEFT)
        journal.close(before)
    start_session(journal, session, at, source="startup", project=project)
    journal.set_current(session)


def note_given(journal: SessionJournal, session: str, at: float, ids: Iterable[str]) -> None:
    """Note which entries the session has in its context now."""
    given = list(ids)
    if given:
        _note(journal, session, Event(GIVEN, at, {"ids": given}))


def note_recalled(
    journal: SessionJournal,
    session: str,
    at: float,
    ids: Sequence[str],
    again: Sequence[str] = (),
    *,
    leading: Sequence[str] | None = None,
    project: str = "",
    asked: str = "",
    unanswered: bool = False,
    rest: Mapping[str, object] | None = None,
) -> None:
    """Note which entries a recall brought, and which it found `again`: those that the session had
    already. Only the `leading` ones count, None for all. Without a session the day's is meant.
    `asked` is the prompt, "" for none; it is `unanswered` where time ran out first. `rest` is the
    result of `describe_rest`, and noted only within a session."""
    details: dict[str, object] = {"text": asked, **({"unanswered": True} if unanswered else {})}
    events = [Event(ASKED, at, details)] if asked else []
    if ids or again:
        counted = list(ids if leading is None else leading)
        details = {"ids": list(ids), "leading": counted, "project": project}
        if again:
            details["again"] = list(again)
        events.append(Event(RECALLED, at, {**details, **(rest or {})}))
    elif rest and session:
        events.append(Event(SILENT, at, rest))
    _note(journal, session or day_session(at), *events)


def describe_rest(recall: Recall) -> dict[str, object]:
    """Describe why a recall gave nothing, or not all that it found: `why` is "limit" (the session
    is full), "weak" (`left` entries came near, at a `relevance`), "budget" (`left` more did not
    fit) or "nothing" (there was none). Empty where it gave all."""
    if recall.exhausted:
        return {"why": "limit"}
    if recall.rejected:
        return {"why": "weak", "left": recall.withheld, "relevance": round(recall.relevance, 2)}
    if recall.over_budget:
        return {"why": "budget", "left": recall.over_budget}
    return {} if recall.given or recall.again else {"why": "nothing"}


def last_asked(journal: SessionJournal, session: str) -> str:
    """Return the last prompt of a session, "" where none was noted."""
    asked = [event for event in journal.read(session) if event.name == ASKED] if session else []
    return str(asked[-1].details.get("text", "")) if asked else ""


def find_open_requests(
    journal: SessionJournal, session: str, project: str, at: float, *, compacted: bool = False
) -> list[tuple[float, str]]:
    """Return what sessions of a project were asked and did not finish, each with its moment, oldest
    first: they were killed, or still work. A request from before another session of the project
    started is left out. `session` starts now: its own counts if its context was `compacted`."""
    own = journal.name_of(session)
    found = _read_recent(journal, project, at) if project else {}
    mine = found.pop(own, [])
    begun = {name: events[0].at for name, events in found.items()}
    requests = []
    for name, events in (*found.items(), *([(own, mine)] if compacted else [])):
        later = max((start for other, start in begun.items() if other != name), default=0.0)
        when, text = _find_open(events)
        if text and when > max(later, at - _OPEN_WITHIN):
            requests.append((when, text))
    return sorted(requests)


def _read_recent(journal: SessionJournal, project: str, at: float) -> dict[str, list[Event]]:
    """Return the events of the open and the last ended sessions that a host started in a project,
    each from its first start on."""
    ended = [name for name, last in journal.ended().items() if last > at - _OPEN_WITHIN]
    found = {}
    for name in (*ended[-_LOOKED_AT:], *journal.idle_since(at + 1.0)):
        events = journal.read(name)
        starts = [n for n, event in enumerate(events) if _is_start(event, project)]
        if starts:
            found[name] = events[starts[0] :]
    return found


def _is_start(event: Event, project: str) -> bool:
    details = event.details
    return event.name == START and "host" in details and details.get("project") == project


def _find_open(events: Iterable[Event]) -> tuple[float, str]:
    """Return the moment and the last two prompts of a turn that did not end, "" for none."""
    texts: list[str] = []
    at = 0.0
    for event in events:
        if event.name in (STOP, END):
            texts.clear()
        elif event.name == ASKED:
            texts.append(str(event.details.get("text", "")))
            at = event.at
    return at, " / ".join(text for text in texts[-2:] if text)


def list_unanswered(events: Iterable[Event]) -> list[str]:
    """Return the last prompts of a session for which no recall was in time, oldest first."""
    texts: list[str] = []
    for event in events:
        if event.name == ASKED and event.details.get("unanswered"):
            texts.append(str(event.details.get("text", "")))
        elif event.name in (ASKED, START):
            texts.clear()
    return texts


def note_used(journal: SessionJournal, session: str, at: float, ids: Sequence[str]) -> None:
    """Note which entries were used: read by their ids, or confirmed as useful."""
    if ids:
        _note(journal, session or day_session(at), Event(USED, at, {"ids": list(ids)}))


def note_touched(
    journal: SessionJournal, session: str, at: float, events: Iterable[Event], paths: Sequence[str]
) -> list[str]:
    """Note the files that a session touches, by hashes of their paths; return those that it had not
    touched since its context was last empty, all where there is no session. `events` are the
    session's so far."""
    before: set[str] = set()
    for event in events:
        if event.name == START and event.details.get("source") in FORGETFUL:
            before.clear()
        if event.name == TOUCHED:
            before.update(ids_of(event, "files"))
    hashes = {
        path: blake2b(path.encode(errors="replace"), digest_size=6).hexdigest() for path in paths
    }
    new = [path for path in hashes if hashes[path] not in before]
    if new and session:
        _note(journal, session, Event(TOUCHED, at, {"files": [hashes[path] for path in new]}))
    return new


def mark_session(
    journal: SessionJournal, session: str, at: float, mark: str, **details: str
) -> None:
    """Note a mark; the mark of the end closes the session."""
    _note(journal, session, Event(mark, at, details))
    if mark == END and session:
        journal.close(session)
        if journal.current() == session:
            journal.set_current("")


def list_given(journal: SessionJournal, session: str) -> list[str]:
    """List the ids of the entries in a session's context, the latest last."""
    return find_given(journal.read(session)) if session else []


def find_given(events: Iterable[Event]) -> list[str]:
    """List the same from the session's events."""
    given: dict[str, None] = {}
    for event in events:
        if event.name == START and event.details.get("source") in FORGETFUL:
            given.clear()
        for id_ in ids_of(event) if event.name in (GIVEN, RECALLED) else ():
            given.pop(id_, None)
            given[id_] = None
    return list(given)


def ids_of(event: Event, name: str = "ids") -> list[str]:
    """Return the ids in an event."""
    ids = event.details.get(name)
    return [str(id_) for id_ in ids] if isinstance(ids, list) else []


def day_session(at: float) -> str:
    """Return the id of a day's session."""
    return DAY + format_instant(at)[:10]


def room_left(settings: Mapping[str, str | None], given: Sequence[str]) -> int:
    """Return how many more entries a session may be given (S3.9). Raises ConfigError."""
    return max(0, read_session_limit(settings) - len(given))


def sweep_left(journal: SessionJournal, now: float) -> list[str]:
    """Mark and close the abandoned sessions; return their ids."""
    left: Sequence[str] = journal.idle_since(now - LEFT_AFTER)
    for session in left:
        mark_session(journal, session, now, LEFT)
        journal.close(session)
    return list(left)


def _note(journal: SessionJournal, session: str, *events: Event) -> None:
    if events and session and not session.startswith(PROBE):
        journal.append(session, *events)
