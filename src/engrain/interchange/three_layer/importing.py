"""The three-layer layout: facts of entities, daily notes and MEMORY.md, taken in and written.

Every fact keeps its id, among those of the entity of its folder. Summaries and the architecture
are not read: they are made from facts. Where a fact comes from and how often it was met is this
vault's own affair, and not exported."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.outcomes import CREATED
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import Store
from engrain.engine.entities.files import read_summary
from engrain.engine.entities.pages import write_summaries
from engrain.engine.indexes import write_entity_index
from engrain.engine.verbs.intake import OP, Telling
from engrain.engine.verbs.save import check_size, compose_new, stamp_source
from engrain.interchange.importing import Export, File, Importer, last_taken_in
from engrain.interchange.three_layer.folders import Folders
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError, NotFoundError, UsageError
from engrain.model.facts.daily import FOLDER as DAYS
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.daily import place_of as place_of_day
from engrain.model.facts.entity import KIND, SUMMARY, Entity, read_entity, slug_at
from engrain.model.facts.memory_page import start_page
from engrain.model.facts.summaries import write_summary
from engrain.model.interchange.documents import IMPORTED, compose_plain, read_plain, write_plain
from engrain.model.interchange.three_layer import (
    ABOUT,
    ARCHITECTURE,
    ENTITIES,
    FOLDER,
    INDEX,
    ITEMS,
    MEMORY,
    Listed,
    day_in,
    folder_of,
    part_at,
    read_index,
    write_index,
)
from engrain.model.note.documents import write_json
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.ids import path_id
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ACTIVE, LIVE, OPERATOR
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter
from engrain.seam.storage import Write


class ThreeLayerImporter(Importer):
    """Takes in the files of one workspace; `project` is that of every new entry."""

    layout = "three-layer"

    def prepare(self) -> None:
        self._listed: dict[str, Listed] = {}
        self._folders = Folders(self)

    def take_file(self, path: str, raw: bytes) -> None:
        part = part_at(path)
        label = clean_text(self.store, path)  # it is reported, and names what came from it
        with Telling(self.done.tell, label, None if part in ("", INDEX) else self.done.count):
            at = self.intake.terms.date_of(path)
            if part == INDEX:
                listed = read_index(raw)
                self._listed = {clean_text(self.store, slug): listed[slug] for slug in listed}
            elif part == ITEMS:
                folder = clean_text(self.store, folder_of(path))
                self._folders.take(folder, label, raw, self._listed.get(folder, Listed()), at)
            elif part == MEMORY:
                if self.actor.trust != OPERATOR:
                    self.done.withheld.append(label)
                    raise UsageError("left where it is: only the operator takes it in")
                self._take_note(make_locator(MEMORY), label, raw, None)
            elif part:
                day = day_in(path.rpartition("/")[2])
                fields: dict[str, Value] = {"kind": DAILY, "project": self.project}
                if at is not None:
                    fields["created"] = format_instant(at)
                self._take_note(make_locator(place_of_day(day)), label, raw, fields)

    def finish(self) -> None:
        super().finish()
        acting = self.store.acting_as(self.actor)
        write_summaries(acting, self._folders.created, OP, f"from {self.name}")
        write_entity_index(self.store)

    def _take_note(
        self, place: Locator, label: str, raw: bytes, fields: dict[str, Value] | None
    ) -> None:
        """Take in the note of one fixed place, with these fields; None for a page that has none.
        Raises MalformedError, and ConflictError where what is here stays."""
        store, ref = self.store, f"{self.name}/{label}"
        front, body = read_plain(self.clean_note(raw))
        try:
            there = store.read_entry(place)
        except NotFoundError:
            if fields is None:
                after, id_ = compose_plain(front, body), path_id(place)
            else:
                source = stamp_source(self.actor, self.layout, ref)
                after = compose_new(store, {**fields, **front}, body, source)
                id_ = str(after.fields["id"])
            check_size(after)
            self.intake.batches.add(label, CREATED, Write(place, after.raw, id_))
            return
        if self.intake.stays_deleted(label, there):
            return
        wanted = (front.get(IMPORTED), body)

        def recall_before() -> tuple[Value, str] | None:
            before = last_taken_in(store, there)
            return None if before is None else _substance(before)

        blank = fields is None and there.note.body == start_page() != body
        renewed = None
        if blank or self.intake.renews(label, there, _substance(there), wanted, recall_before):
            changes = dict(front)
            if "updated" in there.fields:
                changes["updated"] = store.now
            renewed = there.note
            if changes or IMPORTED in there.fields:
                renewed = renewed.patch(changes, () if front else (IMPORTED,))
            renewed = renewed.with_body(body)
            check_size(renewed)
        self.intake.settle(
            label,
            there,
            renewed,
            came_by_it=self.came_by(there, ref),
            same=renewed is not None or _substance(there) == wanted,
        )


def _substance(entry: Entry) -> tuple[Value, str]:
    """What a plain note says: the frontmatter it came with, and its text."""
    return entry.fields.get(IMPORTED), entry.note.body.removeprefix("\ufeff")


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
