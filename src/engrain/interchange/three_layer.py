"""Import and export the three-layer layout: facts of entities, daily notes and MEMORY.md.

Every fact keeps its id within its entity. Summaries and the architecture are not read, since they
are made from facts. The origins of facts and the counts of their mentions are not exported."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.outcomes import CREATED
from engrain.engine.core.redaction import clean_text
from engrain.engine.entities.files import read_summary
from engrain.engine.entities.pages import write_summaries
from engrain.engine.indexes import write_entity_index
from engrain.engine.verbs.intake import OP, Telling
from engrain.engine.verbs.save import check_size, compose_new, stamp_source
from engrain.interchange.entity_folders import EntityImporter
from engrain.interchange.importing import Export, File, last_taken_in
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
    ListedEntity,
    day_in,
    folder_of,
    part_at,
    read_index,
    write_index,
)
from engrain.model.note.documents import write_json
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import path_id
from engrain.model.note.tiers import ACTIVE, LIVE, OPERATOR
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter
from engrain.seam.storage import Write


class ThreeLayerImporter(EntityImporter):
    """Imports the files of one workspace; `project` is that of every new entry."""

    layout = "three-layer"

    def prepare(self) -> None:
        super().prepare()
        self._listed: dict[str, ListedEntity] = {}

    def take_file(self, path: str, raw: bytes) -> None:
        part = part_at(path)
        label = clean_text(self.store, path)  # reports and entries contain it
        with Telling(self.done.tell, label, None if part in ("", INDEX) else self.done.count):
            at = self.intake.terms.date_of(path)
            if part == INDEX:
                listed = read_index(raw)
                self._listed = {clean_text(self.store, slug): listed[slug] for slug in listed}
            elif part == ITEMS:
                folder = clean_text(self.store, folder_of(path))
                self.take_folder(folder, label, raw, self._listed.get(folder, ListedEntity()), at)
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
        write_summaries(acting, self.created, OP, f"from {self.name}")
        write_entity_index(self.store)

    def _take_note(
        self, place: Locator, label: str, raw: bytes, fields: dict[str, Value] | None
    ) -> None:
        """Import the note of a fixed path with these fields, None for a page without fields. Raises
        MalformedError, and ConflictError if the present note stays."""
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
    """Return the content of a plain note: its imported frontmatter and its text."""
    return entry.fields.get(IMPORTED), entry.note.body.removeprefix("\ufeff")


class ThreeLayerExport(Export):
    """An export that counts entities, facts and daily notes."""

    only = Filter(kinds=(KIND, DAILY), statuses=(ACTIVE,), zones=(LIVE,))

    def prepare(self) -> None:
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
        stored = read_summary(self.store, entry.path.rpartition("/")[0])
        made = b"" if stored else write_summary(entity, self.store.clock.now()).encode()
        yield f"{folder}/{SUMMARY}", stored.raw if stored else made

    def _write_day(self, entry: Entry) -> Iterator[File]:
        folder, _, file = entry.path.rpartition("/")
        if folder != DAYS or not day_in(file):
            self.left_out.append((entry.path, "no note of a day by its name and place"))
            return
        self.count(DAILY)
        yield f"{FOLDER}/{file}", write_plain(entry)
