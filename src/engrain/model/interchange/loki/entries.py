"""An entry as a document of the layout, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engrain.model.interchange.documents import canonical
from engrain.model.interchange.loki.forms import FORMS
from engrain.model.interchange.loki.layout import RECORDS
from engrain.model.interchange.loki.notes import write_document
from engrain.model.interchange.loki.own import own_of_record
from engrain.model.interchange.loki.skills import describe_skill
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import OWN, JsonNote

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
