"""Notes of a layout that have one place here: that of a day, and what is known of the operator."""

from __future__ import annotations

from collections.abc import Mapping

from engrain.engine.core.outcomes import CREATED
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.verbs.intake import Intake
from engrain.engine.verbs.save import check_size, compose_new, stamp_source
from engrain.interchange.layouts.renewal import last_taken_in
from engrain.language.text.instants import format_instant
from engrain.model.errors import NotFoundError
from engrain.model.facts.memory_page import start_page
from engrain.model.interchange.layouts.plain import IMPORTED, compose_plain, read_plain
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.ids import path_id
from engrain.model.note.note import split_note
from engrain.seam.locator import Locator
from engrain.seam.storage import Write


def take_note(
    store: Store,
    intake: Intake,
    place: Locator,
    label: str,
    raw: bytes,
    fields: Mapping[str, Value] | None,
    source: tuple[str, str],
) -> None:
    """Take in a note of a layout for its place here, with these fields; None for a page that has
    none. `source` is what is imported and where in it the note stands. Raises MalformedError,
    ConflictError where what is here stays."""
    redaction = Redaction(store)
    note = redaction.clean_note(split_note(raw))
    intake.done.redacted += bool(redaction.rules)
    front, body = read_plain(note)
    try:
        there = store.read_entry(place)
    except NotFoundError:
        if fields is None:
            after = compose_plain(front, body)
            id_ = path_id(place)
        else:
            after = compose_new(
                store, {**fields, **front}, body, stamp_source(intake.actor, *source)
            )
            id_ = str(after.fields["id"])
        check_size(after)
        intake.batches.add(label, CREATED, Write(place, after.raw, id_), None)
        return
    if intake.stays_deleted(label, there):
        return
    wanted = (front.get(IMPORTED), body)

    def recall_before() -> tuple[Value, str] | None:
        before = last_taken_in(store, there)
        return None if before is None else _said(before)

    blank = fields is None and there.note.body == start_page() != body
    renewed = None
    if blank or intake.renews(label, there, _said(there), wanted, recall_before):
        changes = dict(front)
        if "updated" in there.fields:
            changes["updated"] = format_instant(store.clock.now())
        renewed = there.note
        if changes or IMPORTED in there.fields:
            renewed = renewed.patch(changes, () if front else (IMPORTED,))
        renewed = renewed.with_body(body)
        check_size(renewed)
    intake.settle(
        label,
        there,
        renewed,
        came_by_it=(there.source.get("kind"), there.source.get("ref")) == source,
        same=renewed is not None or _said(there) == wanted,
    )


def _said(entry: Entry) -> tuple[Value, str]:
    return entry.fields.get(IMPORTED), entry.note.body.removeprefix("\ufeff")
