"""`export --format three-layer`: writes facts of entities, daily notes and MEMORY.md.

Where a fact comes from and how often it was met is this vault's own affair, and not exported.
"""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.store import Store
from engrain.engine.entities.files import read_summary
from engrain.interchange.exporting import Export, File
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.facts.daily import FOLDER as DAYS
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.entity import KIND, SUMMARY, Entity, read_entity, slug_at
from engrain.model.facts.summaries import write_summary
from engrain.model.interchange.documents import write_plain
from engrain.model.interchange.three_layer import (
    ABOUT,
    ARCHITECTURE,
    ENTITIES,
    FOLDER,
    INDEX,
    ITEMS,
    MEMORY,
    day_in,
    write_index,
)
from engrain.model.note.documents import write_json
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter


class ThreeLayerExport(Export):
    """An export that counts entities, facts and daily notes."""

    only = Filter(kinds=(KIND, DAILY), statuses=(ACTIVE,), zones=(LIVE,))

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        super().__init__(store, project, progress)
        self._entities: list[tuple[str, Entity]] = []

    def begin(self) -> Iterator[File]:
        yield ARCHITECTURE, ABOUT.encode()
        yield from self._write_memory()

    def write(self, entry: Entry) -> Iterator[File]:
        if isinstance(entry.note, JsonNote):
            return self._write_entity(entry, entry.note)
        return self._write_day(entry)

    def end(self) -> Iterator[File]:
        yield INDEX, write_json(write_index(self._entities))

    def _write_memory(self) -> Iterator[File]:
        place = Locator(MEMORY)
        try:
            self.store.backend.read(place)
        except NotFoundError:
            return
        except EngrainError:
            pass
        entry = self.read(place)
        if entry is not None and entry.status == ACTIVE:
            self.count(MEMORY)
            yield MEMORY, write_plain(entry)

    def _write_entity(self, entry: Entry, note: JsonNote) -> Iterator[File]:
        slug = slug_at(entry.path)
        entity = read_entity(note.document, note.own, slug)
        name = self.names.take(ENTITIES, slug, f"/{ITEMS}")
        folder = name.rpartition("/")[0]
        self._entities.append((folder.rpartition("/")[2], entity))
        self.count(KIND)
        self.count("fact", len(entity.facts))
        yield name, write_json([fact.document() for fact in entity.facts])
        yield f"{folder}/{SUMMARY}", self._summarize(entry, entity)

    def _summarize(self, entry: Entry, entity: Entity) -> bytes:
        """The summary that is there, else one made of the facts."""
        stored = read_summary(self.store, entry.path.rpartition("/")[0])
        return stored.raw if stored else write_summary(entity, self.store.clock.now()).encode()

    def _write_day(self, entry: Entry) -> Iterator[File]:
        folder, _, file = entry.path.rpartition("/")
        if folder != DAYS or not day_in(file):
            self.left_out.append((entry.path, "no note of a day by its name and place"))
            return
        self.count(DAILY)
        yield f"{FOLDER}/{file}", write_plain(entry)
