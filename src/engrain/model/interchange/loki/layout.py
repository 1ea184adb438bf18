"""The files of the layout (loki's "Directory Structure"): which there are, what each holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engrain.language.text.instants import read_instant
from engrain.model.errors import MalformedError
from engrain.model.interchange.documents import decode_utf8, stem_of
from engrain.model.note.documents import list_of, object_of, parse_object, read_json, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN
from engrain.model.note.note import COUNTERS, MAX_NOTE_BYTES, decode_file
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
"""The files that hold all of a kind, and the kind."""
RECORDS = {
    EPISODES: "episode", LEARNINGS: "learning", HANDOFFS: "handoff", LEDGERS: "ledger",
}  # fmt: skip
"""The folders whose files are records, and of which kind."""
LINK = "link"
"""What `links.json` holds; it is no kind of entry."""

_UNDATED = "undated"


def kind_at(name: str) -> str:
    """The kind of what a file of this name (with `/`) holds; "" for one that is not read."""
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
    """The files that are read, links before all that they join, sources before what cites them."""
    ranks = {LINK: 0, "episode": 1}
    read = [(ranks.get(kind, 2), name) for name in names if (kind := kind_at(name))]
    return [name for _, name in sorted(read)]


def day_of(name: str) -> str:
    """The day that a file's folder, or of a list of learnings its own name, says; "" if none."""
    day = stem_of(name) if name.startswith(f"{LEARNINGS}/") else name.split("/")[-2]
    digits = day.replace("-", "")
    return day if len(day) == 10 and digits.isascii() and digits.isdigit() else ""


def read_items(name: str, raw: bytes) -> list[Any]:
    """What a JSON file holds: one document, or a list of them, bare or under the one key whose
    value is a list of objects. Raises MalformedError."""
    # A list of all patterns may be larger than any one of them.
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
    """The folder of the episodes of a day."""
    return f"{EPISODES}/{day or _UNDATED}"


def day_file(day: str) -> str:
    """The file of what was learned on a day."""
    return f"{LEARNINGS}/{day or _UNDATED}.json"
