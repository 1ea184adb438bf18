"""The table of a layout's files, and the conversion of their documents to entries and back.

A row says where the files of one kind lie and what their documents say. Reading and writing use the
same rows. Keys that mean nothing here are kept in the note, and written again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
    RELATED,
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
LINK = "link"
"""The kind of the links in a file of links, which are no entries."""
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
STATUSES = (ACTIVE, "superseded", "archived")
"""The statuses of entries that are exported and imported."""
_NOT_OF_RECORDS = frozenset(
    (
        *COUNTERS, "kind", "source", "filed", "links", "always_load", "pinned", "archived",
        "deleted_at", "created", IMPORTED,
    )
)  # fmt: skip
_EMPTY: tuple[object, ...] = (None, [], "")
CITING = ("source_episodes", "sources", "links", "relations", "source")
"""The fields with ids of other documents."""


def get_same(value: Any) -> Any:
    """Return a value as it is, a tuple as a list."""
    return list(value) if isinstance(value, tuple) else value


def get_text(value: Any) -> str | None:
    """Return a text, None for another value."""
    return value if isinstance(value, str) else None


def get_nothing(_: Any) -> list[Any]:
    """Return an empty list, in place of a value that is found in another way, or not wanted."""
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


@dataclass(slots=True, frozen=True)
class FieldRow:
    """A field of a layout's documents: its name `there`, the name of its value `here`, and how the
    value is converted. `into` returns what a note gets, None for a value that can't be believed;
    `out` returns what a document gets. An `added` field is ours: it is stored under `engrain`, and
    left out if it is empty."""

    there: str
    here: str = ""
    _: KW_ONLY
    into: Callable[[Any], Any] = get_same
    out: Callable[[Any], Any] = get_same
    added: bool = False


ID, LINKS = FieldRow("id", into=get_nothing), FieldRow("links", into=get_nothing)
"""The rows of the id, and of the links, which the function `links` of a `Form` returns."""


def list_fields(*names: str, **more: Any) -> list[FieldRow]:
    """Return the rows of fields that have the same name here and are converted alike."""
    return [FieldRow(name, **more) for name in names]


def compose_as_said(said: Flat) -> tuple[dict[str, Value], str]:
    """Return the values of a document as the fields of a note and its body."""
    return {key: value for key, value in said.items() if key != BODY}, str(said[BODY])


@dataclass(slots=True, eq=False)
class Form:
    """The form of the documents of one kind: their fields in the layout's order (`rows`), a
    function that makes the fields and the body of a note of the converted values (`compose`), one
    that returns the values of an entry that are neither a property nor a field of it (`values`),
    and one that returns the `links` of a document. Further fields are kept in one field of the
    note; but with `ours`, the names that mean something here, the others are its own fields."""

    rows: Sequence[FieldRow]
    _: KW_ONLY
    compose: Callable[[Flat], tuple[dict[str, Value], str]] = compose_as_said
    values: Callable[[Entry], Mapping[str, Any]] = lambda _: {}
    links: Callable[[Flat], list[dict[str, Any]]] = plain_links
    ours: Collection[str] | None = None

    @property
    def fields(self) -> list[str]:
        """The names of the layout's fields."""
        return [row.there for row in self.rows if not row.added]

    @property
    def added(self) -> list[str]:
        """The names of our fields."""
        return [row.there for row in self.rows if row.added]

    def flatten(self, document: Mapping[str, Any]) -> Flat:
        """Return a document with our additions beside the layout's fields."""
        own = object_of(document.get(OWN))
        ours = {key: own[key] for key in self.added if key in own}
        return ours | {key: value for key, value in document.items() if key != OWN}

    def read(self, entry: Entry) -> Flat:
        """Return the fields of a document by an entry."""
        said = {**self.values(entry), "links": read_links(entry), BODY: entry.note.body}
        flat: Flat = {}
        if self.ours is not None:
            ours = (*self.ours, RELATED if entry.note.draws else "")
            flat = {key: value for key, value in entry.fields.items() if key not in ours}
        for row in self.rows:
            here = row.here or row.there
            value = said[here] if here in said else getattr(entry, here, entry.fields.get(here))
            value = row.out(value)
            if not row.added or value not in _EMPTY:
                flat[row.there] = value
        return flat


Fixed: TypeAlias = "Callable[[Mapping[str, Any], str, str | None], str]"


@dataclass(slots=True, eq=False)
class LayoutRow:
    """The files of one kind. `pattern` is their place, with `{day}` and `{name}` as in an export; a
    place without these is one file. With `many` a file is a list, and `shape` the object
    around it in a new file. Without a `form` a document is stored as it is. `own` are the entry's
    fields that are stored under `engrain`, unless they have a value of `defaults`, which gets the
    file's name."""

    kind: str
    pattern: str
    form: Form | None = None
    _: KW_ONLY
    many: bool = False
    shape: Any = ()
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
    prepare: Callable[[Any, Any], bool] | None = None
    """Makes a document one that can be stored, by the importer; returns whether it is an entry."""
    blank: str | None = None
    """The text of a page of the operator's that nobody has filled in yet. The note of such a page
    has no fields but those that came with it."""
    prefix: str = ""
    """The text before the id in the name of a new file."""
    label: str = ""
    """The name of its documents in an export's counts, the kind if empty."""

    @property
    def is_markdown(self) -> bool:
        """Whether its files are markdown, not JSON."""
        return self.pattern.endswith(".md")

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
        return bool(re.fullmatch(expected, name)) and name.rpartition("/")[2] != "index.json"

    def find_shape(self, raw: bytes) -> Any:
        """Return what is around the documents in a file of many: an object with an empty list, or
        an empty object for a single document. Return None for a bare list, and for what is around
        those of a new file, which other readers of the layout expect. Raises MalformedError."""
        value = read_value(raw) if self.many else []
        if not isinstance(value, dict):
            return None
        key = list_in(value)
        shape = {**value, key: []} if key else {}
        return None if shape == self.shape else shape

    def read_own(self, document: Mapping[str, Any]) -> dict[str, Value]:
        """Return the fields under `engrain` in a document that an import takes over."""
        found: dict[str, Value] = {}
        for key, value in object_of(document.get(OWN)).items():
            wanted = key not in _NOT_OF_RECORDS if self.form is None else key in self.own
            said = _RULES.get(key, get_same)(value) if wanted else None
            found |= {} if said is None else {key: said}
        return found

    def find_id(self, document: Mapping[str, Any], path: str) -> str:
        """Return the id that a document of a file states, "" for none."""
        values = {
            **document,
            OWN: object_of(document.get(OWN)).get("id"),
            "stem": stem_of(path),
            "agent": f"{self.kind}-{id_in(document.get('agent_id')) or stem_of(path)}",
        }
        return next((word for key in self.ids if (word := id_in(values.get(key)))), "")


_DAY = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_PART = re.compile(r"\{(\w+)\}")
_PATH = r"[^/.][^/]*(?:/[^/.][^/]*)*"
_PARTS = {"name": _PATH, "day": _PATH, "slug": "[^/]+", "date": _DAY}
"""By the name of a part of a place what may be there."""


@dataclass(slots=True, eq=False)
class Layout:
    """A layout of another memory: its name, its rows in the order in which their files are read,
    the form of the reference that an entry records as its source, the fields that a repeated import
    does not compare (`unlike`), the files that an export makes of the others, which say nothing
    more (`generated`), and a function that returns the kind or label of an entry's row."""

    name: str
    rows: Sequence[LayoutRow]
    _: KW_ONLY
    ref: str = "{tree}/{path}#{given}"
    unlike: Sequence[str] = (OWN, "links", "id")
    generated: Sequence[str] = ()
    label_of: Callable[[Entry], str] = lambda entry: entry.kind

    def row_at(self, name: str) -> LayoutRow | None:
        """Return the row of a file, None for a file that is not read."""
        return next((row for row in self.rows if row.holds(name)), None)

    def passes_over(self, name: str) -> bool:
        """Whether a file is no part of the layout."""
        return self.row_at(name) is None and name not in self.generated

    def row_of(self, kind: str) -> LayoutRow:
        """Return the first row of a kind or label."""
        return next(row for row in self.rows if kind in (row.kind, row.label))

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
    return text if re.fullmatch(_DAY, text) else ""


def read_file(row: LayoutRow, raw: bytes) -> list[Any]:
    """Return the documents in a file. Raises MalformedError."""
    if row.kind == KEPT:
        return [{"text": decode_utf8(raw)}]
    if row.is_markdown:
        note = split_note(raw)
        document = {**note.fields, BODY: note.body.removeprefix("\ufeff")}
        number = isinstance(document.get("id"), int | float) and "id" in row.ids
        return [{**document, "id": note.written("id")} if number else document]  # 007 is not 7
    value = read_value(raw)
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise MalformedError("neither an object nor a list", reason="json", line=1)
    if row.many and (key := list_in(value)):
        return value[key]  # type: ignore[no-any-return]
    if row.many and "{" not in row.pattern:
        raise MalformedError("no list of objects", reason="json", line=1)
    return [value]


def read_value(raw: bytes) -> Any:
    """Return the value in a file of JSON, which may be larger than a note. Raises
    MalformedError."""
    return read_json(decode_file(raw) if len(raw) <= MAX_NOTE_BYTES else decode_utf8(raw))


def list_in(value: Mapping[str, Any]) -> str:
    """Return the key of the only list in an object if its items are objects, else ""."""
    lists = [key for key, part in value.items() if isinstance(part, list)]
    fine = len(lists) == 1 and all(isinstance(item, dict) for item in value[lists[0]])
    return lists[0] if fine else ""


def fill_shape(shape: Any, documents: Sequence[Any]) -> Any:
    """Return the value of a file of this shape with the documents."""
    whole = object_of(shape)
    key = next((key for key, part in whole.items() if part == []), "")
    if key:
        return {**whole, key: documents}
    return documents[0] if shape == {} and len(documents) == 1 else documents


def as_entry(fields: Mapping[str, Value], body: str) -> Entry:
    """Return the entry of a note that has no place yet."""
    return Entry("Memory/note.md", compose_note(fields, body), "")


def compose_document(
    form: Form, document: Mapping[str, Any], id_: str
) -> tuple[dict[str, Value], str]:
    """Return the fields and the body of a document's note. Raises UsageError, MalformedError."""
    flat = form.flatten(document)
    said = {row.here or row.there: row.into(flat.get(row.there)) for row in form.rows}
    said = {key: value for key, value in said.items() if value not in (None, [])}
    fields, body = form.compose({"id": id_, **said})
    if links := form.links(flat):
        fields["links"] = [*links]
    if form.ours is not None:
        fields |= {key: value for key, value in flat.items() if key not in form.ours}
    read = form.read(as_entry(fields, body))
    if unknown := {key: value for key, value in flat.items() if key not in (*read, *form.fields)}:
        # Values of frontmatter can be frontmatter again, any others can't.
        fields[IMPORTED] = unknown if BODY in document else json.dumps(unknown, ensure_ascii=False)
    return fields, body


def describe_entry(layout: Layout, row: LayoutRow, entry: Entry, name: str = "") -> dict[str, Any]:
    """Return an entry's document for the file `name`, with its further fields under `engrain`."""
    note, keys = entry.note, set(row.own)
    document: dict[str, Any] = {}
    added: dict[str, Any] = {}
    if isinstance(note, JsonNote):
        document, keys = dict(note.document), note.own.keys() - _NOT_OF_RECORDS
        if "id" not in row.ids or note.own.get("id") == document.get("id"):
            keys -= {"id"}
    elif row.form:
        flat = row.form.read(entry)
        if entry.source.get("kind") in (layout.name, "import", None):  # not from another layout
            kept = entry.fields.get(IMPORTED)
            flat = object_of(kept) | parse_object(kept) | flat
        document = {key: flat.pop(key) for key in row.form.fields if key in flat}
        added = {key: flat.pop(key) for key in row.form.added if key in flat}
        document |= flat
    said = {
        **entry.fields,
        **{key: getattr(entry, key) for key in ("kind", "slug", "status", "id", "project")},
    }
    usual = row.defaults(name)
    own = {
        key: value
        for key, value in said.items()
        if key in keys and value not in _EMPTY and value != usual.get(key)
    }
    own |= {**object_of(document.pop(OWN, None)), **added}
    return {**document, OWN: own} if own else document


def page_row(kind: str, pattern: str, fixed: Fixed, **more: Any) -> LayoutRow:
    """Return the row of a file of markdown whose frontmatter has no meaning here."""
    text = FieldRow(BODY, out=lambda body: body.removeprefix("\ufeff"))
    form = Form((text,), compose=lambda said: ({}, str(said[BODY])), links=get_nothing)
    return LayoutRow(kind, pattern, form, own=(), ids=(), fixed=fixed, **more)


_RULES: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("project", "slug"), lambda value: value if get_text(value) and value.strip() else None
    ),
    **dict.fromkeys(
        ("created", "valid_from", "valid_to"),
        lambda value: None if read_instant(value) is None else value,
    ),
    "status": lambda value: value if value in STATUSES else None,
    "confidence": fraction_in,
    "tags": lambda value: [tag for tag in list_of(value) if isinstance(tag, str)],
}
"""By field under `engrain` how it is converted; None for a value that is not taken over."""


def read_links(entry: Entry) -> list[Any]:
    """Return the links of an entry as they are written, without mirrored ones."""
    written = entry.fields.get("links")
    if isinstance(written, list) and all(isinstance(link, dict) for link in written):
        return [link for link in written if link.get(MADE) != MIRRORED]  # type: ignore[union-attr]
    return [{"to": to, "relation": relation} for to, relation in entry.links]


def follow(document: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a document with new ids in its citations and links."""

    def rename(item: Any) -> Any:
        if isinstance(item, list):
            return [rename(part) for part in item]
        if isinstance(item, dict) and isinstance(item.get("to"), str):
            return {**item, "to": names.get(item["to"], item["to"])}
        return names.get(item, item) if isinstance(item, str) else item

    changed = {key: rename(document[key]) if key in CITING else document[key] for key in document}
    own = changed.get(OWN)
    return {**changed, OWN: follow(own, names)} if isinstance(own, dict) else changed
