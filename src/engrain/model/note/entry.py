"""An entry: one atomic memory, read from a note and its place (S1.6, S1.10, DESIGN section 6).

Reading is lenient about values (one of a wrong type is left out and noted in `warnings`) and strict
about form (a file that can't be parsed raises). A note without frontmatter is an entry too: kind
and status are then detected from its folder and text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from engrain.language.text.folding import tag_key
from engrain.language.text.instants import read_instant
from engrain.model.errors import MalformedError
from engrain.model.note.field import Value
from engrain.model.note.foreign import detect_kind, detect_status, read_hashtags
from engrain.model.note.json_note import parse_note
from engrain.model.note.note import Note, hash_bytes, path_id
from engrain.model.note.properties import read_properties, split_heading
from engrain.model.note.tiers import (
    ACTIVE,
    COMMITMENT,
    DEFAULT_KIND,
    ORIGINS,
    STATUSES,
    UNUSED,
    USED,
    in_always_load,
    project_of,
    split_ending,
    tier_of,
    zone_of,
)

T = TypeVar("T")

_HASHTAG = re.compile(r"(?<!\S)#[^\s#]")


COMMITMENT_STATES = ("open", "kept", "broken")
"""The states of a promise (S3.8)."""

IMPORTS = frozenset(("import", "claude-memory", "conversation", "living", "loki", "three-layer"))
"""The kinds of `source` of entries that were imported from another memory or folder."""


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
        self.kind = read.text("kind") or detect_kind(None, path, note.body, DEFAULT_KIND).value
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


def _detect_status(path: str) -> str:
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
