"""Documents of the layout that are notes here, there and back without loss.

Whatever a document says comes back: what its note can't say by itself (an unknown key, a number
for a text, a key left out) stands in the note under `loki`, and is given back for as long as the
note still says what was made of it then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engrain.model.interchange.documents import canonical, id_in
from engrain.model.interchange.loki.forms import Flat, Form, as_entry
from engrain.model.interchange.loki.own import MARK, own_of_note, read_kept, read_mark
from engrain.model.note.documents import object_of, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN


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
