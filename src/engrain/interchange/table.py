"""The table of a layout's files, and the conversion of their documents to entries and back.

A row says where the files of one kind lie and what their documents say. Reading and writing use the
same rows. Keys that mean nothing here are kept in the note, and written again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain, count
from typing import Any, TypeAlias

from engrain.language.text.folding import fold, safe_component, slugify
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import MalformedError
from engrain.model.experience.ledger import file_stem
from engrain.model.links.link import MADE, MIRRORED
from engrain.model.note.documents import is_deeper, list_of, object_of, parse_object, read_json
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import (
    COUNTERS,
    MAX_NOTE_BYTES,
    Note,
    compose_note,
    decode_file,
    hash_bytes,
    split_note,
)
from engrain.model.note.tiers import ACTIVE, kind_of

KEPT = "kept-file"
"""The kind of a file that is no memory, or of what stands around a list of documents: it is kept so
that an export writes it as it came in."""
IMPORTED = "imported"
"""The field of an entry with the frontmatter that another system wrote."""

_MAX_DEPTH = 60  # a record is read to 64, and stands a few levels deeper in a file of many


def decode_utf8(raw: bytes) -> str:
    """Return the text of a file of any size. Raises MalformedError with the first bad line."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedError("file is not UTF-8", reason="encoding", line=line) from None


def check_document(item: Any) -> dict[str, Any]:
    """Return the item if it is an object that can be stored. Raises MalformedError."""
    if not isinstance(item, dict):
        raise MalformedError("not an object", reason="json")
    if is_deeper(item, _MAX_DEPTH):
        raise MalformedError(f"nested deeper than {_MAX_DEPTH}", reason="json")
    try:
        json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedError("not valid Unicode", reason="encoding") from None
    return item


def id_in(value: object) -> str:
    """Return an id as written, on one line; "" for a value that can't be an id."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())[:200]


def fraction_in(value: object) -> int | float | None:
    """Return a number from 0 to 1, None for any other value."""
    fine = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return value if fine else None  # type: ignore[return-value]


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value; `1`, `1.0` and `true` differ."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def digest(value: Any, digits: int = 12) -> str:
    """Return the first digits of the hash of a value."""
    return hash_bytes(canonical(value).encode())[:digits]


def stem_of(name: str) -> str:
    """Return a file's name without folders and ending."""
    return name.rpartition("/")[2].rpartition(".")[0]


class ExportNames:
    """The file names of one export: portable, and unique on any file system."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, name: str) -> bool:
        """Whether a file may have this name, which it has from now on."""
        free = fold(name) not in self._taken
        self._taken.add(fold(name))
        return free

    def reserve(self, folder: str, wanted: str, ending: str) -> str:
        """Return a free name in a folder, as similar to `wanted` as possible."""
        stem = safe_component(wanted or "unnamed")
        folder = "/".join(map(safe_component, folder.split("/")))
        name = f"{folder}/{stem}{ending}"
        if stem.lower() == "index" or fold(name) in self._taken:
            name = f"{folder}/{stem}-{hash_bytes(wanted.encode())[:8]}{ending}"
        numbered = (f"{name.removesuffix(ending)}-{number}{ending}" for number in count(2))
        free = next(one for one in chain([name], numbered) if fold(one) not in self._taken)
        self._taken.add(fold(free))
        return free


def compose_plain(document: Mapping[str, Any]) -> Note:
    """Return the note of a document of markdown, without frontmatter if it needs none."""
    front = {key: value for key, value in document.items() if key != BODY}
    body = str(document[BODY])
    if front or body.startswith(("---", "\ufeff")):
        return compose_note(front, body)
    return Note("", "", "", body)


Flat: TypeAlias = "dict[str, Any]"
"""A document with the layout's fields and our own side by side."""

BODY = "#body"
"""The key of the text of a markdown document, which no frontmatter can have."""
BARE = "-"
"""The key of a list that is under no key."""
STATUSES = (ACTIVE, "superseded", "archived")
"""The statuses of entries that are exported and imported."""
_NOT_OF_RECORDS = frozenset(
    (
        *COUNTERS, "kind", "source", "filed", "links", "always_load", "pinned", "archived",
        "deleted_at", "created", IMPORTED,
    )
)  # fmt: skip
_EMPTY: tuple[object, ...] = (None, [], "")


def name_nothing(_: Flat) -> list[Any]:
    """Return no links, for documents that have none."""
    return []


def plain_links(flat: Flat) -> list[dict[str, Any]]:
    """Return the links of a document that a note's field can hold, with all their values."""
    return [
        dict(link)
        for link in list_of(flat.get("links"))
        if isinstance(link, dict)
        and link.get("to")
        and all(isinstance(part, str) for part in link.values())
    ]


@dataclass(slots=True, eq=False)
class Form:
    """The form of one kind: the layout's `fields` in their order, functions that `compose` a note's
    fields and body from a document and `read` them from an entry, our `added` fields (which are
    stored under `engrain`), and a function that returns the `links` of a document."""

    fields: Sequence[str]
    compose: Callable[[Flat], tuple[dict[str, Value], str]]
    read: Callable[[Entry], Flat]
    _: KW_ONLY
    added: Sequence[str] = ()
    links: Callable[[Flat], list[dict[str, Any]]] = plain_links


Fixed: TypeAlias = "Callable[[Mapping[str, Any], str, str | None], str]"


@dataclass(slots=True, eq=False)
class LayoutRow:
    """The files of one kind. `pattern` is their place, with `{day}` and `{name}` as in an export; a
    place without these is one file. With `many` a file is a list, and `many` its key in a new file.
    Without a `form` a document is stored as it is. `own` are the entry's fields that are stored
    under `engrain`, unless they have a value of `defaults`, which gets the file's name."""

    kind: str
    pattern: str
    form: Form | None = None
    _: KW_ONLY
    many: str = ""
    own: Sequence[str] = ("created", "slug", "status", "project", "tags", "valid_from", "valid_to")
    ids: Sequence[str] = ("id", OWN)
    """Where the id is, the likeliest first: a field, `engrain`, the file's name, or an agent."""
    defaults: Callable[[str], Mapping[str, Value]] = lambda _: {"status": ACTIVE}
    find_kind: Callable[[Mapping[str, Any], str], str] | None = None
    """Returns the kind by the object `engrain` of a document and its file's name."""
    fixed: Fixed | None = None
    """Returns the only place of a document in the vault, by its fields, its file's name and the
    project. Raises UsageError."""
    operator_only: bool = False
    bare: bool = False
    """Whether its note has no fields, but those that came with it."""

    @property
    def ending(self) -> str:
        """The ending of its files."""
        return "." + self.pattern.rpartition(".")[2]

    @property
    def is_markdown(self) -> bool:
        """Whether its files are markdown, not JSON."""
        return self.ending == ".md"

    @property
    def shape(self) -> Any:
        """The shape of a new file of many documents."""
        return [] if self.many in ("", BARE) else {self.many: []}

    @property
    def has_day(self) -> bool:
        """Whether the place of its files contains their day."""
        return "{day}" in self.pattern or "{date}" in self.pattern

    def holds(self, name: str) -> bool:
        """Whether the file of this name in the layout belongs to the row."""
        if "{" not in self.pattern:
            return name == self.pattern
        head, _, ending = self.pattern.rpartition(".")
        expected = _PART.sub(lambda found: _PARTS[found[1]], head or self.pattern)
        expected += rf"\.(?i:{ending})" if head else ""
        fine = re.fullmatch(expected, name) and name.rpartition("/")[2] != "index.json"
        return bool(fine) and ("{date}" not in self.pattern or bool(day_in(stem_of(name))))


_PART = re.compile(r"\{(\w+)\}")
_PATH = r"[^/.][^/]*(?:/[^/.][^/]*)*"
_PARTS = {"name": _PATH, "day": _PATH, "slug": "[^/]+", "date": "[0-9]{4}-[0-9]{2}-[0-9]{2}"}
"""By the name of a part of a place what may be there."""


@dataclass(slots=True, eq=False)
class Layout:
    """A layout of another memory: its name, its rows in the order in which their files are read,
    the form of the reference that an entry records as its source, the fields that a repeated import
    does not compare (`unlike`), and the files that an export makes of the others, which say nothing
    more (`generated`)."""

    name: str
    rows: Sequence[LayoutRow]
    _: KW_ONLY
    ref: str = "{tree}/{path}#{given}"
    unlike: Sequence[str] = (OWN, "links", "id")
    generated: Sequence[str] = ()

    def row_at(self, name: str) -> LayoutRow | None:
        """Return the row of a file, None for a file that is not read."""
        return next((row for row in self.rows if row.holds(name)), None)

    def passes_over(self, name: str) -> bool:
        """Whether a file is no part of the layout."""
        return self.row_at(name) is None and name not in self.generated

    def row_of(self, kind: str) -> LayoutRow:
        """Return the first row of a kind."""
        return next(row for row in self.rows if row.kind == kind)

    def in_reading_order(self, names: Iterable[str]) -> list[str]:
        """Return the files that are read, in that order."""
        found = []
        for name in names:
            if row := self.row_at(name):
                # Of folders that get the same slug, the one called by it comes first.
                folder = name.split("/")[-2] if "{slug}" in row.pattern else ""
                found.append((self.rows.index(row), slugify(folder, "") != folder, name))
        return [name for *_, name in sorted(found)]

    def spell(self, document: Mapping[str, Any]) -> str:
        """Return the content of a document in a normal form, without what is not compared."""
        said = {key: value for key, value in document.items() if key not in self.unlike}
        return canonical({key: value for key, value in said.items() if value not in _EMPTY})


def list_kept_files(*patterns: str) -> list[LayoutRow]:
    """Return the rows of files that are kept as they are."""
    return [LayoutRow(KEPT, pattern, own=(), ids=(), fixed=_place_of_kept) for pattern in patterns]


def _place_of_kept(document: Mapping[str, Any], path: str, project: str | None) -> str:
    folder = "/".join(filter(None, (str(document["layout"]), slugify(project or "", ""))))
    return f"{kind_of(KEPT).folder}/{folder}/{file_stem(path.replace('/', '-'))}.json"


def instant_in(value: object) -> str | None:
    """Return a time of four-digit years as Engrain writes it, None for any other value."""
    at = read_instant(value)
    return None if at is None or not _FIRST <= at <= _LAST else format_instant(at)


_FIRST, _LAST = -30_610_224_000, 253_402_300_799


def day_in(text: str) -> str:
    """Return a text that is a day, "" for any other text."""
    parts = [part for part in text.split("-") if part.isascii() and part.isdigit()]
    fine = len(text) == 10 and list(map(len, parts)) == [4, 2, 2]
    return text if fine and "01" <= parts[1] <= "12" and "01" <= parts[2] <= "31" else ""


def read_file(row: LayoutRow, raw: bytes) -> list[Any]:
    """Return the documents in a file. Raises MalformedError."""
    if row.is_markdown:
        note = split_note(raw)
        document = {**note.fields, BODY: note.body.removeprefix("\ufeff")}
        number = isinstance(document.get("id"), int | float) and "id" in row.ids
        return [{**document, "id": note.written("id")} if number else document]  # 007 is not 7
    value = _read_value(raw)
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise MalformedError("neither an object nor a list", reason="json", line=1)
    if row.many and (key := list_in(value)):
        return value[key]  # type: ignore[no-any-return]
    if row.many and "{" not in row.pattern:
        raise MalformedError("no list of objects", reason="json", line=1)
    return [value]


def _read_value(raw: bytes) -> Any:
    # A list of all patterns may be larger than a note.
    return read_json(decode_file(raw) if len(raw) <= MAX_NOTE_BYTES else decode_utf8(raw))


def list_in(value: Mapping[str, Any]) -> str:
    """Return the key of the only list in an object if its items are objects, else ""."""
    lists = [key for key, part in value.items() if isinstance(part, list)]
    fine = len(lists) == 1 and all(isinstance(item, dict) for item in value[lists[0]])
    return lists[0] if fine else ""


def shape_of(value: Any) -> Any:
    """Return the shape of a file of many documents: an empty list, an object around one, or an
    empty object for a single document."""
    if not isinstance(value, dict):
        return []
    key = list_in(value)
    return {**value, key: []} if key else {}


def fill_shape(shape: Any, documents: Sequence[Any]) -> Any:
    """Return the value of a file of this shape with the documents."""
    whole = object_of(shape)
    key = next((key for key, part in whole.items() if part == []), "")
    if key:
        return {**whole, key: documents}
    return documents[0] if shape == {} and len(documents) == 1 else documents


def find_shape(row: LayoutRow, raw: bytes) -> Any:
    """Return the shape of a file by a row, None for a bare list and for the shape of a new file,
    which other readers of the layout expect. Raises MalformedError."""
    shape = shape_of(_read_value(raw)) if row.many else row.shape
    return None if shape in ([], row.shape) else shape


def as_entry(fields: Mapping[str, Value], body: str) -> Entry:
    """Return the entry of a note that has no place yet."""
    return Entry("Memory/note.md", compose_note(fields, body), "")


def flatten(form: Form, document: Mapping[str, Any]) -> Flat:
    """Return a document with our additions beside the layout's fields."""
    own = object_of(document.get(OWN))
    flat = {key: own[key] for key in form.added if key in own}
    return flat | {key: value for key, value in document.items() if key != OWN}


def compose_document(
    form: Form, document: Mapping[str, Any], id_: str
) -> tuple[dict[str, Value], str]:
    """Return the fields and the body of a document's note. Raises UsageError, MalformedError."""
    flat = flatten(form, document)
    fields, body = form.compose({**flat, "id": id_})
    read = form.read(as_entry(fields, body))
    if unknown := {key: value for key, value in flat.items() if key not in (*read, *form.fields)}:
        # Values of frontmatter can be frontmatter again, any others can't.
        fields[IMPORTED] = unknown if BODY in document else json.dumps(unknown, ensure_ascii=False)
    return fields, body


def write_document(layout: Layout, form: Form, entry: Entry) -> dict[str, Any]:
    """Return the document of a note, with our additions under `engrain`."""
    flat = form.read(entry)
    if entry.source.get("kind") in (layout.name, "import", None):  # not from another layout
        kept = entry.fields.get(IMPORTED)
        flat = object_of(kept) | parse_object(kept) | flat
    document = {key: flat.pop(key) for key in form.fields if key in flat}
    own = {key: flat.pop(key) for key in form.added if key in flat}
    document |= flat
    return {**document, OWN: own} if own else document


def describe_entry(layout: Layout, row: LayoutRow, entry: Entry, name: str = "") -> dict[str, Any]:
    """Return an entry's document for the file `name`, with its further fields under `engrain`."""
    note = entry.note
    if isinstance(note, JsonNote):
        own = _read_own_fields(row, entry, note.own.keys() - _NOT_OF_RECORDS, name)
        if "id" not in row.ids or own.get("id") == note.document.get("id"):
            own.pop("id", None)
        return {**note.document, OWN: own} if own else dict(note.document)
    document = write_document(layout, row.form, entry) if row.form else {}
    own = {**_read_own_fields(row, entry, row.own, name), **object_of(document.pop(OWN, None))}
    return {**document, OWN: own} if own else document


def _read_own_fields(
    row: LayoutRow, entry: Entry, keys: Iterable[str], name: str
) -> dict[str, Value]:
    """Return these fields of an entry, without empty ones and defaults."""
    said: dict[str, Value] = {
        **entry.fields,
        "kind": entry.kind,
        "slug": entry.slug,
        "status": entry.status,
        "id": entry.id,
        "project": entry.project,
    }
    defaults = row.defaults(name)
    return {
        key: said[key]
        for key in [*said, *row.own]
        if key in keys and said.get(key) not in _EMPTY and said[key] != defaults.get(key)
    }


def read_own(row: LayoutRow, document: Mapping[str, Any]) -> dict[str, Value]:
    """Return the fields under `engrain` in a document that an import takes over."""
    own = document.get(OWN)
    if not isinstance(own, dict):
        return {}
    record = row.form is None
    return {
        key: [tag for tag in list_of(value) if isinstance(tag, str)] if key == "tags" else value
        for key, value in own.items()
        if (key not in _NOT_OF_RECORDS if record else key in row.own)
        and value is not None
        and _RULES.get(key, lambda _: True)(value)
    }


def _read_page(entry: Entry) -> Flat:
    return {BODY: entry.note.body.removeprefix("\ufeff")}


def page_row(kind: str, pattern: str, fixed: Fixed, **more: Any) -> LayoutRow:
    """Return the row of a file of markdown whose frontmatter has no meaning here."""
    form = Form((BODY,), lambda flat: ({}, str(flat[BODY])), _read_page, links=name_nothing)
    return LayoutRow(kind, pattern, form, own=(), ids=(), fixed=fixed, **more)


_RULES: Mapping[str, Callable[[Any], bool]] = {
    "project": lambda value: isinstance(value, str) and bool(value.strip()),
    "slug": lambda value: isinstance(value, str) and bool(value.strip()),
    "status": lambda value: value in STATUSES,
    "created": lambda value: read_instant(value) is not None,
    "valid_from": lambda value: read_instant(value) is not None,
    "valid_to": lambda value: read_instant(value) is not None,
    "confidence": lambda value: fraction_in(value) is not None,
}
"""By field what it must be to be taken over."""


def read_links(entry: Entry) -> list[Any]:
    """Return the links of an entry as they are written, without mirrored ones."""
    written = entry.fields.get("links")
    if isinstance(written, list) and all(isinstance(link, dict) for link in written):
        return [link for link in written if link.get(MADE) != MIRRORED]  # type: ignore[union-attr]
    return [{"to": to, "relation": relation} for to, relation in entry.links]


def follow(document: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a document with new ids in its citations and links."""

    def one(item: Any) -> Any:
        if isinstance(item, dict) and isinstance(item.get("to"), str):
            return {**item, "to": names.get(item["to"], item["to"])}
        return names.get(item, item) if isinstance(item, str) else item

    changed = dict(document)
    for key in ("source_episodes", "sources", "links", "relations", "source"):
        value = changed.get(key)
        if isinstance(value, list):
            changed[key] = [one(item) for item in value]
        elif isinstance(value, str):
            changed[key] = names.get(value, value)
    if isinstance(changed.get(OWN), dict):
        changed[OWN] = follow(changed[OWN], names)
    return changed


def ids_in(row: LayoutRow, document: Mapping[str, Any], path: str) -> str:
    """Return the id that a document of a file states, "" for none."""
    values = {
        **document,
        OWN: object_of(document.get(OWN)).get("id"),
        "stem": stem_of(path),
        "agent": f"{row.kind}-{id_in(document.get('agent_id')) or stem_of(path)}",
    }
    return next((word for key in row.ids if (word := id_in(values.get(key)))), "")
