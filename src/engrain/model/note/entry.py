"""An entry: one atomic memory, read from a note and its place (S1.6, S1.10, DESIGN section 6).

Reading is lenient about values (one of a wrong type is left out and noted in `warnings`) and strict
about form (a file that can't be parsed raises). A note without frontmatter is an entry too: kind
and status are then detected from its folder and text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from engrain.language.text.folding import tag_key
from engrain.language.text.instants import read_instant
from engrain.model.errors import MalformedError
from engrain.model.note.field import OWN_FIELDS, Value
from engrain.model.note.note import Note, decode_file, hash_bytes, path_id, split_note
from engrain.model.note.tiers import (
    ACTIVE,
    COMMITMENT,
    DEFAULT_KIND,
    ORIGINS,
    STATUSES,
    in_always_load,
    project_of,
    split_ending,
    tier_of,
    zone_of,
)

MOST = 2_000
"""The most characters of a note's properties."""
_DEPTH = 4

_TECHNICAL = (
    r"(?i)\A(?:.{0,100}(?:uuid|guid|checksum|sha\d{0,3}|md5|hash|css-?class(?:es)?)|u?id|ids"
    r"|(?:date[ _-]?|time[ _-]?)?(?:created|updated|modified)(?:[ _-]?(?:at|on|time|date))?"
    r"|(?:creation|modification)[ _-]?(?:date|time)"
    r"|last[ _-]?(?:modified|updated|edited|opened|viewed|mod)(?:[ _-]?(?:at|date|time))?"
    r"|[cm]time|birthtime|publish|permalink|banner.{0,20}|icon|layout|template|nav[ _-]?order)\Z"
)
_LINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")
_CODE = r"(?i)\A(?:(?=[0-9a-f-]*\d)[0-9a-f-]{16,}|(?=\w*\d)(?=\w*[A-Za-z])[\w+/=-]{24,})\Z"


def describe_properties(fields: Mapping[str, Value], *, whole: bool = True) -> str:
    """Return the properties as lines `name: value`, "" for none; with `whole` also what an import
    put under `imported`."""
    if "archived" in fields:  # then the summary says how it was shortened
        fields = {key: value for key, value in fields.items() if key != "summary"}
    lines = list(_lines(fields, 0))
    aside = fields.get("imported")
    if whole and isinstance(aside, dict):
        lines += _lines(aside, 0, own=False)
    text = "\n".join(lines)
    if len(text) <= MOST:
        return text
    return text[:MOST].rpartition("\n")[0] or text[:MOST]


def _lines(fields: Mapping[str, Value], depth: int, *, own: bool = True) -> Iterator[str]:
    for key, value in fields.items():
        if (own and key in OWN_FIELDS) or re.fullmatch(_TECHNICAL, key):
            continue
        if said := ", ".join(_texts(value, depth)):
            yield f"{key}: {said}"


def _texts(value: Value, depth: int) -> Iterator[str]:
    """Yield the texts in a value; a link's name and label for a link."""
    if value is None or isinstance(value, bool) or depth > _DEPTH:
        return
    if isinstance(value, dict):
        yield from _lines(value, depth + 1, own=False)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, depth + 1)
    else:
        text = " ".join(_LINK.sub(_name_link, str(value)).split())
        if text and not re.fullmatch(_CODE, text):
            yield text


def _name_link(found: re.Match[str]) -> str:
    name = found[1].rpartition("/")[2].strip()
    return f"{name} ({found[2].strip()})" if found[2] and found[2].strip() != name else name


T = TypeVar("T")

_HASHTAG = re.compile(r"(?<!\S)#[^\s#]")


def parse_note(raw: bytes, path: str) -> Note:
    """Return the note in the bytes of the file at `path`. Raises MalformedError."""
    if not path.endswith(".json"):
        return split_note(raw)
    from engrain.model.note.json_note import read_json_note  # few entries are records

    return read_json_note(decode_file(raw), path)


STRUCTURED = frozenset((
    "anti-pattern", "commitment", "continuity", "crystallized", "entity", "episode", "learning",
    "pattern", "procedural", "progress", "proposal", "roadmap",
))  # fmt: skip
"""Kinds of notes that have further fields of Engrain's own."""

_BY_PEOPLE = (None, "import", "cli", "mcp")
"""The kinds of `source` of notes in which a further field is no program's own."""

COMMITMENT_STATES = ("open", "kept", "broken")
"""The states of a promise (S3.8)."""

IMPORTS = frozenset(("import", "claude-memory", "conversation", "living", "loki", "three-layer"))
"""The kinds of `source` of entries that were imported from another memory or folder."""
UNUSED, USED = 1, 2
"""Whether somebody here has read an imported entry by its id or built on it."""


class Entry:
    """The fields of DESIGN section 6, and the place they were read from.

    Times are seconds since the epoch or None; `hash` is that of the whole file; `text` is the
    body without a heading that repeats the title; `fields` has all values of the frontmatter.
    """

    __slots__ = (
        "always_load", "confidence", "created", "derived_from", "fields", "hash", "id", "kind",
        "last_recalled", "links", "note", "path", "project", "recall_count",
        "sessions_since_recall", "slug", "source", "status", "supersedes", "tags", "text", "tier",
        "title", "updated", "valid_from", "valid_to", "warnings", "weight", "zone",
    )  # fmt: skip

    def __init__(self, path: str, note: Note, hash_: str) -> None:
        read = _Fields(note)
        fields = read.fields
        self.path = path
        self.note = note
        self.hash = hash_
        self.fields = fields
        self.tier = tier_of(path)
        self.zone = zone_of(path)
        stem = split_ending(path)[0]
        self.id = read.text("id") or path_id(path)
        self.slug = read.text("slug") or stem
        self.kind = read.text("kind") or _detect_kind(path, note.body)
        self.status = read.choice("status", STATUSES) or _detect_status(path)
        self.project = read.text("project") or project_of(path)
        self.tags = read.words("tags")
        self.created = read.instant("created")
        self.updated = read.instant("updated") or self.created
        self.valid_from = read.instant("valid_from")
        self.valid_to = read.instant("valid_to")
        self.last_recalled = read.instant("last_recalled")
        always_load = fields.get("always_load")
        self.always_load = always_load is True or (always_load is None and in_always_load(path))
        self.supersedes = read.text("supersedes")
        self.derived_from = read.words("derived_from")
        self.links = read.links()
        self.source = read.mapping("source")
        self.confidence = read.fraction("confidence")
        self.weight = read.fraction("weight")
        self.recall_count = read.count("recall_count")
        self.sessions_since_recall = read.count("sessions_since_recall")
        heading, rest = split_heading(note.body)
        self.title = read.text("title") or heading or stem
        self.text = rest if heading == self.title else note.body
        if self.kind == COMMITMENT:
            read.choice("state", COMMITMENT_STATES)
            read.instant("due")
        self.warnings = read.warnings

    @property
    def all_tags(self) -> tuple[str, ...]:
        """The tags of its frontmatter, and after them the `#tags` in its text."""
        if not _HASHTAG.search(self.note.body) or self.path.endswith(".json"):
            return self.tags
        from engrain.model.note.detection import read_hashtags

        known = {tag_key(tag) for tag in self.tags}
        return (*self.tags, *(tag for tag in read_hashtags(self.note.body) if tag not in known))

    @property
    def properties(self) -> str:
        """The fields that a person or another tool gave it, as lines of text."""
        return read_properties(self.path, self.kind, self.fields)

    @property
    def imported(self) -> int:
        """`UNUSED` or `USED` for an imported entry, 0 for any other."""
        if self.source.get("kind") not in IMPORTS:
            return 0
        return USED if self.fields.get("last_used") else UNUSED

    @property
    def trust(self) -> str:
        """The origin that the file claims, external without a claim."""
        claimed = self.source.get("trust")
        return claimed if isinstance(claimed, str) and claimed in ORIGINS else "external"


def read_entry(path: str, raw: bytes, hash_: str = "") -> Entry:
    """Return the entry in a file's bytes, whose hash may be given. Raises MalformedError with the
    `path`."""
    try:
        return Entry(path, parse_note(raw, path), hash_ or hash_bytes(raw))
    except MalformedError as error:
        error.path = path
        raise


def read_tags(note: Note) -> tuple[str, ...]:
    """Return the tags in a note's frontmatter. Raises MalformedError."""
    return _Fields(note).words("tags")


def read_properties(
    path: str, kind: str, fields: Mapping[str, Value], *, whole: bool = True
) -> str:
    """Return the properties of a note (see `properties`) from its fields, "" for none; `whole` is
    passed on."""
    if fields.keys() <= OWN_FIELDS and "imported" not in fields:
        return ""
    source = fields.get("source")
    written = source.get("kind") if isinstance(source, dict) else None
    own = written not in _BY_PEOPLE or (kind in STRUCTURED and written != "import")
    if path.endswith(".json") or own:
        return ""

    return describe_properties(fields, whole=whole)


def add_properties(text: str, properties: str) -> str:
    """Return a text with the properties of its note under it."""
    if not properties:
        return text
    return f"{text.rstrip()}\n\n{properties}" if text.strip() else properties


def split_heading(body: str) -> tuple[str | None, str]:
    """Return the first-level heading that opens a body (None for none), and the text under it."""
    stripped = body.lstrip("\ufeff\r\n \t")
    if not stripped.startswith("# "):
        return None, body
    line, _, rest = stripped.partition("\n")
    return line[2:].strip() or None, rest.lstrip("\r\n")


def text_under(title: str, body: str) -> str:
    """Return the body without a heading that repeats the title."""
    heading, rest = split_heading(body)
    return rest if heading == title else body


def _detect_kind(path: str, body: str) -> str:
    from engrain.model.note.detection import detect_kind

    return detect_kind(None, path, body, DEFAULT_KIND).value


def _detect_status(path: str) -> str:
    from engrain.model.note.detection import detect_status

    return detect_status(None, path).value or ACTIVE


class _Fields:
    """Reads typed values out of frontmatter, collecting what is wrong instead of failing."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.fields = note.fields
        self.warnings: list[str] = []

    def text(self, key: str) -> str | None:
        value = self.fields.get(key)
        if value is None:
            return None
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.note.written(key)
        if value != "":
            self._wrong(key, "text")
        return None

    def choice(self, key: str, among: Sequence[str]) -> str | None:
        value = self.text(key)
        if value is not None and value not in among:
            self._wrong(key, "one of " + ", ".join(among))
            return None
        return value

    def words(self, key: str) -> tuple[str, ...]:
        value = self.fields.get(key)
        if value is None:
            return ()
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = self.note.written(key)
        if isinstance(value, str):
            value = [part for part in value.replace(",", " ").split() if part]
        if isinstance(value, list):
            words = (str(item).lower() if isinstance(item, bool) else item for item in value)
            return tuple(str(word) for word in words if isinstance(word, str | int | float))
        self._wrong(key, "a list")
        return ()

    def instant(self, key: str) -> float | None:
        value = self.fields.get(key)
        return None if value is None else self._checked(key, read_instant(value), "a date")

    def fraction(self, key: str) -> float | None:
        value = self.fields.get(key)
        if value is None:
            return None
        fine = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
        return self._checked(key, float(value) if fine else None, "a number from 0 to 1")  # type: ignore[arg-type]

    def count(self, key: str) -> int:
        value = self.fields.get(key)
        if value is None:
            return 0
        fine = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return self._checked(key, value if fine else None, "a count") or 0  # type: ignore[arg-type]

    def _checked(self, key: str, found: T | None, wanted: str) -> T | None:
        if found is None:
            self._wrong(key, wanted)
        return found

    def mapping(self, key: str) -> dict[str, Value]:
        value = self.fields.get(key)
        if isinstance(value, dict):
            return value
        return {} if value is None else {"ref": str(value)}

    def links(self) -> tuple[tuple[str, str], ...]:
        """Return typed links as (target, relation); a bare item is `related_to` (S2.9, S3.2)."""
        value = self.fields.get("links")
        if value is None:
            return ()
        found = []
        for item in value if isinstance(value, list) else ():
            if isinstance(item, dict) and isinstance(item.get("to"), str):
                found.append((str(item["to"]), str(item.get("relation") or "related_to")))
            elif isinstance(item, str):
                found.append((item, "related_to"))
        if not isinstance(value, list):
            self._wrong("links", "a list")
        return tuple(found)

    def _wrong(self, key: str, wanted: str) -> None:
        self.warnings.append(f"{key} is not {wanted}")
