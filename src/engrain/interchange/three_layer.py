"""Import and export the three-layer layout: facts of entities, daily notes and MEMORY.md.

Every fact keeps its id within its entity. Summaries are not read, since they are made from facts.
The origins of facts and the counts of their mentions are not exported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from engrain.engine.core.attesting import effective_trust, least
from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import RESTORED, TRUSTED, UNCHANGED, UPDATED
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Actor
from engrain.engine.entities.files import FiledEntity, follow_merges, read_filed, read_summary
from engrain.engine.entities.pages import write_summaries
from engrain.engine.indexes import write_entity_index
from engrain.engine.verbs.intake import DELETED, OP, Telling, gives_way, last_taken_in
from engrain.engine.verbs.save import check_size, revive
from engrain.interchange.exporting import Export, File
from engrain.interchange.importing import Incoming, LayoutImporter
from engrain.interchange.table import (
    IMPORTED,
    KEPT,
    Layout,
    LayoutRow,
    canonical,
    check_document,
    day_in,
    digest,
    fill_shape,
    id_in,
    list_kept_files,
    page_row,
    read_value,
    stem_of,
)
from engrain.language.text.folding import slugify
from engrain.model.errors import ConflictError, MalformedError, NotFoundError, UsageError
from engrain.model.experience.ledger import CHECKPOINT, place_of_checkpoint
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.daily import place_of as place_of_day
from engrain.model.facts.entity import (
    FACTS,
    ITEMS,
    KIND,
    SUMMARY,
    Entity,
    clean_entity_name,
    is_entity_place,
    place_of,
    read_entity,
    slug_at,
)
from engrain.model.facts.fact import Fact, read_fact
from engrain.model.facts.memory_page import start_page
from engrain.model.facts.summaries import write_summary
from engrain.model.note.documents import object_of, objects_of, trimmed, trimmed_texts, write_json
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import GENERATED_BY, OWN, JsonNote
from engrain.model.note.note import MAX_NOTE_BYTES, make_id
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE, OPERATOR, WORKING, archive_folder
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter

_MOST_BYTES = 8 * MAX_NOTE_BYTES  # with blanks and unknown keys of other writers
OF_INDEX = frozenset(("slug", "id", "name", "type", "entityType", "aliases", "facts", "active"))
"""The keys of an index that have a meaning here."""


def read_items(raw: bytes) -> tuple[list[Any], dict[str, Any]]:
    """Return the facts in a file, a list that is bare or under `items` or `facts`, and the object
    around them without these. Raises MalformedError, also for a file that is larger than any
    entity's."""
    if len(raw) > _MOST_BYTES:
        raise MalformedError(
            f"{len(raw)} bytes of facts, and an entity holds {MAX_NOTE_BYTES} at most",
            reason="too-large",
        )
    whole = read_value(raw)
    if isinstance(whole, list):
        return whole, {}
    for key in ("items", "facts"):
        if isinstance(object_of(whole).get(key), list):
            return whole[key], {**whole, key: []}
    raise MalformedError("no list of facts", reason="json", line=1)


def read_foreign_fact(item: Any, trust: str) -> tuple[Fact, dict[str, Any]]:
    """Return a fact that another system wrote, with its origin, and its unknown fields; a missing
    id becomes a digest of the fact. Raises MalformedError."""
    document = check_document(item)
    if "\\u0000" in canonical(document):
        raise MalformedError("a text holds a NUL character", reason="nul")
    id_ = id_in(document.get("id")) or f"fact-{digest(document)}"
    fact = read_fact({**document, "id": id_}, {"trust": trust})
    if fact is None:
        raise MalformedError("a fact without content", reason="json")
    known = fact.document()
    unknown = {key: value for key, value in document.items() if key not in known}
    edge = object_of(document.get("edge"))
    if more := {key: value for key, value in edge.items() if key not in object_of(known["edge"])}:
        unknown["edge"] = more
    return fact, unknown


def write_foreign_fact(fact: Fact, unknown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of a fact with the unknown fields that came with it."""
    document = fact.document()
    edge = object_of(unknown.get("edge"))
    return {**document, **unknown, "edge": {**object_of(document["edge"]), **edge} or None}


def told_apart(facts: Iterable[Fact]) -> Iterator[tuple[Fact, str]]:
    """Yield facts with unique ids, each with its original id: a later fact with the id of another
    gets a new one, and a repetition is left out."""
    seen: dict[str, dict[str, Any]] = {}
    for fact in facts:
        id_, document = fact.id, fact.document()
        if id_ in seen and seen[id_] != document:
            fact = fact.replace(id=f"{id_}-{digest(document, 8)}")
        if fact.id not in seen:
            seen[fact.id] = document
            yield fact, id_


def type_of(facts: Iterable[Fact]) -> str:
    """Return the entity type of most facts, "" for none."""
    counts = Counter(fact.entity_type for fact in facts if fact.entity_type)
    return max(counts, key=counts.__getitem__, default="")


def _unknown(kept: Mapping[str, Value]) -> dict[str, Value]:
    """Return the field of the entry with what Engrain has no meaning for."""
    said: dict[str, Value] = {key: value for key, value in kept.items() if value}
    return {IMPORTED: said} if said else {}


def _name(said: object) -> str:
    """Return a valid name of an entity, "" for an invalid one."""
    try:
        return clean_entity_name(trimmed(said))
    except UsageError:
        return ""


MEMORY = "MEMORY.md"
FOLDER = "memory"
INDEX = f"{FOLDER}/entities/index.json"
_KEPT_FOLDERS = ("checkpoints", "metrics", "logs", "pipelines")
LISTED = "index"
"""The content of the index."""

THREE_LAYER = Layout(
    "three-layer",
    (
        LayoutRow(LISTED, INDEX),
        LayoutRow(KIND, "memory/entities/{slug}/items.json", ids=()),
        page_row(DAILY, "memory/{date}.md", lambda _, path, __: place_of_day(stem_of(path))),
        page_row(MEMORY, MEMORY, lambda _, path, __: path, operator_only=True, blank=start_page()),
        LayoutRow(
            CHECKPOINT,
            "memory/checkpoints/{name}.json",
            ids=("id", OWN, "stem"),
            fixed=lambda document, path, _: place_of_checkpoint(
                id_in(document.get("name")) or stem_of(path)
            ),
        ),
        *list_kept_files(
            "memory/status.json",
            "memory/ARCHITECTURE.md",
            *(f"memory/{name}/{{name}}" for name in _KEPT_FOLDERS),
        ),
    ),
)


def folder_of(name: str) -> str:
    """Return the folder of the entity whose facts are in a file."""
    return name.split("/")[-2]


def read_index(raw: bytes) -> dict[str, dict[str, Any]]:
    """Return what an index says of entities, by their folders. It is an object by folder, or a list
    of objects with their folders, bare or under `entities`. Raises MalformedError."""
    whole = read_value(raw)
    listed = whole.get("entities", whole) if isinstance(whole, dict) else whole
    if isinstance(listed, dict):
        listed = [{"slug": slug, **object_of(value)} for slug, value in listed.items()]
    said = (check_document(one) for one in objects_of(listed))
    return {slug: one for one in said if (slug := id_in(one.get("slug")) or id_in(one.get("id")))}


class ThreeLayerImporter(LayoutImporter):
    """Imports the files of one workspace; `project` is that of every new entry."""

    layout = THREE_LAYER
    _listed: Mapping[str, dict[str, Any]] = {}
    """The object that the index has for each entity, by the entity's folder."""

    def import_file(self, row: LayoutRow, path: str, raw: bytes) -> None:
        label = clean_text(self.store, path)  # reports and entries contain it
        if row.kind == LISTED:
            with Telling(self.done.report, label):
                listed = read_index(raw)
                self._listed = {clean_text(self.store, slug): listed[slug] for slug in listed}
        elif row.kind == KIND:
            with self.intake.telling(label):
                self._import_entity(row, label, raw, self.intake.terms.date_of(path))
        else:
            super().import_file(row, path, raw)

    def finish(self) -> None:
        super().finish()
        acting = self.store.acting_as(self.actor)
        created = [slug_at(place) for place in self.places.values() if is_entity_place(place)]
        write_summaries(acting, created, OP, f"from {self.name}")
        write_entity_index(self.store)

    def _import_entity(self, row: LayoutRow, label: str, raw: bytes, at: float | None) -> None:
        """Import the facts of one folder from the file `label`, which has the date `at`. Raises
        MalformedError, UsageError, ConflictError."""
        folder = folder_of(label)
        slug = self._choose_slug(folder, label)
        redaction = Redaction(self.store)
        listed = redaction.clean_values(self._listed.get(folder, {}))
        items, shape = read_items(raw)
        kept: dict[str, Any] = {
            "facts": {},
            "shape": redaction.clean_values(shape),
            "index": {key: value for key, value in listed.items() if key not in OF_INDEX},
        }
        given = Entity(
            _name(listed.get("name")),
            trimmed(listed.get("entityType")) or trimmed(listed.get("type")),
            [name for one in trimmed_texts(listed.get("aliases")) if (name := _name(one))],
            self._read_facts(label, items, redaction, kept["facts"]),
        )
        try:
            there = follow_merges(self.store, read_filed(self.store, slug))
        except NotFoundError:
            if not is_free(self.store, make_locator(f"{archive_folder(place_of(slug))}/{ITEMS}")):
                raise ConflictError("its entity is archived here, and stays so") from None
        else:
            self._merge(there, label, given, kept)
            return
        named = _name(folder.replace("-", " ").replace("_", " ").title())
        name = given.name or named or slug.replace("-", " ").title()
        entity = given.replace(name=name, type=given.type or type_of(given.facts))
        document = redaction.clean_values(entity.document())
        new = Incoming(self.layout, row, self.name, label, document, at)
        new.id = make_id(self.store.clock.now(), self.store.entropy.draw(10))
        new.label, new.place = label, place_of(slug)
        new.own = {"slug": slug, FACTS: entity.bookkeeping(), **_unknown(kept)}
        self.create(new)

    def _choose_slug(self, folder: str, label: str) -> str:
        """Return the slug of a folder's entity here, which no other folder of the workspace has."""
        slug = slugify(folder, f"entity-{digest(folder, 8)}")
        if place_of(slug) in self.ids:
            slug = f"{slug}-{digest(folder, 8)}"
            self.done.report(label, f"another folder comes to its name here: taken in as {slug!r}")
        self.ids.add(place_of(slug))
        return slug

    def _read_facts(
        self, label: str, items: Sequence[Any], redaction: Redaction, unknown: dict[str, Any]
    ) -> list[Fact]:
        """Return the readable facts of a file, without secrets; add their further fields by their
        ids to `unknown`."""
        facts: list[Fact] = []
        for number, item in enumerate(items, 1):
            with Telling(self.done.report, f"{label}: fact {number}"):
                item = redaction.clean_values(item) if isinstance(item, dict) else item
                fact, more = read_foreign_fact(item, self.actor.trust)
                facts.append(fact)
                unknown.update({fact.id: more} if more else {})
        self.done.redacted += bool(redaction.rules)
        told = list(told_apart(facts))
        for fact, id_ in told:
            if fact.id != id_:
                self.done.report(label, f"another fact is {id_!r} in it: taken in as {fact.id!r}")
        return [fact for fact, _ in told]

    def _merge(
        self, there: FiledEntity, label: str, given: Entity, kept: Mapping[str, Any]
    ) -> None:
        """Add new facts to an entity, update those that changed only in the source, and write it
        unless the import says nothing new of it and its origin. Raises ConflictError."""
        restored = there.status == DELETED
        if restored:
            if self.intake.stays_deleted(label, self.store.read_entry(there.locator)):
                return
            revive(self.store, there.locator)
            there = read_filed(self.store, there.slug)
        if there.status != ACTIVE:
            raise ConflictError(f"its entity is {there.status} here, and stays so")
        merged = self._merge_facts(there, label, given)
        before = object_of(there.note.own.get(IMPORTED))
        own = {key: kept[key] or object_of(before.get(key)) for key in kept}
        own = _unknown({**own, "facts": {**object_of(before.get("facts")), **kept["facts"]}})
        origin = self._find_origin(there, merged)
        said = {key: there.note.own.get(key) for key in own}
        changed = merged.document() != there.entity.document() or said != own
        facts = merged.bookkeeping()
        told = self.store.index.told_origin(there.id, there.stored.hash)
        anothers = told != origin or facts != there.entity.bookkeeping()
        if changed or (self.intake.terms.trust is not None and anothers):
            source = {**object_of(there.note.own.get("source")), "trust": origin}
            note = there.note.with_document(merged.document()).patch(
                {**own, FACTS: facts, "updated": self.store.now, "source": source}
            )
            check_size(note)
            self.store.preserve(there.locator, there.stored, there.id)
            write = Write(there.locator, note.raw, there.id, there.stored.hash)
            actor = Actor(self.actor.agent, origin)
            self.store.commit(OP, [write], reason=f"from {self.name}", actor=actor)
            outcome = UPDATED if changed else TRUSTED
        else:
            outcome = UNCHANGED
        self.done.count(RESTORED if restored else outcome)

    def _find_origin(self, there: FiledEntity, merged: Entity) -> str:
        """Return the origin of a merged entity: the least of its facts' origins if the caller names
        the origin of the import, else at most its former one."""
        if self.intake.terms.trust is not None:
            return least(self.actor.trust, *(fact.trust for fact in merged.facts))
        row = self.store.find_exact(there.id)
        known = row is not None and row.hash == there.stored.hash
        origin = effective_trust(self.store, row) if row is not None and known else EXTERNAL
        return least(self.actor.trust, origin)

    def _merge_facts(self, there: FiledEntity, label: str, given: Entity) -> Entity:
        """Return an entity with the imported facts; report why a fact was refused."""

        @cache
        def recall_before() -> dict[str, Any]:
            """Return the facts of the entity by their ids, as an import last wrote them."""
            last = last_taken_in(self.store, read_entry(there.locator, there.stored.raw))
            said = last.note if last else JsonNote(KIND, {}, {})
            facts = read_entity(said.document, said.own, there.slug).facts
            return {fact.id: fact.document() for fact in facts}

        joined = {fact.id: fact for fact in there.entity.facts}
        for fact in given.facts:
            known = joined.get(fact.id)
            with Telling(self.done.report, f"{label}: {fact.id}"):
                joined[fact.id] = fact if known is None else self._renew(known, fact, recall_before)
        merged = there.entity.replace(facts=list(joined.values()))
        if self.actor.trust == OPERATOR:  # names identify an entity, so only the operator adds some
            aliases = list(dict.fromkeys((*merged.aliases, *given.aliases)))
            merged = merged.replace(aliases=aliases, type=merged.type or given.type)
        return merged

    def _renew(self, known: Fact, fact: Fact, recall_before: Callable[[], dict[str, Any]]) -> Fact:
        asked = self.intake.terms.trust
        here, wanted = known.document(), fact.document()
        if not gives_way(here, wanted, lambda: recall_before().get(fact.id)):
            return known.replace(trust=asked) if asked and here == wanted else known
        if known.trust == OPERATOR != self.actor.trust and not asked:
            raise ConflictError("the operator vouches for what is here, which stays")
        trust = asked or least(known.trust, fact.trust)
        fresh = {name: getattr(known, name) for name in ("confidence", "seen", "refs", "disputes")}
        return fact.replace(trust=trust, **fresh)


class ThreeLayerExport(Export):
    """An export that counts entities, facts and daily notes."""

    layout = THREE_LAYER
    only = Filter(kinds=(KIND, DAILY, CHECKPOINT, KEPT), statuses=(ACTIVE,), zones=(LIVE, WORKING))

    _listed: list[dict[str, Any]]

    def begin(self) -> Iterator[File]:
        self._listed = []
        place = Locator(MEMORY)
        entry = None if is_free(self.store, place) else self.read(place)
        if entry is not None and entry.status == ACTIVE:
            yield from self.write_by(self.layout.row_of(MEMORY), entry)

    def write(self, entry: Entry) -> Iterator[File]:
        day = day_in(stem_of(entry.path))
        if entry.kind == DAILY and (not day or entry.path != place_of_day(day)):
            self.left_out.append((entry.path, "no note of a day by its name and place"))
        elif entry.kind != KIND:
            yield from super().write(entry)
        else:
            yield from self._write_entity(entry)

    def end(self) -> Iterator[File]:
        whole = {GENERATED_BY: "by engrain export", "entities": self._listed}
        yield INDEX, write_json(whole)

    def _write_entity(self, entry: Entry) -> Iterator[File]:
        slug = slug_at(entry.path)
        entity = read_entity(entry.note.document, entry.note.own, slug)
        besides = object_of(entry.note.own.get(IMPORTED))
        unknown = object_of(besides.get("facts"))
        name = self.names.reserve("memory/entities", slug, "/items.json")
        folder = name.rpartition("/")[0]
        self._listed.append(
            {
                **object_of(besides.get("index")),
                "slug": folder_of(name),
                "name": entity.name,
                "type": entity.type,
                "aliases": list(entity.aliases),
                "facts": len(entity.facts),
                "active": len(entity.active),
            }
        )
        self.count(KIND)
        self.count("fact", len(entity.facts))
        facts = [write_foreign_fact(one, object_of(unknown.get(one.id))) for one in entity.facts]
        yield name, write_json(fill_shape(besides.get("shape"), facts))
        stored = read_summary(self.store, entry.path.rpartition("/")[0])
        made = b"" if stored else write_summary(entity, self.store.clock.now()).encode()
        yield f"{folder}/{SUMMARY}", stored.raw if stored else made
