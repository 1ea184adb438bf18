"""`export --format three-layer`: what is known of people, companies and projects as the folders of
the three layers, with the seed's fields (DESIGN section 14).

What stands beside a fact (whom it comes from, how often it was met) is this vault's own affair.
"""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.store import Store
from engrain.engine.entities.files import read_summary
from engrain.engine.verbs.exporting import Export
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.facts.daily import FOLDER as DAYS
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.entity import KIND, SUMMARY, Entity, read_entity, slug_at
from engrain.model.facts.summaries import write_summary
from engrain.model.interchange.layouts.plain import write_plain
from engrain.model.interchange.layouts.three_layer import (
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
    """One export: its `files`, and when they were all taken, how many of what they hold (`counts`,
    by kind) and what is not among them and why (`left_out`)."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        super().__init__(store, project, progress)
        self._entities: list[tuple[str, Entity]] = []

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Each file's name, with `/`, and its bytes. What can't be read is left out."""
        self._store.require_index(scan=True)
        rows = self._store.index.find(
            Filter(kinds=(KIND, DAILY), statuses=(ACTIVE,), zones=(LIVE,), projects=self._projects)
        )
        yield ARCHITECTURE, ABOUT.encode()
        yield from self._write_memory()
        for done, row in enumerate(sorted(rows, key=lambda row: row.locator), 1):
            entry = self._read(row.locator)
            if entry is not None and isinstance(entry.note, JsonNote):
                yield from self._write_entity(entry, entry.note)
            elif entry is not None:
                yield from self._write_day(entry)
            if self._progress:
                self._progress(done, len(rows))
        yield INDEX, write_json(write_index(self._entities))

    def _write_memory(self) -> Iterator[tuple[str, bytes]]:
        place = Locator(MEMORY)
        try:
            self._store.backend.read(place)
        except NotFoundError:
            return
        except EngrainError:
            pass
        entry = self._read(place)
        if entry is not None and entry.status == ACTIVE:
            self._count(MEMORY)
            yield MEMORY, write_plain(entry)

    def _write_entity(self, entry: Entry, note: JsonNote) -> Iterator[tuple[str, bytes]]:
        slug = slug_at(entry.path)
        entity = read_entity(note.document, note.own, slug)
        name = self._names.take(ENTITIES, slug, f"/{ITEMS}")
        folder = name.rpartition("/")[0]
        self._entities.append((folder.rpartition("/")[2], entity))
        self._count(KIND)
        self._count("fact", len(entity.facts))
        yield name, write_json([fact.document() for fact in entity.facts])
        yield f"{folder}/{SUMMARY}", self._summarize(entry, entity)

    def _summarize(self, entry: Entry, entity: Entity) -> bytes:
        """The summary that is there, else one made of the facts."""
        stored = read_summary(self._store, entry.path.rpartition("/")[0])
        return stored.raw if stored else write_summary(entity, self._store.clock.now()).encode()

    def _write_day(self, entry: Entry) -> Iterator[tuple[str, bytes]]:
        folder, _, file = entry.path.rpartition("/")
        if folder != DAYS or not day_in(file):
            self.left_out.append((entry.path, "no note of a day by its name and place"))
            return
        self._count(DAILY)
        yield f"{FOLDER}/{file}", write_plain(entry)
