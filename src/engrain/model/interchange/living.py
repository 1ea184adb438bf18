"""The living layout (S3, "Memory Format"): one note per memory, in a folder by its state.

Additions of Engrain are under the key `engrain`; other frontmatter is preserved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant, read_instant
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
from engrain.model.note.note import COUNTERS, RELATED, Note, compose_note
from engrain.model.note.tiers import ACTIVE, ARCHIVE, DEFAULT_KIND, kind_of, tier_of

SOURCE = "living"
"""The kind of source of an entry that was imported from the layout."""
CORE, LIVING, ARCHIVED, PROCEDURAL = "core", "active", "archive", "procedural"
FOLDERS = (CORE, LIVING, ARCHIVED, PROCEDURAL)
FIELDS = (
    "id", "created", "last_recalled", "recall_count", "emotional_weight", "tags", "links",
    "sessions_since_recall",
)  # fmt: skip
"""The seed's frontmatter, in its order."""

_CORE_KINDS = ("identity", "value", "relationship", "commitment")
_ELSEWHERE = (*RECORDS, "pattern", "anti-pattern", "daily", "proposal")
"""Kinds that belong to other layouts, or are temporary."""
_NOT_THEIRS = frozenset(
    (
        *COUNTERS, *FIELDS, OWN, IMPORTED, "living", "kind", "slug", "status", "project", "source",
        "confidence", "valid_from", "valid_to", "always_load", "pinned", "supersedes",
        "derived_from", "filed", "archived", "deleted_at", "claimed_by", "claimed_at", "summary",
    )
)  # fmt: skip
"""Fields with a meaning in Engrain, which an import does not take over."""
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
"""The field of an entry that lists, as `made`, which of the layout's fields the import added
because the note lacked them."""


def folder_at(name: str) -> str:
    """Return the layout's folder of a note with this relative path, "" if it is no such note."""
    folder, _, rest = name.partition("/")
    fine = folder in FOLDERS and rest.endswith(".md") and "/." not in f"/{rest}"
    return folder if fine else ""


def in_reading_order(names: Iterable[str]) -> list[str]:
    """Return the files that are read, sorted."""
    return sorted(name for name in names if folder_at(name))


def has_place(kind: str, path: str) -> bool:
    """Whether the layout has a place for an entry of a kind at a path: for all entries of the
    agent, and for those of the operator in the folder of their kind."""
    row = kind_of(kind)
    if kind in _ELSEWHERE or "{project}" in row.folder:
        return False
    folder = f"{row.operator_folder}/"
    return tier_of(path) == "T3" or path.removeprefix("_archive/").startswith(folder)


def folder_of(entry: Entry) -> str:
    """Return the layout's folder for an entry."""
    if entry.zone == ARCHIVE or entry.status != ACTIVE:
        return ARCHIVED
    if entry.kind in _CORE_KINDS:
        return CORE
    return PROCEDURAL if entry.kind == "procedural" else LIVING


@dataclass(slots=True, eq=False)
class LivingNote:
    """A note of the layout: its file's name, its frontmatter and its body."""

    name: str
    front: dict[str, Any]
    body: str

    @property
    def raw(self) -> bytes:
        """The file's bytes, with times quoted as in the seed."""
        note = compose_note(self.front, self.body)
        body = note.body.encode()
        head = note.raw[: len(note.raw) - len(body)]
        return _QUOTED.sub(rb"\1: '\2'", head) + body


def write_document(
    entry: Entry, name: str, weight: float | None, sessions: int | None = None
) -> LivingNote:
    """Return an entry as the note `name` of the layout, with this weight if it has none itself, and
    the sessions since it was recalled (None: as its file says)."""
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
    front |= {key: said for key, said in kept.items() if _is_same(said, known.get(key))}
    if entry.source.get("kind") == SOURCE:
        made = texts_of(object_of(entry.fields.get(MARK)).get("made"))
        front = {
            key: value
            for key, value in front.items()
            if key in kept or (key not in made and _is_said(entry, key, value))
        }
    drawn = RELATED if entry.note.draws else ""
    ours = (*_NOT_THEIRS, drawn)
    front |= {key: value for key, value in entry.fields.items() if key not in ours}
    if own := _say_own(entry, name):
        front[OWN] = own
    return LivingNote(name, front, entry.note.body)


def _is_same(said: object, value: object) -> bool:
    """Whether a value that came in with the note is equal to the present one, or the only one."""
    return not value or (isinstance(value, str) and _instant(said) == value)


def _is_said(entry: Entry, key: str, value: object) -> bool:
    """Whether an entry states a field of the layout itself: a weight may be only estimated."""
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


class IncomingNote:
    """A note that is imported: the file `label` of the source `tree`. `given` is its id there, `id`
    the one it gets here; `fields` are the other fields of its entry."""

    cites = True
    """It may refer to other notes, so it waits until their ids are known."""

    def __init__(self, label: str, tree: str, note: Note, at: float | None = None) -> None:
        """Read a note. `at` is the date of its file, which it gets if it has no date itself."""
        front = note.fields
        own = object_of(front.get(OWN))
        self.label = label
        self.tree = tree
        self.body = note.body.removeprefix("\ufeff")
        self.stem = stem_of(label)
        id_ = front.get("id")
        number = isinstance(id_, int | float) and not isinstance(id_, bool)
        self.given = id_in(note.written("id") if number else id_)  # 007 is not 7
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
        """The reference of its source, by id, since notes of the layout move between folders."""
        return f"{self.tree}#{self.given}"

    @property
    def digest(self) -> str:
        """The hash of its name and text."""
        return digest([self.label, self.body], 8)

    def rename(self, renamed: Mapping[str, str]) -> None:
        """Replace ids that other notes of the same tree did not get."""
        self.links = list(dict.fromkeys((renamed.get(to, to), how) for to, how in self.links))

    def _read_fields(self, front: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Value]:
        """Return the entry's fields; wrong values are only preserved."""
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
        return fields | {key: value for key, value in front.items() if key not in _NOT_THEIRS}


def _is_odd(key: str, front: Mapping[str, Any], said: Mapping[str, Value]) -> bool:
    """Whether a field is empty, or written differently than Engrain would."""
    return front[key] in _EMPTY or (key in _TIMES and said[key] not in (None, front[key]))


def substance(document: LivingNote) -> str:
    """Return a note's content as text, without its links, its use and its state."""
    front = {key: value for key, value in document.front.items() if key not in _CHANGING}
    front["created"] = _instant(front.get("created")) or front.get("created")
    own = object_of(front.pop(OWN, None))
    own = {key: value for key, value in own.items() if key not in _OF_PLACE}
    return canonical([front, own, document.body])


def _kind_said(own: Mapping[str, Any]) -> str:
    """Return the kind that a note states, "" if Engrain can't have that kind."""
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


def _read_links(said: object, relations: object) -> list[tuple[str, str]]:
    """Return links with their relations, `related_to` for those without."""
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
