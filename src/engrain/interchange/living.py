"""Import the notes of a living memory, and export memories as its notes.

After the import only this vault decides how often a memory was used, and whether it has faded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engrain.engine.core.store import Store
from engrain.engine.core.weighing import Weighing
from engrain.interchange.exporting import Export, File
from engrain.interchange.importing import LayoutImporter
from engrain.interchange.table import (
    BODY,
    IMPORTED,
    STATUSES,
    Flat,
    Form,
    Layout,
    LayoutRow,
    fraction_in,
    id_in,
    instant_in,
    read_links,
    stem_of,
)
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.note.documents import list_of, objects_of, text_of, trimmed
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, RECORDS, JsonNote
from engrain.model.note.note import COUNTERS, RELATED
from engrain.model.note.tiers import ACTIVE, ARCHIVE, DEFAULT_KIND, LIVE, kind_of, tier_of
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row

CORE, LIVING, ARCHIVED, PROCEDURAL = "core", "active", "archive", "procedural"
FOLDERS = (CORE, LIVING, ARCHIVED, PROCEDURAL)
"""The folders by which the layout is recognised."""
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
_MOST = 10**9
_BY_NAME = {
    **{f"{kind}{ending}": kind for kind in _CORE_KINDS for ending in ("", "s")},
    "identities": "identity",
}  # fmt: skip


def _compose(flat: Flat) -> tuple[dict[str, Value], str]:
    fields: dict[str, Value] = {
        "id": flat["id"],
        "created": instant_in(flat.get("created")),
        "last_recalled": instant_in(flat.get("last_recalled")),
        "recall_count": _count(flat.get("recall_count")),
        "weight": fraction_in(flat.get("emotional_weight")),
        "tags": _words(flat.get("tags")),
        "sessions_since_recall": _count(flat.get("sessions_since_recall")),
        "links": [*_read_targets(flat)],
    }
    fields = {key: value for key, value in fields.items() if value not in (None, [])}
    rest = {
        key: value for key, value in flat.items() if key not in (*_NOT_THEIRS, BODY, "relations")
    }
    return fields | rest, str(flat[BODY])


def _read(entry: Entry) -> Flat:
    links = read_links(entry)
    drawn = RELATED if entry.note.draws else ""
    ours = (*_NOT_THEIRS, drawn)
    related = all(link.get("relation") == "related_to" for link in links)
    return {
        "id": entry.id,
        "created": _write_instant(entry.created),
        "last_recalled": _write_instant(entry.last_recalled),
        "recall_count": entry.recall_count,
        "emotional_weight": entry.weight,
        "tags": list(entry.tags),
        "links": list(dict.fromkeys(str(link.get("to")) for link in links)),
        "sessions_since_recall": entry.sessions_since_recall,
        **{key: value for key, value in entry.fields.items() if key not in ours},
        BODY: entry.note.body,
        **({} if related else {"relations": links}),
    }


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


def _count(value: object) -> int | None:
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return value if fine else None  # type: ignore[return-value]


def _words(value: object) -> list[Value] | None:
    if isinstance(value, str):
        return [*value.replace(",", " ").split()]
    words = [text_of(item) for item in value] if isinstance(value, list) else None
    return words if words is None else [word for word in words if word]


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
    kind = _BY_NAME.get(stem.lower(), "identity") if folder == CORE else DEFAULT_KIND
    status = "archived" if folder == ARCHIVED else ACTIVE
    return {"kind": PROCEDURAL if folder == PROCEDURAL else kind, "slug": stem, "status": status}


_FORM = Form(FIELDS, _compose, _read, added=("relations",), links=_read_targets)

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
        )
        for folder in FOLDERS
    ),
    ref="{tree}#{given}",
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

    def __init__(
        self,
        store: Store,
        count_sessions: Callable[[Entry], int],
        project: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`count_sessions` returns the number of sessions since an entry was recalled."""
        super().__init__(store, project, progress)
        self._count_sessions = count_sessions
        self._weighing = Weighing(store)

    def has_place(self, row: Row) -> bool:
        return has_place(row.kind, row.locator)

    def order(self, row: Row) -> tuple[str, str]:
        return row.id, row.locator

    def write(self, entry: Entry) -> Iterable[File]:
        return () if isinstance(entry.note, JsonNote) else super().write(entry)

    def row_of(self, entry: Entry) -> LayoutRow:
        folder = folder_of(entry)
        return next(row for row in self.layout.rows if row.pattern.startswith(f"{folder}/"))

    def count_as(self, row: LayoutRow) -> str:
        return row.pattern.partition("/")[0]

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
