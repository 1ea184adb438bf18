"""The loki layout (loki's "Directory Structure"): its files, and the conversion of its documents to
notes and back without loss.

What a note can't express (an unknown key, a number for a text, a missing key) is stored in the note
under `loki`, and is restored as long as the note still has the value that was made from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engrain.language.text.instants import read_instant
from engrain.model.errors import MalformedError
from engrain.model.interchange.documents import canonical, decode_utf8, id_in, stem_of
from engrain.model.interchange.loki_forms import FORMS, Flat, Form, as_entry
from engrain.model.note.documents import list_of, object_of, parse_object, read_json, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import COUNTERS, MAX_NOTE_BYTES, compose_note, decode_file, split_note
from engrain.model.note.tiers import ACTIVE

MARK = "loki"
"""The field of an imported entry with what its document said and a note can't (`keep`, `without`,
`top`), and which fields the import added (`made`)."""

STATUSES = (ACTIVE, "superseded", "archived")
"""The statuses of entries that are exported and imported."""

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
    """Return the fields of a note that the layout stores beside its document."""
    return _said(entry, {key: entry.fields.get(key) for key in _OF_NOTES} | {"slug": entry.slug})


def own_of_record(entry: Entry, own: Mapping[str, Value]) -> dict[str, Value]:
    """Return the fields of a record that the layout stores beside its document."""
    return _said(entry, {key: value for key, value in own.items() if key not in _NOT_OF_RECORDS})


def take_own(document: Mapping[str, Any], *, record: bool) -> dict[str, Value]:
    """Return the fields under `engrain` in a document that an import takes over."""
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
    """Return the fields that an import added because the document lacked them."""
    return texts_of(read_mark(entry).get("made"))


def read_mark(entry: Entry) -> dict[str, Any]:
    """Return the field MARK of an entry, which anybody may have edited since."""
    return object_of(entry.fields.get(MARK))


def read_kept(entry: Entry) -> dict[str, Any]:
    """Return the values of an entry's document that its note can't express."""
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


EPISODES, SKILLS, LEDGERS = "episodic", "skills", "ledgers"
HANDOFFS, LEARNINGS, SEMANTIC = "handoffs", "learnings", "semantic"
FOLDERS = (EPISODES, SEMANTIC, SKILLS, LEDGERS, HANDOFFS, LEARNINGS)
INDEX = f"{EPISODES}/index.json"
LINKS = f"{SEMANTIC}/links.json"
CONTINUITY = "CONTINUITY.md"

LISTS = {
    f"{SEMANTIC}/anti-patterns.json": "anti-pattern",
    f"{SEMANTIC}/facts.json": "domain-reference",
    f"{SEMANTIC}/patterns.json": "pattern",
}
"""The files with all entries of a kind, and the kind."""
RECORDS = {
    EPISODES: "episode", LEARNINGS: "learning", HANDOFFS: "handoff", LEDGERS: "ledger",
}  # fmt: skip
"""The folders of records, and their kinds."""
LINK = "link"
"""The content of `links.json`, which is no kind of entry."""

_UNDATED = "undated"


def kind_at(name: str) -> str:
    """Return the kind of a file's content by its relative path, "" if it is not read."""
    if name == LINKS:
        return LINK
    if name in LISTS:
        return LISTS[name]
    if name == CONTINUITY:
        return "continuity"
    folder, _, rest = name.partition("/")
    ending = rest.rpartition(".")[2].lower()
    if folder == SKILLS and ending == "md":
        return "procedural"
    generated = folder == EPISODES and rest.rpartition("/")[2] == "index.json"
    return RECORDS.get(folder, "") if ending == "json" and not generated else ""


def in_reading_order(names: Iterable[str]) -> list[str]:
    """Return the files that are read: links first, then episodes, which others cite."""
    ranks = {LINK: 0, "episode": 1}
    read = [(ranks.get(kind, 2), name) for name in names if (kind := kind_at(name))]
    return [name for _, name in sorted(read)]


def day_of(name: str) -> str:
    """Return the day in the name of a file's folder, or of a file of learnings; "" for none."""
    day = stem_of(name) if name.startswith(f"{LEARNINGS}/") else name.split("/")[-2]
    digits = day.replace("-", "")
    return day if len(day) == 10 and digits.isascii() and digits.isdigit() else ""


def read_items(name: str, raw: bytes) -> list[Any]:
    """Return the documents in a JSON file: one, or a list, bare or under the only key whose value
    is a list of objects. Raises MalformedError."""
    # A list of all patterns may be larger than a note.
    value = read_json(decode_file(raw) if len(raw) <= MAX_NOTE_BYTES else decode_utf8(raw))
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise MalformedError("neither an object nor a list", reason="json", line=1)
    if name in LISTS or name == LINKS or name.startswith(f"{LEARNINGS}/"):
        lists = [part for part in value.values() if isinstance(part, list)]
        if len(lists) == 1 and all(isinstance(item, dict) for item in lists[0]):
            return lists[0]
        if name in LISTS or name == LINKS:
            raise MalformedError("no list of objects", reason="json", line=1)
    return [value]


def day_folder(day: str) -> str:
    """Return the folder of the episodes of a day."""
    return f"{EPISODES}/{day or _UNDATED}"


def day_file(day: str) -> str:
    """Return the file of the learnings of a day."""
    return f"{LEARNINGS}/{day or _UNDATED}.json"


_BODY, _FRONT = "body", "front"
_ADDED = ("description",)


def read_skill(raw: bytes) -> dict[str, Any]:
    """Return a skill's file as a document. Raises MalformedError."""
    note = split_note(raw)
    front = dict(note.fields)
    own = front.pop(OWN, None)
    document: dict[str, Any] = {_BODY: note.body.removeprefix("\ufeff"), _FRONT: front}
    return {**document, OWN: own} if isinstance(own, dict) else document


def compose_skill(document: Mapping[str, Any], id_: str) -> tuple[dict[str, Value], str]:
    """Return the fields and the body of a skill's note."""
    fields: dict[str, Value] = {"id": id_, "kind": "procedural", "status": "active"}
    own = document.get(OWN)
    for source in (document.get(_FRONT), own):
        if isinstance(source, dict):
            fields |= {key: source[key] for key in _ADDED if isinstance(source.get(key), str)}
    if front := document.get(_FRONT):
        fields[MARK] = {"keep": json.dumps(front, ensure_ascii=False)}
    return fields, str(document[_BODY])


def skill_stem(entry: Entry) -> str:
    """Return the name of a skill's file: the one it came with, else the one it has here."""
    return entry.id if "slug" in made_by_import(entry) else stem_of(entry.path)


def describe_skill(entry: Entry, stem: str = "") -> dict[str, Any]:
    """Return a skill's note as a document, for a file named `stem` (by default its own name)."""
    stem = stem or skill_stem(entry)
    front = read_kept(entry)
    own = {key: value for key, value in own_of_note(entry).items() if key != "slug"}
    if entry.id != stem:
        own["id"] = entry.id
    own |= {key: entry.fields[key] for key in _ADDED if key in entry.fields and key not in front}
    document: dict[str, Any] = {_BODY: entry.note.body, _FRONT: front}
    return {**document, OWN: own} if own else document


def write_skill(document: Mapping[str, Any]) -> bytes:
    """Return the file of a skill's document."""
    front = dict(document[_FRONT])
    if OWN in document:
        front[OWN] = document[OWN]
    body = str(document[_BODY])
    plain = not front and not body.startswith(("---", "\ufeff"))
    return body.encode() if plain else compose_note(front, body).raw


def flatten(form: Form, document: Mapping[str, Any]) -> Flat:
    """Return a document with our additions beside loki's fields."""
    own = object_of(document.get(OWN))
    flat = {key: own[key] for key in form.added if key in own}
    return flat | {key: value for key, value in document.items() if key != OWN}


def compose_document(
    form: Form, document: Mapping[str, Any], id_: str, derived_from: Sequence[str] = ()
) -> tuple[dict[str, Value], str]:
    """Return the fields and the body of a document's note. Raises UsageError, MalformedError."""
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
    """Restore fields as the document had them, if the note still has what was made from them:
    `keep` has values that a note can't express, `without` the fields that the document lacked."""
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
    """Return the document of a note."""
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
"""The kinds that belong to the layout."""

_NAMELESS = ("ledger", "continuity")
"""Kinds that are identified by their owner, not by an id."""


def describe_entry(entry: Entry) -> dict[str, Any]:
    """Return an entry's document, with its further fields under `engrain`."""
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
    """Return the canonical JSON of a document without its links and the key `engrain`."""
    return canonical({key: value for key, value in document.items() if key not in (OWN, "links")})
