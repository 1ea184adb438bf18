"""`today`: adds a line to the day's note, safely beside other writers (S4.2)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engrain.engine.core.attesting import least
from engrain.engine.core.outcomes import CREATED, UPDATED
from engrain.engine.core.redaction import Redaction, check_text
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor, Store, try_again
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.language.text.instants import format_instant
from engrain.model.errors import IndexUnavailableError, NotFoundError, UsageError
from engrain.model.facts.daily import (
    KIND,
    OFFSET,
    LocalTime,
    append_line,
    compose_line,
    place_of,
    sign_session,
)
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import MAX_NOTE_BYTES, Note, hash_bytes
from engrain.model.note.tiers import ACTIVE, EXTERNAL
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import Stored, hash_of

OP, LEARNED = "today", "learn"
"""The history's names for a line that somebody added to a day's note, and for a session's line."""
_LONGEST = 16_000
"""Characters of one line: more is a note of its own."""
_NEAR = 0.9
"""The share of a note's limit from which it is reported as nearly full."""
_ATTEMPTS = 200


@dataclass(slots=True, eq=False)
class Noted:
    """A line that was added: `outcome` is `created` for the day's first, else `updated`; `redacted`
    names the rules of replaced secrets."""

    outcome: str
    entry: Entry
    day: str
    line: str
    redacted: tuple[str, ...]

    @property
    def left(self) -> int:
        """How many bytes the note may still grow."""
        return MAX_NOTE_BYTES - len(self.entry.note.raw)

    @property
    def nearly_full(self) -> bool:
        """Whether the note has hardly any room left."""
        return self.left < MAX_NOTE_BYTES * (1 - _NEAR)


def append_today(store: Store, text: str) -> Noted:
    """Add a text to the note of the day, under the local time, with the current project before
    it."""
    noted = _append(store, text)
    assert noted is not None
    return noted


def note_session(store: Store, session: str, text: str, at: float) -> Noted | None:
    """Add the line of a session to the note of the day on which it ended, in epoch seconds; None
    where the note has one, or is gone. It counts as learned. Raises as `append_today`."""
    return _append(store, text, session, at)


def _append(store: Store, text: str, session: str = "", at: float | None = None) -> Noted | None:
    redaction = Redaction(store)
    text = redaction.clean(_check(text))
    text = sign_session(text, session) if session else text
    project = redaction.clean(store.project or "")
    # Without an index no bytes are explained, so all count as another program's.
    store.upkeep.ensure(scan=False)

    def write() -> Noted | None:
        writing = _Writing(store, text, project, at)  # each attempt has a time of its own
        if session and (not writing.live or sign_session("", session) in writing.found):
            return None
        entry = writing.commit(LEARNED, "the line of a session") if session else writing.commit()
        outcome = CREATED if writing.before is None else UPDATED
        return Noted(outcome, entry, writing.local.day, writing.line, redaction.rules)

    return try_again(write, _ATTEMPTS, store.pause)


def read_today(store: Store) -> tuple[str, Entry | None]:
    """Return the current day (YYYY-MM-DD) and its note, None where there is none. Raises
    MalformedError."""
    day = _read_time(store.clock.now()).day
    try:
        entry = store.read_entry(make_locator(place_of(day)))
    except NotFoundError:
        return day, None
    return day, entry if entry.status == ACTIVE else None


class _Writing:
    """One attempt to add a line: the moment, the note as it is, and as it will be."""

    def __init__(self, store: Store, text: str, project: str, at: float | None = None) -> None:
        self._store = store
        self.at = store.clock.now() if at is None else at
        self.local = _read_time(self.at)
        self.place: Locator = make_locator(place_of(self.local.day))
        self.before = store.find_stored(self.place)
        self.live = True
        note = self._start() if self.before is None else self._go_on(self.before)
        noted = note.fields.get(OFFSET)
        offset = noted if isinstance(noted, str) else None
        self.found = note.body
        self.line = compose_line(self.local, text, noted=offset, project=project)
        body = append_line(note.body, self.line, note.eol)
        self._note = Note(note.head, note.front, note.fence, body)
        if len(self._note.raw) > MAX_NOTE_BYTES:
            raise UsageError(
                f"the note of {self.local.day} is full: it would have {len(self._note.raw)} bytes,"
                f" and {MAX_NOTE_BYTES} is the most",
                path=self.place,
                remedy="file it as an entry of its own, with `engrain save`",
            )

    def commit(self, op: str = OP, reason: str = "") -> Entry:
        """Write it. Raises ConflictError where another was quicker."""
        store, trust = self._store, self._store.actor.trust
        entry = Entry(self.place, self._note, hash_bytes(self._note.raw))
        if self.before is not None:
            store.preserve(self.place, self.before, entry.id)
            try:  # adding a line to bytes does not make them more trusted
                row = store.find_row(self.place, self.before.hash)
            except IndexUnavailableError:
                row = None
            trust = least(trust, counted_origin(row, store) if row else EXTERNAL)
        write = Write(self.place, self._note.raw, entry.id, hash_of(self.before))
        actor = Actor(store.actor.agent, trust)
        store.commit(op, [write], actor=actor, known=[entry], reason=reason)
        return entry

    def _start(self) -> Note:
        fields = {"kind": KIND, OFFSET: self.local.offset}
        source = stamp_source(self._store.actor, OP, None)
        return compose_new(self._store, fields, self._title(), source)

    def _go_on(self, before: Stored) -> Note:
        """Return the existing note; a person's note without frontmatter gets none. A forgotten note
        begins anew, its text stays in the history."""
        entry = read_entry(self.place, before.raw)
        note = entry.note
        self.live = entry.status == ACTIVE
        if not self.live:
            note = note.patch({"status": ACTIVE}, removed=("deleted_at",))
        if entry.status == "deleted":
            note = note.patch({OFFSET: self.local.offset}).with_body(self._title())
        if "updated" in entry.fields:
            note = note.patch({"updated": format_instant(self._store.clock.now())})
        return note

    def _title(self) -> str:
        return f"# {self.local.day}\n\n"


def _read_time(at: float) -> LocalTime:
    return LocalTime(at, time.localtime(at).tm_gmtoff)


def _check(text: str) -> str:
    text = check_text(text).replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise UsageError("there is nothing to note", remedy="give a text, or - for standard input")
    if len(text) > _LONGEST:
        raise UsageError(
            f"a line of {len(text)} characters is over {_LONGEST}",
            remedy="file it as an entry of its own, with `engrain save`",
        )
    return text
