"""The stretches of work that a digest is made of, as far as sessions and clocks tell them (S1.17);
working memory has those of phases."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.store import Store
from engrain.lifecycle.sessions.sessions import ASKED
from engrain.lifecycle.sessions.sessions import DAY as BY_DAY
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.experience.crystal import QUESTION, SESSION, SINCE, Line, Span
from engrain.model.note.documents import text_of
from engrain.model.note.strength import DAY

RECENT = 14 * DAY
"""Seconds back to which the job looks: of older work it makes no digest unasked."""


def span_of_session(store: Store, session: str) -> Span:
    """A session, as this device noted it. Raises NotFoundError."""
    events = store.journal.read(session) if session else []
    if not events:
        raise NotFoundError(
            f"this device knows no session {session[:80]!r}",
            remedy="`engrain crystallize --since WHEN` takes a stretch of time instead",
        )
    projects = (text_of(event.details.get("project")) for event in reversed(events))
    asked = (text_of(event.details.get("text")) for event in events if event.name == ASKED)
    question = next((text for text in asked if text), "")
    return Span(
        SESSION,
        session,
        next((project for project in projects if project), ""),
        min(event.at for event in events),
        max(event.at for event in events),
        {QUESTION: [Line(question, [])]} if question else {},
    )


def span_since(store: Store, since: float, project: str) -> Span:
    """All that a project did since a moment (epoch seconds). Raises UsageError for one to come."""
    now = store.clock.now()
    if since > now:
        raise UsageError("that time is in the future")
    return Span(SINCE, "", project, since, now)


def recent_sessions(store: Store) -> Iterator[Span]:
    """The sessions that ended lately on this device."""
    for session, last in store.journal.ended().items():
        events = store.journal.read(session)
        named = next((text_of(event.details.get("session")) for event in events), "") or session
        if last >= store.clock.now() - RECENT and events and not named.startswith(BY_DAY):
            yield span_of_session(store, named)
