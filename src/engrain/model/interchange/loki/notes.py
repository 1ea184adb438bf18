"""Documents of the layout that are notes here, there and back without loss.

Whatever a document says comes back: what its note can't say by itself (an unknown key, a number
for a text, a key left out) stands in the note under `loki`, and is given back for as long as the
note still says what was made of it then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engrain.model.interchange.documents import canonical, id_in, stem_of
from engrain.model.interchange.loki.forms import FORMS, Flat, Form, as_entry
from engrain.model.interchange.loki.layout import (
    MARK,
    RECORDS,
    made_by_import,
    own_of_note,
    own_of_record,
    read_kept,
    read_mark,
)
from engrain.model.note.documents import object_of, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import compose_note, split_note

_BODY, _FRONT = "body", "front"
_ADDED = ("description",)


def read_skill(raw: bytes) -> dict[str, Any]:
    """A skill's file as a document. Raises MalformedError."""
    note = split_note(raw)
    front = dict(note.fields)
    own = front.pop(OWN, None)
    document: dict[str, Any] = {_BODY: note.body.removeprefix("\ufeff"), _FRONT: front}
    return {**document, OWN: own} if isinstance(own, dict) else document


def compose_skill(document: Mapping[str, Any], id_: str) -> tuple[dict[str, Value], str]:
    """The fields and the body of a skill's note."""
    fields: dict[str, Value] = {"id": id_, "kind": "procedural", "status": "active"}
    own = document.get(OWN)
    for source in (document.get(_FRONT), own):
        if isinstance(source, dict):
            fields |= {key: source[key] for key in _ADDED if isinstance(source.get(key), str)}
    if front := document.get(_FRONT):
        fields[MARK] = {"keep": json.dumps(front, ensure_ascii=False)}
    return fields, str(document[_BODY])


def skill_stem(entry: Entry) -> str:
    """What a skill's file is called: as it was where it came from, else as it is here."""
    return entry.id if "slug" in made_by_import(entry) else stem_of(entry.path)


def describe_skill(entry: Entry, stem: str = "") -> dict[str, Any]:
    """A skill's note as a document, for a file named `stem` if that is not its own name."""
    stem = stem or skill_stem(entry)
    front = read_kept(entry)
    own = {key: value for key, value in own_of_note(entry).items() if key != "slug"}
    if entry.id != stem:
        own["id"] = entry.id
    own |= {key: entry.fields[key] for key in _ADDED if key in entry.fields and key not in front}
    document: dict[str, Any] = {_BODY: entry.note.body, _FRONT: front}
    return {**document, OWN: own} if own else document


def write_skill(document: Mapping[str, Any]) -> bytes:
    """The file of a skill's document."""
    front = dict(document[_FRONT])
    if OWN in document:
        front[OWN] = document[OWN]
    body = str(document[_BODY])
    plain = not front and not body.startswith(("---", "\ufeff"))
    return body.encode() if plain else compose_note(front, body).raw


def flatten(form: Form, document: Mapping[str, Any]) -> Flat:
    """A document with our own additions beside loki's fields."""
    own = object_of(document.get(OWN))
    flat = {key: own[key] for key in form.added if key in own}
    return flat | {key: value for key, value in document.items() if key != OWN}


def compose_document(
    form: Form, document: Mapping[str, Any], id_: str, derived_from: Sequence[str] = ()
) -> tuple[dict[str, Value], str]:
    """The fields and the body of the note of a document. Raises UsageError, MalformedError."""
    flat = flatten(form, document)
    fields, body = form.compose({**flat, "id": id_}, derived_from)
    read = form.read(as_entry(fields, body))
    keep = {
        key: value
        for key, value in flat.items()
        if key not in read or canonical(read[key]) != canonical(value)
    }
    mark: dict[str, Value] = {}
    if keep:
        mark["keep"] = json.dumps(keep, ensure_ascii=False)
    if without := [key for key in read if key not in flat]:
        mark["without"] = list(without)
    if top := [key for key in form.added if key in document]:
        mark["top"] = list(top)
    if mark:
        fields[MARK] = mark
    return fields, body


def _restore(
    form: Form, entry: Entry, flat: Flat, keep: Mapping[str, Any], without: Sequence[str]
) -> None:
    """Give fields back as the document had them, where the note still says what was made of them:
    `keep` has values that it can't say, `without` the fields that the document lacked."""
    rest = {key: value for key, value in flat.items() if key not in without}
    then = form.read(as_entry(*form.compose({**rest, **keep, "id": entry.id}, ())))

    def stands(key: str) -> bool:
        return canonical(flat.get(key)) == canonical(then.get(key))

    for key in without:
        if key in flat and stands(key):
            del flat[key]
    known = {*form.fields, *form.added} - {"id"}
    for key, value in keep.items():
        if id_in(value) in ("", entry.id) if key == "id" else key not in known or stands(key):
            flat[key] = value


def write_document(form: Form, entry: Entry) -> dict[str, Any]:
    """The document of a note."""
    flat = form.read(entry)
    mark, keep = read_mark(entry), read_kept(entry)
    without, top = texts_of(mark.get("without")), texts_of(mark.get("top"))
    if keep or without:
        _restore(form, entry, flat, keep, without)
    document = {key: flat.pop(key) for key in form.fields if key in flat}
    own = {key: flat.pop(key) for key in form.added if key in flat and key not in top}
    document |= flat
    if own := {**own_of_note(entry), **own}:
        document[OWN] = own
    return document


KINDS = (*FORMS, *RECORDS.values(), "procedural", "continuity")
"""The kinds that the layout has a place for."""

_NAMELESS = ("ledger", "continuity")
"""Kinds that are known by whose they are, not by an id."""


def describe_entry(entry: Entry) -> dict[str, Any]:
    """An entry's document, with what it has beside it under `engrain`."""
    note = entry.note
    if isinstance(note, JsonNote):
        own = own_of_record(entry, note.own)
        if entry.kind in _NAMELESS or own.get("id") == note.document.get("id"):
            own.pop("id", None)
        return {**note.document, OWN: own} if own else dict(note.document)
    if entry.kind in FORMS:
        return write_document(FORMS[entry.kind], entry)
    if entry.kind == "continuity":
        return {"body": note.body}
    return describe_skill(entry)


def spell(document: Mapping[str, Any]) -> str:
    """All of a document but its links and what stands under `engrain`, in one spelling."""
    return canonical({key: value for key, value in document.items() if key not in (OWN, "links")})
