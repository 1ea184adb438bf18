"""What there is to say of a stretch of work: the entries of its project that were made in it, and
what was learned from those (S1.17).

What waits for somebody's word, and what was forgotten, says nothing. Of a session, what another one
left at the same time is another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from engrain.engine.core.store import Store
from engrain.engine.verbs.records import read_rows
from engrain.language.text.instants import read_instant
from engrain.language.text.slugs import slugify
from engrain.lifecycle.sessions.sessions import ASKED
from engrain.lifecycle.sessions.sessions import DAY as BY_DAY
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.experience.crystal import QUESTION, SESSION, SINCE, Line, Span
from engrain.model.experience.handoff import KIND as HANDOFF
from engrain.model.experience.traces import Trace
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.daily import OFFSET, read_lines
from engrain.model.facts.entity import KIND as ENTITY
from engrain.model.facts.entity import read_entity
from engrain.model.facts.fact import Fact
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import LEARNING, JsonNote
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE, WORKING
from engrain.seam.rows import Filter

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


EPISODE = "episode"
PATTERNS = ("pattern", "anti-pattern")
NOTES = (
    "decision", "fix", "insight", "workflow", "domain-reference", "memory", "design", "idea",
    "commitment", "preference", "feedback", "opinion",
)  # fmt: skip
"""Kinds of notes that a digest contains; patterns and learnings come by the episodes they name."""

_STATUSES = (ACTIVE, "archived", "superseded")
_MOST = 500
"""Entries of one sort that are read, the newest: a digest of more would show none of them."""
_MOST_ENTITIES = 200
_MINUTE = 60.0  # seconds: a line of a day's note gives no shorter time
_SLACK = 1.0  # seconds: when a phase ended is written without the part of a second


@dataclass(slots=True, eq=False)
class Material:
    """What was found, each in the order in which it happened. `facts` and `days` come with the id
    of the entry that contains them, `days` also with the moment."""

    episodes: list[Trace] = field(default_factory=list, init=False)
    notes: list[Entry] = field(default_factory=list, init=False)
    learned: list[Entry] = field(default_factory=list, init=False)
    handoffs: list[Entry] = field(default_factory=list, init=False)
    facts: list[tuple[str, Fact]] = field(default_factory=list, init=False)
    days: list[tuple[str, float, str]] = field(default_factory=list, init=False)

    @property
    def ids(self) -> list[str]:
        """The ids of all that it is, in a fixed order."""
        entries = (*self.notes, *self.learned, *self.handoffs)
        facts = (f"{id_}#{fact.id}" for id_, fact in self.facts)
        days = (f"{id_}@{at:.0f}" for id_, at, _ in self.days)
        made = (trace.id for trace in self.episodes)
        return sorted({*made, *(entry.id for entry in entries), *facts, *days})


def gather(store: Store, span: Span) -> Material:
    """Gather what a span's project made in it. The index has to be ready."""
    found = Material()
    sessions = {span.name} if span.scope == SESSION else set()
    for entry in _list(store, span, EPISODE):
        note = entry.note
        if isinstance(note, JsonNote) and _is_own(entry, span):
            at = read_instant(note.document.get("timestamp")) or entry.created or 0.0
            found.episodes.append(Trace(entry.id, note.document, project=span.project, at=at))
            sessions.add(text_of(entry.source.get("ref")))
    found.notes = [entry for entry in _list(store, span, *NOTES) if _is_own(entry, span)]
    sessions.update(text_of(entry.source.get("ref")) for entry in found.notes)
    replaced = {entry.supersedes for entry in found.notes}
    found.notes = [entry for entry in found.notes if entry.id not in replaced]
    found.handoffs = _list(store, span, HANDOFF)
    found.learned = list(_list_learned(store, [trace.id for trace in found.episodes]))
    found.facts = list(_list_facts(store, span, sessions - {""}))
    found.days = list(_list_days(store, span))
    return found


def _list(store: Store, span: Span, *kinds: str) -> list[Entry]:
    """The entries of these kinds that the project made in the span, oldest first."""
    only = Filter(
        kinds=kinds,
        projects=(span.project,),
        statuses=_STATUSES,
        zones=(LIVE, ARCHIVE, WORKING),
        since=span.began,
        until=span.ended + _SLACK,
    )
    rows = store.index.find(only, _MOST)[::-1]
    return [entry for row, entry in read_rows(store, rows) if entry.id == row.id]


def _is_own(entry: Entry, span: Span) -> bool:
    # A client's connection is no session of its host, which it can't name.
    unnamed = entry.source.get("kind") == "mcp"
    ref = "" if unnamed else text_of(entry.source.get("ref"))
    return span.scope != SESSION or not ref or ref == span.name


def _list_learned(store: Store, episodes: Sequence[str]) -> Iterator[Entry]:
    """The patterns, mistakes and learnings that name some episodes."""
    rows = [
        row
        for row in (store.index.derived_from(episodes) if episodes else ())
        if row.kind in (*PATTERNS, LEARNING) and row.status == ACTIVE
    ]
    yield from (entry for _, entry in read_rows(store, rows[:_MOST]))


def _list_facts(store: Store, span: Span, sessions: Iterable[str]) -> Iterator[tuple[str, Fact]]:
    """Yield the facts about the project itself, and every fact that its sessions stated."""
    refs, own = set(sessions), slugify(span.project, "")
    only = Filter(kinds=(ENTITY,), statuses=(ACTIVE,))
    rows = (row for row in store.index.find(only) if (row.updated or 0.0) >= span.began)
    for row, entry in read_rows(store, islice(rows, _MOST_ENTITIES)):
        if not isinstance(entry.note, JsonNote) or (not refs and row.slug != own):
            continue
        for fact in read_entity(entry.note.document, entry.note.own, row.slug).active:
            at = read_instant(fact.created_at)
            within = at is not None and span.began <= at <= span.ended + _SLACK
            if within and (row.slug == own or fact.source_ref in refs):
                yield entry.id, fact


def _list_days(store: Store, span: Span) -> Iterator[tuple[str, float, str]]:
    """The lines of the day's notes that were said in the project."""
    if not span.project:
        return
    only = Filter(kinds=(DAILY,), statuses=_STATUSES, since=span.began - 2 * DAY)
    rows = store.index.find(only.replace(until=span.ended + _SLACK), _MOST)[::-1]
    for _, entry in read_rows(store, rows):
        lines = read_lines(entry.note.body, entry.slug, text_of(entry.fields.get(OFFSET)))
        for at, project, text in lines:
            if project == span.project and span.began - _MINUTE < at <= span.ended:
                yield entry.id, at, text
