"""What an entry has beside its document, under the one key `engrain` of the layout's files: what
loki's format has no place for, so that a reader of that is not disturbed.

Who vouches for an entry, its counters and whether it is loaded in every session are this vault's
own affair: they are neither written nor taken in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engrain.language.text.instants import read_instant
from engrain.model.note.documents import list_of, object_of, parse_object, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN
from engrain.model.note.note import COUNTERS
from engrain.model.note.tiers import ACTIVE

MARK = "loki"
"""The field of an entry that came in by an import: what its document said that it can't say by
itself (`keep`, `without`, `top`), and which of its own fields the import `made`."""

STATUSES = (ACTIVE, "superseded", "archived")
"""Of which status entries are written and taken in."""

_OF_NOTES = (
    "created", "slug", "status", "project", "tags", "valid_from", "valid_to",
)  # fmt: skip
_NOT_OF_RECORDS = frozenset(
    (
        *COUNTERS, MARK, "kind", "source", "filed", "links", "always_load", "pinned", "archived",
        "deleted_at", "created", "imported",
    )
)  # fmt: skip


def own_of_note(entry: Entry) -> dict[str, Value]:
    """What the layout says of a note beside its document."""
    return _said(entry, {key: entry.fields.get(key) for key in _OF_NOTES} | {"slug": entry.slug})


def own_of_record(entry: Entry, own: Mapping[str, Value]) -> dict[str, Value]:
    """What the layout says of a record beside its document; `own` are its own fields."""
    return _said(entry, {key: value for key, value in own.items() if key not in _NOT_OF_RECORDS})


def take_own(document: Mapping[str, Any], *, record: bool) -> dict[str, Value]:
    """The fields that a document brings under `engrain` and that are taken in."""
    own = document.get(OWN)
    if not isinstance(own, dict):
        return {}
    taken: dict[str, Value] = {
        key: value
        for key, value in own.items()
        if (key not in _NOT_OF_RECORDS if record else key in _OF_NOTES)
        and value is not None
        and (key not in ("project", "slug") or isinstance(value, str))
        and (key != "status" or value in STATUSES[1:])
        and (key not in ("created", "valid_from", "valid_to") or read_instant(value) is not None)
    }
    if "tags" in taken:
        taken["tags"] = [tag for tag in list_of(taken["tags"]) if isinstance(tag, str)]
    return taken


def made_by_import(entry: Entry) -> list[str]:
    """The fields that an import gave an entry because its document said none."""
    return texts_of(read_mark(entry).get("made"))


def read_mark(entry: Entry) -> dict[str, Any]:
    """What an import noted in an entry, which anybody may have edited since."""
    return object_of(entry.fields.get(MARK))


def read_kept(entry: Entry) -> dict[str, Any]:
    """What the document of an entry said that it can't say by itself."""
    return parse_object(read_mark(entry).get("keep"))


def _said(entry: Entry, fields: Mapping[str, Value]) -> dict[str, Value]:
    made = made_by_import(entry)
    return {
        key: value
        for key, value in fields.items()
        if value not in (None, [], "")
        and not (key in made and key != "status")
        and not (key == "status" and value == ACTIVE)
    }
