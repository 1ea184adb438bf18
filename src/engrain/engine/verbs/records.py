"""Writes, changes and lists records, the entries in JSON (S2.2, S2.5, S2.6, S2.7, S4.10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.outcomes import CREATED, UNCHANGED, Outcome
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store, try_again
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, MalformedError, NotFoundError, UsageError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote, parse_note
from engrain.model.note.note import Note, hash_bytes, make_id
from engrain.model.note.tiers import ACTIVE, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter, Row

# Fields in which two writes of the same record may differ.
_INCIDENTAL = ("id", "created", "filed", "source", "status", "links")


def compose_record(
    store: Store,
    kind: str,
    document: Mapping[str, Any],
    *,
    project: str | None = None,
    derived_from: Sequence[str] = (),
    source: str = "api",
    ref: str | None = None,
    actor: Actor | None = None,
    extra: Mapping[str, Value] | None = None,
) -> JsonNote:
    """Return a new record, without secrets, with its origin; `extra` are further fields under
    `engrain`. A document without `id` gets one there. Raises UsageError if it is too large, or no
    valid JSON."""
    now = store.clock.now()
    actor = actor or (acting_from(store, derived_from) if derived_from else store.actor)
    fields: dict[str, Value] = {
        "kind": kind,
        "status": ACTIVE,
        "project": project,
        "derived_from": list(derived_from),
        "filed": format_instant(now),
        "updated": format_instant(now),
        "source": stamp_source(actor, source, ref),
        **(extra or {}),
    }
    own = {key: value for key, value in fields.items() if value is not None and value != []}
    redaction = Redaction(store)
    try:
        note = JsonNote(kind, redaction.clean_values(document), redaction.clean_values(own))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"that can't be kept as JSON: {error}") from None
    if "id" not in note.fields:
        note = note.patch({"id": make_id(now, store.entropy.draw(10))})
    _check(note)
    return note


def save_record(
    store: Store, place: str, note: JsonNote, *, op: str = "save", actor: Actor | None = None
) -> Outcome:
    """Write a record at its place; return `unchanged` if the same record is there. Raises
    ConflictError if another one is there."""
    locator = make_locator(place)
    try:
        there = store.read_entry(locator)
    except NotFoundError:
        entry = Entry(locator, note, hash_bytes(note.raw))
        store.commit(op, [Write(locator, note.raw, entry.id)], actor=actor, known=[entry])
        return Outcome(CREATED, entry)
    if there.note.substance(_INCIDENTAL) != note.substance(_INCIDENTAL):
        raise ConflictError(
            f"another record stands at {locator}",
            path=locator,
            remedy="give it another name, or change the one that is there",
        )
    return Outcome(UNCHANGED, there)


def update_record(
    store: Store,
    locator: Locator,
    change: Callable[[JsonNote], JsonNote],
    op: str = "edit",
    *,
    reason: str = "",
    actor: Actor | None = None,
) -> Outcome:
    """Read a record, change it and write it back; try again if another writer was faster. `change`
    may raise, and may return its argument to write nothing. Raises NotFoundError."""
    redaction = Redaction(store)

    def rewrite(entry: Entry) -> Note:
        before = _as_record(entry)
        after = change(before)
        if after is before:
            return before
        after = after.with_document(redaction.clean_values(after.document))
        note = after.patch({"updated": store.now})
        _check(note)
        return note

    return store.update(locator, rewrite, op, reason=reason, actor=actor)


def put_record(
    store: Store,
    place: Locator,
    compose: Callable[[], JsonNote],
    change: Callable[[JsonNote], JsonNote],
    what: str,
) -> Outcome:
    """Change the record at a place, or write a new one there; try again if another writer was
    faster. Raises ConflictError, with `what` as the record's name, if others keep winning."""

    def put() -> Outcome:
        with suppress(NotFoundError):
            return update_record(store, place, change, "work")
        outcome = save_record(store, place, compose(), op="work")
        if outcome.outcome != CREATED:
            raise ConflictError(f"{what} keeps changing", remedy="try again")
        return outcome

    return try_again(put)


def read_record(store: Store, place: str) -> Entry:
    """Return the record at a place. Raises NotFoundError, MalformedError, and UsageError for a
    note."""
    entry = store.read_entry(make_locator(place))
    _as_record(entry)
    return entry


def list_records(
    store: Store, kind: str, only: Filter | None = None
) -> Iterator[tuple[Row, Entry]]:
    """Yield the readable records of a kind that pass the filter `only` (default: active ones),
    unordered. The index must be ready."""
    only = replace(only or Filter(statuses=(ACTIVE,)), kinds=(kind,))
    found = store.index.find(only)
    return read_rows(store, (row for row in found if row.locator.endswith(".json")))


def read_rows(store: Store, rows: Iterable[Row]) -> Iterator[tuple[Row, Entry]]:
    """Yield the rows whose entries can be read, with these; `doctor` reports the others."""
    for row in rows:
        if entry := store.find_entry(row.locator):
            yield row, entry


def _check(note: JsonNote) -> None:
    """Raise UsageError for a record that is too large or could not be read back."""
    try:
        check_size(note)
        parse_note(note.raw, kind_of(note.kind).folder.format(project="project") + "/record.json")
    except UnicodeEncodeError:
        raise UsageError("that can't be kept: a text is not valid Unicode") from None
    except MalformedError as error:
        raise UsageError(f"that can't be kept: {error.message}") from None


def _as_record(entry: Entry) -> JsonNote:
    if not isinstance(entry.note, JsonNote):
        raise UsageError(f"{entry.id} is no record", path=entry.path)
    return entry.note
