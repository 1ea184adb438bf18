"""Notes of working memory rewritten as wholes: read, changed, compared and swapped, several at once
where they belong together (S1.4).

Many agents and hooks write them at the same time, so whoever loses reads again and goes on.
"""

from __future__ import annotations

from engrain.engine.core.outcomes import CREATED, UNCHANGED, UPDATED, Outcome
from engrain.engine.core.redaction import check_text, clean_text
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor
from engrain.language.text.slugs import slugify
from engrain.model.errors import ConflictError, IndexUnavailableError, NotFoundError, UsageError
from engrain.model.note.entry import Entry
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import ACTIVE, EXTERNAL
from engrain.seam.locator import make_locator
from engrain.seam.storage import Write, hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from engrain.engine.core.store import Store
    from engrain.model.note.note import Note
    from engrain.seam.locator import Locator

Change: TypeAlias = "Callable[[Entry | None], Note | None]"
"""Makes of the entry that is there (None: nothing is) the note to be there, None for no
change. Called again where another was quicker, and may raise."""

OP = "work"
"""How the history calls a change of working memory."""

_ATTEMPTS = 200


def rewrite_notes(store: Store, changes: Mapping[str, Change]) -> dict[str, Outcome]:
    """Change the notes at these places in one commit; what became of each: `created`, `updated` or
    `unchanged`, and of a place where nothing is to be nothing.

    Raises ConflictError where others never let it; UsageError for an actor from outside, whose
    words can't stand among the operator's notes.
    """
    if store.actor.trust == EXTERNAL:
        raise UsageError(
            "what comes from outside can't write working memory", remedy="save it as an entry"
        )
    # An index that answers knows which bytes are explained; without, all count as another's.
    store.upkeep.ensure(scan=False)
    for attempt in range(_ATTEMPTS):
        draft = _Rewriting(store, changes)  # what a change raises is not tried again
        try:
            draft.commit()
        except ConflictError:
            if attempt == _ATTEMPTS - 1:
                raise
            store.pause(attempt)
        else:
            return draft.outcomes
    raise AssertionError("the last attempt returns or raises")


class _Rewriting:
    """One attempt: what was there, and what is to be."""

    def __init__(self, store: Store, changes: Mapping[str, Change]) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._store = store
        self._found: list[tuple[Locator, Entry | None]] = []
        self._known: list[Entry] = []
        for place, change in changes.items():
            locator = make_locator(place)
            before = read_note(store, locator)
            note = change(before)
            if before is not None and (note is None or note.raw == before.note.raw):
                self.outcomes[place] = Outcome(UNCHANGED, before)
            elif note is not None:
                self._add(locator, before, note)

    def _add(self, locator: Locator, before: Entry | None, note: Note) -> None:
        if before is not None:
            at = self._store.now
            note = note.patch({"id": before.id, "updated": at})
        from engrain.engine.verbs.save import check_size

        check_size(note)
        entry = Entry(locator, note, hash_bytes(note.raw))
        self.outcomes[locator] = Outcome(CREATED if before is None else UPDATED, entry)
        self._found.append((locator, before))
        self._known.append(entry)

    def commit(self) -> None:
        """Write it, if there is anything to write. Raises ConflictError."""
        if not self._known:
            return
        store, origins = self._store, [self._store.actor.trust]
        for locator, before in self._found:
            if before is not None:
                store.preserve(locator, store.backend.read(locator), before.id)
                origins.append(_origin_of(store, before))
        writes = [
            Write(locator, entry.note.raw, entry.id, hash_of(before))
            for entry, (locator, before) in zip(self._known, self._found, strict=True)
        ]
        from engrain.engine.core.attesting import least

        actor = Actor(store.actor.agent, least(*origins))
        store.commit(OP, writes, actor=actor, known=self._known)


def read_note(store: Store, place: str) -> Entry | None:
    """The entry at a place, None where none is. Raises MalformedError."""
    try:
        return store.read_entry(make_locator(place))
    except NotFoundError:
        return None


def read_live(store: Store, place: str) -> Entry | None:
    """Read the entry at a place, None where there is none or it was forgotten."""
    entry = read_note(store, place)
    return None if entry is None or entry.status == "deleted" else entry


def start_note(store: Store, kind: str, project: str, body: str) -> Note:
    """A new note of working memory, stamped with its origin."""
    from engrain.engine.verbs.save import compose_new, stamp_source

    fields = {"kind": kind, "slug": slugify(f"{kind} {project}", kind), "project": project}
    return compose_new(store, fields, body, stamp_source(store.actor, "harness", None))


def wake_note(entry: Entry) -> Note:
    """The note of an entry; one that was forgotten is in force again, since it is written to."""
    if entry.status == ACTIVE:
        return entry.note
    return entry.note.patch({"status": ACTIVE}, removed=("deleted_at",))


def open_note(store: Store, entry: Entry | None, kind: str, project: str, body: str) -> Note:
    """Return the note of an entry, in force again; a new one with this body where there is none."""
    return start_note(store, kind, project, body) if entry is None else wake_note(entry)


def clean_given(store: Store, text: str, what: str, most: int) -> str:
    """A text that was given, without secrets. Raises UsageError for what is no text, or is over
    `most` characters long."""
    check_text(text, what)
    if len(text) > most:
        raise UsageError(
            f"a {what} of {len(text)} characters is over {most}",
            remedy="working memory is short: save the rest as an entry and name it",
        )
    return clean_text(store, text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _origin_of(store: Store, entry: Entry) -> str:
    """Whom the bytes that are there come from: what is added to them raises nobody's word."""
    try:
        rows = store.index.lookup(entry.path)
    except IndexUnavailableError:
        return store.actor.trust
    found = (counted_origin(row, store.settings) for row in rows if row.locator == entry.path)
    return next(found, store.actor.trust)
