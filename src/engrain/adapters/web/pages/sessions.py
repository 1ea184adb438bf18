"""Sessions: the entries that each prompt got, used, saved and missed, by this device's journals."""

from __future__ import annotations

import time
from collections.abc import Iterator

from engrain.adapters.present.text import counted
from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.adapters.web.words import describe_changes
from engrain.api.memory import Memory
from engrain.lifecycle.sessions.sessions import (
    ASKED,
    END,
    FOLDED,
    GIVEN,
    LEFT,
    RECALLED,
    SILENT,
    START,
    STOP,
    TOUCHED,
    USED,
    ids_of,
)
from engrain.model.errors import NotFoundError
from engrain.seam.journal import Event

_SHOWN = 50
_MOST = 1000
_CHANGES = 1000
_AHEAD = 60.0
_READERS = 20


def show(ask: Ask) -> Answer:
    journal, limit = ask.memory.journal, ask.number("limit", _SHOWN, _MOST)
    names = list_sessions(ask.memory)
    found: list[dict[str, object]] = []
    for name, is_open in names[:limit]:
        events = journal.read(name)
        if not events:
            continue
        start = next((event for event in events if event.name == START), None)
        given = (event for event in events if event.name in (GIVEN, RECALLED))
        asked = [str(event.details.get("text", "")) for event in events if event.name == ASKED]
        found.append(
            {
                "name": name,
                "asked": asked[0] if asked else "",
                "prompts": len(asked),
                "silent": sum(event.name == SILENT for event in events),
                "open": is_open,
                "begun": events[0].at,
                "last": events[-1].at,
                "host": start.details.get("host", "") if start else "",
                "project": start.details.get("project", "") if start else "",
                "given": len({id_ for event in given for id_ in ids_of(event)}),
            }
        )
    return Page("sessions.html", {"sessions": found, "more": len(names) > limit, "next": limit * 2})


def show_one(ask: Ask) -> Answer:
    name, memory = ask.get("name"), ask.memory
    events = memory.journal.read(name) if name else []
    if not events:
        raise NotFoundError(f"this device has no record of the session {name[:80]!r}")
    ids = {id_ for event in events for word in ("ids", "again") for id_ in ids_of(event, word)}
    first, last = events[0].at, events[-1].at + _AHEAD
    changes = [
        one
        for one in memory.history(None, _CHANGES, since=first, until=last)
        if one.op not in ("fold", "map", "index")
    ]
    ids.update(one.entry for one in changes)
    losses = [one for one in ask.around.losses(first) if (one.at or 0.0) <= last]
    steps = [
        (
            event,
            [(id_, word) for word in ("ids", "again") for id_ in ids_of(event, word)],
            _describe_rest(event),
        )
        for event in events
    ]
    asked = next((str(one.details.get("text", "")) for one in events if one.name == ASKED), "")
    titles = memory.titles(sorted(ids))
    values = {
        "name": name,
        "asked": asked,
        "names": NAMES,
        "steps": steps,
        "titles": titles,
        "told": describe_changes(changes, titles),
        "losses": losses,
    }
    return Page("session.html", values)


NAMES = {
    START: "started",
    STOP: "answered",
    END: "ended",
    LEFT: "left open",
    TOUCHED: "touched files",
    FOLDED: "uses counted",
    ASKED: "asked",
    GIVEN: "given at the start",
    RECALLED: "given for the prompt",
    SILENT: "given nothing",
    USED: "used",
}
"""The page's words for events whose names are unclear."""


def _describe_rest(event: Event) -> str:
    """Return why a prompt got no entries, or not all that were found."""
    why, left = event.details.get("why"), event.details.get("left")
    count = counted(left if isinstance(left, int) else 0, "entry", "entries")
    if why == "weak":
        return f"{count} came near, but not enough: relevance {event.details.get('relevance')}"
    return {
        "limit": "the session had reached its limit (session.limit)",
        "budget": f"withheld: {count} more did not fit the budget",
        "nothing": "nothing in memory matched",
    }.get(str(why), "")


def list_sessions(memory: Memory) -> list[tuple[str, bool]]:
    """Return (name, whether it is open) of this device's sessions, the latest first."""
    journal = memory.journal
    opened = journal.idle_since(time.time() + _AHEAD)
    ended = [name for name, _ in sorted(journal.ended().items(), key=lambda one: -one[1])]
    return [(name, True) for name in opened] + [(name, False) for name in ended]


def list_readers(memory: Memory, id_: str) -> list[tuple[str, Event, str]]:
    """Return (session, event, prompt) of the latest events by which an entry came into a session;
    the prompt is "" if none is noted. Only the latest sessions are searched."""
    journal, found = memory.journal, list[tuple[str, Event, str]]()
    for name, _ in list_sessions(memory)[:_MOST]:
        if journal.read(name, telling=id_):
            found += _find_given(name, journal.read(name), id_)
        if len(found) >= _READERS:
            break
    return sorted(found, key=lambda one: -one[1].at)[:_READERS]


def _find_given(name: str, events: list[Event], id_: str) -> Iterator[tuple[str, Event, str]]:
    prompt, asked_at = "", 0.0
    for event in events:
        if event.name == ASKED:
            prompt, asked_at = str(event.details.get("text", "")), event.at
        elif event.name in (GIVEN, RECALLED, USED) and id_ in ids_of(event):
            # A prompt and the entries that it got are noted with the same time.
            yield name, event, prompt if event.at == asked_at else ""
