"""Skills of the layout: text in loki's template, as it is. What we have beside it stands in one
key of a frontmatter, which a skill that came without one is not given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engrain.model.interchange.documents import stem_of
from engrain.model.interchange.loki.own import MARK, made_by_import, own_of_note, read_kept
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN
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
