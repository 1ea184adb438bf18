"""Import the notes of a living memory, and export memories as its notes.

After the import only this vault decides how often a memory was used, and whether it has faded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engrain.engine.core.store import Store
from engrain.engine.core.weighing import Weighing
from engrain.interchange.exporting import Export
from engrain.interchange.importing import LayoutImporter
from engrain.interchange.table import (
    BODY,
    ID,
    IMPORTED,
    LINKS,
    STATUSES,
    FieldRow,
    Flat,
    Form,
    Layout,
    LayoutRow,
    fraction_in,
    get_nothing,
    id_in,
    instant_in,
    list_fields,
    stem_of,
)
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.note.documents import list_of, objects_of, texts_of, trimmed
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, RECORDS
from engrain.model.note.note import COUNTERS
from engrain.model.note.tiers import ACTIVE, ARCHIVE, DEFAULT_KIND, LIVE, kind_of, tier_of
from engrain.seam.rows import Filter, Row

CORE, LIVING, ARCHIVED, PROCEDURAL = "core", "active", "archive", "procedural"
FOLDERS = (CORE, LIVING, ARCHIVED, PROCEDURAL)
"""The folders by which the layout is recognised."""
_CORE_KINDS = ("identity", "value", "relationship", "commitment")
_ELSEWHERE = (*RECORDS, "pattern", "anti-pattern", "daily", "proposal")
"""Kinds that belong to other layouts, or are temporary."""
_MOST = 10**9


def _read_targets(flat: Flat) -> list[dict[str, Any]]:
    """Return the links of a note with the relations that are said beside them, `related_to` for
    those without."""
    given: dict[str, list[str]] = {}
    for item in objects_of(flat.get("relations")):
        if to := trimmed(item.get("to")):
            given.setdefault(to, []).append(trimmed(item.get("relation")) or "related_to")
    links: dict[tuple[str, str], None] = {}
    for item in list_of(flat.get("links")):
        to = trimmed(item.get("to")) if isinstance(item, dict) else id_in(item)
        how = trimmed(item.get("relation")) if isinstance(item, dict) else ""
        for relation in [how] if how else given.get(to, ["related_to"]):
            links.update({(to, relation): None} if to else {})
    return [{"to": to, "relation": relation} for to, relation in links]


def _read_tags(value: object) -> list[str]:
    words = value.replace(",", " ").split() if isinstance(value, str) else texts_of(value)
    return [word for word in words if word]


def _write_instant(at: float | None) -> str | None:
    """Return a time as the layout has it: a text without a zone, which YAML takes for no date."""
    return None if at is None else format_instant(at).removesuffix("Z")


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
    return PROCEDURAL if entry.kind == PROCEDURAL else LIVING


def kind_in(own: Mapping[str, Any], name: str) -> str:
    """Return the kind that a note states, if Engrain can have it, else that of its file's name."""
    kind = trimmed(own.get("kind"))
    fine = kind and slugify(kind, "") == kind and has_place(kind, f"{kind_of(kind).folder}/file")
    return kind if fine else str(_defaults(name)["kind"])


def _defaults(name: str) -> dict[str, Value]:
    folder, stem = name.partition("/")[0], stem_of(name)
    kind = PROCEDURAL if folder == PROCEDURAL else DEFAULT_KIND
    if folder == CORE:
        named = stem.lower().removesuffix("s")
        kind = named if named in _CORE_KINDS else "identity"
    return {"kind": kind, "slug": stem, "status": "archived" if folder == ARCHIVED else ACTIVE}


def _is_typed(link: Mapping[str, Any]) -> bool:
    return link.get("relation") != "related_to"


def _read_count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST else None


_ROWS = (
    ID,
    *list_fields("created", "last_recalled", into=instant_in, out=_write_instant),
    FieldRow("recall_count", into=_read_count),
    FieldRow("emotional_weight", "weight", into=fraction_in),
    FieldRow("tags", into=_read_tags),
    replace(LINKS, out=lambda links: list(dict.fromkeys(str(link.get("to")) for link in links))),
    FieldRow("sessions_since_recall", into=_read_count),
    # The relations beside `links`, where one is another than that of a link that says none.
    FieldRow(
        "relations",
        "links",
        into=get_nothing,
        out=lambda links: links if any(map(_is_typed, links)) else [],
        added=True,
    ),
)
FIELDS = tuple(row.there for row in _ROWS if not row.added)
"""The seed's frontmatter, in its order."""
_NOT_THEIRS = frozenset(
    (
        *COUNTERS, *FIELDS, OWN, IMPORTED, BODY, "relations", "living", "kind", "slug", "status",
        "project", "source", "confidence", "valid_from", "valid_to", "always_load", "pinned",
        "supersedes", "derived_from", "filed", "archived", "deleted_at", "claimed_by",
        "claimed_at", "summary",
    )
)  # fmt: skip
"""Fields with a meaning in Engrain, which an import does not take over."""
_FORM = Form((*_ROWS, FieldRow(BODY)), links=_read_targets, ours=_NOT_THEIRS)

LIVING_LAYOUT = Layout(
    "living",
    tuple(
        LayoutRow(
            DEFAULT_KIND,
            folder + "/{name}.md",
            _FORM,
            own=("kind", "slug", "status", "project", "confidence", "valid_from", "valid_to"),
            ids=("id",),
            defaults=_defaults,
            find_kind=kind_in,
            label=folder,
        )
        for folder in FOLDERS
    ),
    ref="{tree}#{given}",
    label_of=folder_of,
    unlike=(
        OWN, "last_recalled", "recall_count", "sessions_since_recall", "emotional_weight", "links",
        "id",
    ),
)  # fmt: skip


class LivingImporter(LayoutImporter):
    """Imports the notes of one living memory."""

    layout = LIVING_LAYOUT


class LivingExport(Export):
    """An export that counts its notes by folder."""

    layout = LIVING_LAYOUT
    only = Filter(statuses=STATUSES, zones=(LIVE, ARCHIVE))

    def __init__(self, store: Store, count_sessions: Callable[[Entry], int], *more: Any) -> None:
        """`count_sessions` returns the number of sessions since an entry was recalled."""
        super().__init__(store, *more)
        self._count_sessions = count_sessions
        self._weighing = Weighing(store)

    def has_place(self, row: Row) -> bool:
        return row.locator.endswith(".md") and has_place(row.kind, row.locator)

    def order(self, row: Row) -> tuple[str, str]:
        return row.id, row.locator

    def describe(self, row: LayoutRow, entry: Entry, name: str) -> dict[str, Any]:
        """Return the note of an entry, with an estimated weight if none is known, and the sessions
        since it was recalled."""
        document = super().describe(row, entry, name)
        sessions = self._count_sessions(entry)
        if sessions or "sessions_since_recall" in document:
            document["sessions_since_recall"] = sessions
        if document.get("emotional_weight") is None:
            document["emotional_weight"] = self._weighing.weight_of(entry)
        return document
