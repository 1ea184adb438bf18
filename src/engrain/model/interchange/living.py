"""The files of a living memory (S3, "Memory Format"): a note per memory, in the folder of its sort.

What Engrain adds stands under the one key `engrain`; other frontmatter comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engrain.language.text.instants import format_instant, read_instant
from engrain.language.text.slugs import slugify
from engrain.model.interchange.documents import (
    IMPORTED,
    canonical,
    digest,
    fraction_in,
    id_in,
    stem_of,
)
from engrain.model.links.link import links_of_its_own
from engrain.model.note.documents import object_of, text_of, texts_of, trimmed
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, RECORDS
from engrain.model.note.kinds import DEFAULT_KIND, kind_of
from engrain.model.note.note import COUNTERS, RELATED, Note, compose_note
from engrain.model.note.tiers import ACTIVE, ARCHIVE, tier_of

SOURCE = "living"
"""What the source of an entry that came in from the layout says that it is."""
CORE, LIVING, ARCHIVED, PROCEDURAL = "core", "active", "archive", "procedural"
FOLDERS = (CORE, LIVING, ARCHIVED, PROCEDURAL)
FIELDS = (
    "id", "created", "last_recalled", "recall_count", "emotional_weight", "tags", "links",
    "sessions_since_recall",
)  # fmt: skip
"""The seed's frontmatter, in its order."""

_CORE_KINDS = ("identity", "value", "relationship", "commitment")
_ELSEWHERE = (*RECORDS, "pattern", "anti-pattern", "daily", "proposal")
"""Kinds that other layouts have a place for, or that pass."""
_NOT_THEIRS = frozenset(
    (
        *COUNTERS, *FIELDS, OWN, IMPORTED, "living", "kind", "slug", "status", "project", "source",
        "confidence", "valid_from", "valid_to", "always_load", "pinned", "supersedes",
        "derived_from", "filed", "archived", "deleted_at", "claimed_by", "claimed_at", "summary",
    )
)  # fmt: skip
"""Fields with a meaning here, which what comes from elsewhere has no say in."""
_STATUSES = (ACTIVE, "superseded", "archived")
_CHANGING = (
    "last_recalled", "recall_count", "sessions_since_recall", "emotional_weight", "links",
)  # fmt: skip
_OF_PLACE = ("relations", "status", "kind", "slug", "project")
_MOST = 10**9
_EMPTY: tuple[object, ...] = (None, [], "")
_FIRST, _LAST = -30_610_224_000, 253_402_300_799  # years of four digits, as ISO-8601 writes them
_BY_NAME = {
    **{f"{kind}{ending}": kind for kind in _CORE_KINDS for ending in ("", "s")},
    "identities": "identity",
}  # fmt: skip


_TIMES = ("created", "last_recalled")
_QUOTED = re.compile(rb'^(created|last_recalled): "([^"\'\\]*)"$', re.MULTILINE)
MARK = "living"
"""The field of an entry under which stands, as `made`, which of the layout's fields an import gave
it because its note had none."""


def folder_at(name: str) -> str:
    """The folder of the layout that a note of this name (with `/`) lies in, "" for what is none."""
    folder, _, rest = name.partition("/")
    fine = folder in FOLDERS and rest.endswith(".md") and "/." not in f"/{rest}"
    return folder if fine else ""


def in_reading_order(names: Iterable[str]) -> list[str]:
    """The files that are read."""
    return sorted(name for name in names if folder_at(name))


def has_place(kind: str, path: str) -> bool:
    """Whether the layout has a place for an entry of a kind at a path: for the agent's own, and
    for what the operator said where Engrain files it."""
    row = kind_of(kind)
    if kind in _ELSEWHERE or "{project}" in row.folder:
        return False
    folder = f"{row.operator_folder}/"
    return tier_of(path) == "T3" or path.removeprefix("_archive/").startswith(folder)


def folder_of(entry: Entry) -> str:
    """The folder of the layout that an entry goes to."""
    if entry.zone == ARCHIVE or entry.status != ACTIVE:
        return ARCHIVED
    if entry.kind in _CORE_KINDS:
        return CORE
    return PROCEDURAL if entry.kind == "procedural" else LIVING


@dataclass(slots=True, eq=False)
class Document:
    """A note of the layout: its frontmatter's values, its body, and the file's name."""

    name: str
    front: dict[str, Any]
    body: str

    @property
    def raw(self) -> bytes:
        """The file's bytes; times are quoted as the seed quotes them."""
        note = compose_note(self.front, self.body)
        body = note.body.encode()
        head = note.raw[: len(note.raw) - len(body)]
        return _QUOTED.sub(rb"\1: '\2'", head) + body


def write_document(
    entry: Entry, name: str, weight: float | None, sessions: int | None = None
) -> Document:
    """An entry as the note `name` of the layout, with a weight where it says none itself, and the
    sessions since it was recalled; None leaves what its file says."""
    kept = object_of(entry.fields.get(IMPORTED))
    front: dict[str, Value] = {
        "id": entry.id,
        "created": _write_instant(entry.created),
        "last_recalled": _write_instant(entry.last_recalled),
        "recall_count": entry.recall_count,
        "emotional_weight": weight if entry.weight is None else entry.weight,
        "tags": list(entry.tags),
        "links": list(dict.fromkeys(to for to, _ in links_of_its_own(entry.fields.get("links")))),
        "sessions_since_recall": entry.sessions_since_recall if sessions is None else sessions,
    }
    known = front if entry.weight is not None else {**front, "emotional_weight": None}
    front |= {key: value for key, value in kept.items() if _stands_for(value, known.get(key))}
    if entry.source.get("kind") == SOURCE:
        made = texts_of(object_of(entry.fields.get(MARK)).get("made"))
        front = {
            key: value
            for key, value in front.items()
            if key in kept or (key not in made and _is_said(entry, key, value))
        }
    drawn = RELATED if entry.note.draws else ""
    theirs = (key for key in entry.fields if _is_theirs(key) and key != drawn)
    front |= {key: entry.fields[key] for key in theirs}
    if own := _say_own(entry, name):
        front[OWN] = own
    return Document(name, front, entry.note.body)


def _stands_for(said: object, value: object) -> bool:
    """Whether what a note said of a field when it came in still says the same as its value, or the
    only thing there is."""
    return not value or (isinstance(value, str) and _instant(said) == value)


def _is_said(entry: Entry, key: str, value: object) -> bool:
    """Whether an entry says a field of the layout itself: a weight may only have been estimated."""
    field = "weight" if key == "emotional_weight" else key
    return entry.fields.get(field) is not None or bool(value and field == key)


def _say_own(entry: Entry, name: str) -> dict[str, Value]:
    folder = folder_at(name)
    own: dict[str, Value] = {
        "kind": entry.kind if entry.kind != _kind_by_name(name) else None,
        "slug": entry.slug if entry.slug != stem_of(name) else None,
        "status": entry.status if entry.status != _status_in(folder) else None,
        "project": entry.project,
        "confidence": entry.confidence,
        **{key: _write_instant(getattr(entry, key)) for key in ("valid_from", "valid_to")},
    }
    links = links_of_its_own(entry.fields.get("links"))
    if any(relation != "related_to" for _, relation in links):
        own["relations"] = [{"to": to, "relation": relation} for to, relation in links]
    return {key: value for key, value in own.items() if value is not None}


class Incoming:
    """A note on its way in, called `label`, of the `tree` known by that name. `given` is the id
    that it has there, `id` the one it has here; `fields` are all others that it gives an entry."""

    cites = True
    """It may name other notes, so it waits until their ids are known."""

    def __init__(self, label: str, tree: str, note: Note, at: float | None = None) -> None:
        """`at` is the date of its file, which a note that names none of its own gets."""
        front = note.fields
        own = object_of(front.get(OWN))
        self.label = label
        self.tree = tree
        self.body = note.body.removeprefix("\ufeff")
        self.stem = stem_of(label)
        self.given = _id_of(note, front)
        if not self.given:
            self.given = f"{slugify(self.stem, 'memory')}-{digest([tree, label], 8)}"
        self.id = self.given
        self.kind = _kind_said(own) or _kind_by_name(label)
        status = own.get("status")
        self.status = str(status) if status in _STATUSES else _status_in(folder_at(label))
        self.links = _read_links(front.get("links"), own.get("relations"))
        self.fields = self._read_fields(front, own)
        if "created" not in self.fields and at is not None:
            self.fields |= {"created": format_instant(at), MARK: {"made": ["created"]}}

    @property
    def ref(self) -> str:
        """Where it came from: notes of the layout move from folder to folder, so by its id."""
        return f"{self.tree}#{self.given}"

    @property
    def digest(self) -> str:
        """The hash of its name and text."""
        return digest([self.label, self.body], 8)

    def rename(self, renamed: Mapping[str, str]) -> None:
        """Follow ids that other notes of the same tree did not get."""
        self.links = list(dict.fromkeys((renamed.get(to, to), how) for to, how in self.links))

    def _read_fields(self, front: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Value]:
        """What is said wrongly is only kept."""
        said: dict[str, Value] = {
            "created": _instant(front.get("created")),
            "last_recalled": _instant(front.get("last_recalled")),
            "recall_count": _count(front.get("recall_count")),
            "weight": fraction_in(front.get("emotional_weight")),
            "tags": _words(front.get("tags")),
            "sessions_since_recall": _count(front.get("sessions_since_recall")),
        }
        written: dict[str, Value] = {
            key: front[key] for key in FIELDS[1:] if key in front and _is_odd(key, front, said)
        }
        names = {"weight": "emotional_weight"}
        understood = {names.get(key, key) for key, value in said.items() if value is not None}
        understood |= {"id", OWN} | ({"links"} if self.links else set())
        ours = {key: front[key] for key in front if key in _NOT_THEIRS and key not in understood}
        kept = {key: value for key, value in ours.items() if value not in _EMPTY}
        said |= {
            "slug": trimmed(own.get("slug")) or self.stem,
            "project": trimmed(own.get("project")) or None,
            "confidence": fraction_in(own.get("confidence")),
            "valid_from": _instant(own.get("valid_from")),
            "valid_to": _instant(own.get("valid_to")),
            IMPORTED: {**written, **kept} or None,
        }
        fields = {key: value for key, value in said.items() if value not in (None, [])}
        return fields | {key: value for key, value in front.items() if _is_theirs(key)}


def _is_odd(key: str, front: Mapping[str, Any], said: Mapping[str, Value]) -> bool:
    """Whether a field is written otherwise than it would be here, or is empty."""
    return front[key] in _EMPTY or (key in _TIMES and said[key] not in (None, front[key]))


def substance(document: Document) -> str:
    """What a note says but for its links, how often it was used and what became of it."""
    front = {key: value for key, value in document.front.items() if key not in _CHANGING}
    front["created"] = _instant(front.get("created")) or front.get("created")
    own = object_of(front.pop(OWN, None))
    own = {key: value for key, value in own.items() if key not in _OF_PLACE}
    return canonical([front, own, document.body])


def _is_theirs(key: str) -> bool:
    return key not in _NOT_THEIRS


def _kind_said(own: Mapping[str, Any]) -> str:
    """The kind that a note says it is, "" where that can't be one here."""
    kind = trimmed(own.get("kind"))
    fine = slugify(kind, "") == kind and has_place(kind, f"{kind_of(kind).folder}/file")
    return kind if fine else ""


def _kind_by_name(name: str) -> str:
    folder = folder_at(name)
    if folder == CORE:
        return _BY_NAME.get(stem_of(name).lower(), "identity")
    return PROCEDURAL if folder == PROCEDURAL else DEFAULT_KIND


def _status_in(folder: str) -> str:
    return "archived" if folder == ARCHIVED else ACTIVE


def _id_of(note: Note, front: Mapping[str, Any]) -> str:
    id_ = front.get("id")
    number = isinstance(id_, int | float) and not isinstance(id_, bool)
    return id_in(note.written("id") if number else id_)  # 007 is no 7


def _read_links(said: object, relations: object) -> list[tuple[str, str]]:
    """Links with their relations: those that are given one, and `related_to` for the others."""
    given: dict[str, list[str]] = {}
    for item in relations if isinstance(relations, list) else ():
        if isinstance(item, dict) and (to := trimmed(item.get("to"))):
            given.setdefault(to, []).append(trimmed(item.get("relation")) or "related_to")
    links: dict[tuple[str, str], None] = {}
    for item in said if isinstance(said, list) else ():
        to = trimmed(item.get("to")) if isinstance(item, dict) else id_in(item)
        if to:
            how = trimmed(item.get("relation")) if isinstance(item, dict) else ""
            for relation in [how] if how else given.get(to, ["related_to"]):
                links[to, relation] = None
    return list(links)


def _instant(value: object) -> str | None:
    at = read_instant(value)
    return None if at is None or not _FIRST <= at <= _LAST else format_instant(at)


def _write_instant(at: float | None) -> str | None:
    return None if at is None else format_instant(at)


def _count(value: object) -> int | None:
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return value if fine else None  # type: ignore[return-value]


def _words(value: object) -> list[Value] | None:
    if isinstance(value, str):
        return [*value.replace(",", " ").split()]
    words = [text_of(item) for item in value] if isinstance(value, list) else None
    return words if words is None else [word for word in words if word]
