"""Reads and writes MEMORY.md for synthesis, and lists the lines it ever wrote (S4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engrain.engine.core.attesting import EXTERNAL, acting_from, effective_trust, least
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.history import bytes_after
from engrain.model.errors import ConflictError, EngrainError, NotFoundError
from engrain.model.facts.memory_page import PLACE, own_lines, start_page
from engrain.model.note.ids import path_id
from engrain.model.note.note import Note
from engrain.model.note.tiers import ACTIVE
from engrain.seam.locator import Locator
from engrain.seam.rows import Row
from engrain.seam.storage import Stored, Write

OP = "synthesize"
"""How the history calls what synthesis made of what is known."""
_HERE = Locator(PLACE)


class Page:
    """The page as it is now: `note` is None where there is none; `closed` says why it may not be
    written, "" if it may."""

    __slots__ = ("closed", "id", "note", "row", "stored")

    def __init__(self, store: Store) -> None:
        self.note: Note | None = None
        self.stored: Stored | None = None
        self.row: Row | None = None
        self.closed = ""
        self.id = path_id(PLACE)
        try:
            self.stored = store.backend.read(_HERE)
            entry = store.read_entry(_HERE)
        except NotFoundError:
            return
        except EngrainError:
            self.closed = "it can't be read"
            return
        self.id, self.note = entry.id, entry.note
        rows = store.index.lookup(PLACE)
        self.row = next((row for row in rows if row.locator == PLACE), None)
        if entry.status != ACTIVE:
            self.closed = f"it is {entry.status}"

    @property
    def body(self) -> str:
        """Its text, or that of an empty page where there is none."""
        return start_page() if self.note is None else self.note.body


def said_before(store: Store) -> set[str]:
    """The keys of all lines that synthesis ever wrote: one that somebody removed is not written
    again."""
    keys: set[str] = set()
    for change in store.index.changes(locator=_HERE):
        if change.op == OP:
            try:
                text = bytes_after(store, change).decode(errors="replace")
            except EngrainError:
                continue  # its bytes were erased
            keys.update(line.key for line in own_lines(text))
    return keys


def write_page(
    store: Store, page: Page, revise: Callable[[str, str], str], sources: Sequence[str], reason: str
) -> bool:
    """Write the page as `revise` makes it from its text and line end, with the trust of the entries
    `sources`; returns whether anything changed.

    A page that nobody vouches for is left alone, since every session reads it. Raises ConflictError
    where another process writes it at the same moment.
    """
    eol = "\n" if page.note is None else page.note.eol
    body = revise(page.body, eol)
    note = Note("", "", "", body)
    if page.note is not None:
        note = Note(page.note.head, page.note.front, page.note.fence, body)
    if page.stored is not None and note.raw == page.stored.raw:
        return False
    actor = acting_from(store, sources)
    if page.stored is not None:
        known = page.row is not None and page.row.hash == page.stored.hash
        before = effective_trust(store, page.row) if page.row and known else EXTERNAL
        actor = Actor(actor.agent, least(actor.trust, before))
    if actor.trust == EXTERNAL:
        raise ConflictError("nobody vouches for what it says", path=PLACE)
    if page.stored is not None:
        store.preserve(_HERE, page.stored, page.id)
    store.commit(
        OP,
        [Write(_HERE, note.raw, page.id)],
        {_HERE: None if page.stored is None else page.stored.hash},
        reason=reason,
        actor=actor,
    )
    return True
