"""Notes of a layout that have one place here: that of a day, and what is known of the operator."""

from __future__ import annotations

from engrain.engine.attesting import OPERATOR
from engrain.engine.layouts.renewal import gives_way, last_taken_in
from engrain.engine.outcomes import CREATED, UNCHANGED, UPDATED
from engrain.engine.redaction import Redaction
from engrain.engine.save import check_size, compose_new, stamp_source
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.ids import path_id
from engrain.model.instants import format_instant
from engrain.model.layouts.plain import IMPORTED, compose_plain, read_plain
from engrain.model.memory_page import start_page
from engrain.model.note import split_note
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engrain.engine.outcomes import Imported
    from engrain.engine.store import Actor, Store
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.seam.locator import Locator


class PlainNote:
    """One note on its way in: what is to be written, None for nothing, over bytes with the hash
    `expected`, and what that comes to."""

    __slots__ = ("expected", "outcome", "write")

    def __init__(self, outcome: str, write: Write | None = None, expected: str | None = None):
        self.outcome = outcome
        self.write = write
        self.expected = expected


def take_note(
    store: Store,
    actor: Actor,
    place: Locator,
    raw: bytes,
    fields: Mapping[str, Value] | None,
    source: tuple[str, str],
    done: Imported,
) -> PlainNote:
    """A note of a layout for its place here, with these fields; None for a page that has none.
    `source` is what is imported and where in it the note stands. Raises MalformedError,
    ConflictError where what is here stays."""
    redaction = Redaction(store)
    note = redaction.clean_note(split_note(raw))
    done.redacted += bool(redaction.rules)
    front, body = read_plain(note)
    try:
        stored = store.backend.read(place)
    except NotFoundError:
        if fields is None:
            after = compose_plain(front, body)
            check_size(after)
            return PlainNote(CREATED, Write(place, after.raw, path_id(place)))
        made = compose_new(store, {**fields, **front}, body, stamp_source(actor, *source))
        return PlainNote(CREATED, Write(place, made.raw, str(made.fields["id"])))
    there = store.read_entry(place)
    wanted = (front.get(IMPORTED), body)

    def recall_before() -> tuple[Value, str] | None:
        before = last_taken_in(store, there)
        return None if before is None else _said(before)

    blank = fields is None and there.note.body == start_page() != body
    if not blank and not gives_way(_said(there), wanted, recall_before):
        return PlainNote(UNCHANGED)
    row = store.find_exact(there.id)
    if row is not None and row.source == OPERATOR != actor.trust:
        raise ConflictError("the operator vouches for what is here, which stays")
    if stored.hash != there.hash:
        raise ConflictError("it changes just now")
    changes = dict(front)
    if "updated" in there.fields:
        changes["updated"] = format_instant(store.clock.now())
    after = there.note
    if changes or IMPORTED in there.fields:
        after = after.patch(changes, () if front else (IMPORTED,))
    after = after.with_body(body)
    check_size(after)
    store.preserve(place, stored, there.id)
    return PlainNote(UPDATED, Write(place, after.raw, there.id), stored.hash)


def _said(entry: Entry) -> tuple[Value, str]:
    return entry.fields.get(IMPORTED), entry.note.body.removeprefix("\ufeff")
