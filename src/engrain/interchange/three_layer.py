"""Import and export the three-layer layout: facts of entities, daily notes and MEMORY.md.

Every fact keeps its id within its entity. Summaries and the architecture are not read, since they
are made from facts. Checkpoints, metrics, logs and the status are kept as they are. The origins of
facts and the counts of their mentions are not exported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import Store
from engrain.engine.entities.files import read_summary
from engrain.engine.entities.pages import write_summaries
from engrain.engine.indexes import write_entity_index
from engrain.engine.verbs.intake import OP, Telling
from engrain.interchange.entities import EntityImporter
from engrain.interchange.exporting import Export, File
from engrain.interchange.importing import Incoming, LayoutImporter
from engrain.interchange.table import (
    IMPORTED,
    PAGE_FORM,
    Layout,
    LayoutRow,
    check_document,
    day_in,
    decode_utf8,
    id_in,
    stem_of,
)
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.experience.ledger import file_stem
from engrain.model.facts.daily import FOLDER as DAYS
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.daily import place_of as place_of_day
from engrain.model.facts.entity import KIND, SUMMARY, Entity, read_entity, slug_at
from engrain.model.facts.memory_page import start_page
from engrain.model.facts.summaries import write_summary
from engrain.model.note.documents import object_of, objects_of, read_json, write_json
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import GENERATED_BY, JsonNote
from engrain.model.note.tiers import ACTIVE, LIVE, WORKING
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

MEMORY = "MEMORY.md"
FOLDER = "memory"
INDEX = f"{FOLDER}/entities/index.json"
ARCHITECTURE = f"{FOLDER}/ARCHITECTURE.md"
LISTED, KEPT = "index", "checkpoint"
"""The content of the index, and the kind of files that are kept as they are."""


ABOUT = """\
# Three layers

1. `entities/<slug>/items.json` holds atomic facts about a person, a company or a project: `id`,
   `content`, `source`, `sourceRef`, `entityType`, `createdAt`, `status`, `supersedes`, `edge`, and
   when it held, `valid_from` and `valid_to`. What is contradicted turns `historical` and stays.
   `summary.md` says what holds now; `entities/index.json` lists names, types and aliases.
2. `YYYY-MM-DD.md` is what happened on a day, as it happened.
3. `../MEMORY.md` is how the person works whose memory this is.
"""
"""The text of the layout's `ARCHITECTURE.md`."""


def _place_of_kept(document: Mapping[str, Any], _: str, __: str | None) -> str:
    return f"Memory/checkpoints/{file_stem(str(document['name']))}.json"


THREE_LAYER = Layout(
    "three-layer",
    (
        LayoutRow(LISTED, INDEX, rank=0),
        LayoutRow(KIND, "memory/entities/{slug}/items.json", rank=1),
        LayoutRow(
            DAILY,
            "memory/{date}.md",
            PAGE_FORM,
            own=(),
            ids=(),
            rank=3,
            fixed=lambda _, path, __: place_of_day(stem_of(path)),
        ),
        LayoutRow(
            MEMORY,
            MEMORY,
            PAGE_FORM,
            own=(),
            ids=(),
            rank=4,
            fixed=lambda _, path, __: path,
            operator_only=True,
            bare=True,
        ),
        LayoutRow(KEPT, "memory/{kept}", ids=(), rank=5, fixed=_place_of_kept),
    ),
    ref="{tree}/{path}",
)


def folder_of(name: str) -> str:
    """Return the folder of the entity whose facts are in a file."""
    return name.split("/")[-2]


def read_index(raw: bytes) -> dict[str, dict[str, Any]]:
    """Return what an index says of entities, by their folders. It is an object by folder, or a list
    of objects with their folders, bare or under `entities`. Raises MalformedError."""
    whole = read_json(decode_utf8(raw))
    listed = whole.get("entities", whole) if isinstance(whole, dict) else whole
    if isinstance(listed, dict):
        listed = [{"slug": slug, **object_of(value)} for slug, value in listed.items()]
    said = (check_document(one) for one in objects_of(listed))
    return {slug: one for one in said if (slug := id_in(one.get("slug")) or id_in(one.get("id")))}


def write_index(entities: Iterable[tuple[str, Entity, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the index of entities, given with their folders and what an index said besides."""
    return {
        GENERATED_BY: "by engrain export",
        "entities": [
            {
                **besides,
                "slug": folder,
                "name": entity.name,
                "type": entity.type,
                "aliases": list(entity.aliases),
                "facts": len(entity.facts),
                "active": len(entity.active),
            }
            for folder, entity, besides in entities
        ],
    }


class ThreeLayerImporter(LayoutImporter):
    """Imports the files of one workspace; `project` is that of every new entry."""

    layout = THREE_LAYER
    _entities: EntityImporter
    _listed: dict[str, dict[str, Any]]

    def begin(self) -> None:
        self._entities, self._listed = EntityImporter(self), {}

    def take_file(self, row: LayoutRow, path: str, raw: bytes) -> None:
        label = clean_text(self.store, path)  # reports and entries contain it
        if row.kind == LISTED:
            with Telling(self.done.tell, label):
                listed = read_index(raw)
                self._listed = {clean_text(self.store, slug): listed[slug] for slug in listed}
        elif row.kind == KIND:
            with self.intake.telling(label):
                folder = clean_text(self.store, folder_of(path))
                at = self.intake.terms.date_of(path)
                self._entities.take(folder, label, raw, self._listed.get(folder, {}), at)
        else:
            super().take_file(row, path, raw)

    def parse(self, row: LayoutRow, path: str, raw: bytes) -> list[Any]:
        if row.kind == KEPT:
            said = {"name": f"{self.name}/{path}", "file": path, "text": decode_utf8(raw)}
            return [said]
        return super().parse(row, path, raw)

    def says_nothing(self, document: Incoming, there: Entry) -> bool:
        return document.row.bare and there.note.body == start_page()

    def finish(self) -> None:
        super().finish()
        acting = self.store.acting_as(self.actor)
        write_summaries(acting, self._entities.created, OP, f"from {self.name}")
        write_entity_index(self.store)


class ThreeLayerExport(Export):
    """An export that counts entities, facts and daily notes."""

    layout = THREE_LAYER
    only = Filter(kinds=(KIND, DAILY, KEPT), statuses=(ACTIVE,), zones=(LIVE, WORKING))

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        super().__init__(store, project, progress)
        self._entities: list[tuple[str, Entity, dict[str, Any]]] = []

    def begin(self) -> Iterator[File]:
        yield ARCHITECTURE, ABOUT.encode()
        place = Locator(MEMORY)
        try:
            self.store.backend.read(place)
        except NotFoundError:
            return
        except EngrainError:
            pass
        entry = self.read(place)
        if entry is not None and entry.status == ACTIVE:
            yield from self.write_by(self.layout.row_of(MEMORY), entry)

    def write(self, entry: Entry) -> Iterator[File]:
        folder, _, file = entry.path.rpartition("/")
        if entry.kind == DAILY and (folder != DAYS or not day_in(file.removesuffix(".md"))):
            self.left_out.append((entry.path, "no note of a day by its name and place"))
        elif entry.kind == DAILY:
            yield from super().write(entry)
        elif isinstance(entry.note, JsonNote) and entry.kind == KIND:
            yield from self._write_entity(entry, entry.note)
        elif isinstance(entry.note, JsonNote) and entry.source.get("kind") == self.layout.name:
            yield from self._write_kept(entry, entry.note)

    def end(self) -> Iterator[File]:
        yield INDEX, write_json(write_index(self._entities))

    def _write_kept(self, entry: Entry, note: JsonNote) -> Iterator[File]:
        """Yield a file of the workspace's upkeep, unless its record names a place outside."""
        place, text = note.document.get("file"), note.document.get("text")
        if not (isinstance(place, str) and self.layout.row_of(KEPT).holds(place)):
            self.left_out.append((entry.path, "no file of the layout's upkeep"))
            return
        self.count(KEPT)
        folder, _, file = place.rpartition("/")
        stem, dot, ending = file.rpartition(".")
        name = self.names.take(folder, stem or file, f"{dot}{ending}" if stem else "")
        yield name, str(text).encode()

    def _write_entity(self, entry: Entry, note: JsonNote) -> Iterator[File]:
        slug = slug_at(entry.path)
        entity = read_entity(note.document, note.own, slug)
        besides = object_of(note.own.get(IMPORTED))
        unknown = object_of(besides.get("facts"))
        name = self.names.take("memory/entities", slug, "/items.json")
        folder = name.rpartition("/")[0]
        self._entities.append((folder_of(name), entity, object_of(besides.get("index"))))
        self.count(KIND)
        self.count("fact", len(entity.facts))
        facts = [{**fact.document(), **object_of(unknown.get(fact.id))} for fact in entity.facts]
        yield name, write_json(facts)
        stored = read_summary(self.store, entry.path.rpartition("/")[0])
        made = b"" if stored else write_summary(entity, self.store.clock.now()).encode()
        yield f"{folder}/{SUMMARY}", stored.raw if stored else made
