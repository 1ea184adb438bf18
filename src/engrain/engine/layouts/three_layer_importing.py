"""`import --format three-layer`: facts of entities, daily notes and what is known of the operator.

Every fact comes in as it is, with its id, among those of the entity of its folder. Importing again
leaves what is the same and renews what only changed there. Summaries and the architecture are not
read: they are made from facts. What can't be read is told and stops nothing.
"""

from __future__ import annotations

from engrain.engine.attesting import EXTERNAL, OPERATOR, effective_trust, least
from engrain.engine.batches import Batches
from engrain.engine.entities import end_of, read_filed
from engrain.engine.entity_index import write_entity_index
from engrain.engine.layouts.notes import take_note
from engrain.engine.layouts.renewal import OP, gives_way, last_taken_in
from engrain.engine.loki.reading import Telling
from engrain.engine.moving import is_free
from engrain.engine.outcomes import CREATED, UNCHANGED, UPDATED, Imported
from engrain.engine.records import compose_record
from engrain.engine.redaction import Redaction, clean_text
from engrain.engine.save import check_size
from engrain.engine.store import UPDATE_ATTEMPTS, Actor
from engrain.model.daily import KIND as DAILY
from engrain.model.daily import place_of as place_of_day
from engrain.model.documents import object_of
from engrain.model.entities import FACTS, KIND, Entity, place_of, read_entity, slug_at
from engrain.model.entity_names import clean_entity_name
from engrain.model.entry import read_entry
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.facts import Fact
from engrain.model.instants import format_instant
from engrain.model.json_note import JsonNote
from engrain.model.layouts.three_layer import (
    INDEX,
    ITEMS,
    MEMORY,
    Listed,
    day_in,
    folder_of,
    part_at,
    read_foreign_fact,
    read_index,
    read_items,
    told_apart,
    type_of,
)
from engrain.model.loki.layout import digest
from engrain.model.slugs import slugify
from engrain.model.tiers import ACTIVE, archive_folder
from engrain.seam.locator import make_locator
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engrain.engine.entities import Filed
    from engrain.engine.store import Store
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.seam.locator import Locator

SOURCE = "three-layer"


def import_three_layer(
    store: Store, files: Iterable[tuple[str, bytes]], name: str, project: str | None = None
) -> Imported:
    """Take in the files of one workspace, by their names in it, in the order of
    `model.layouts.three_layer.in_reading_order`. `name` is what the workspace is known by;
    `project` is that of every new entry."""
    store.require_index(scan=True)
    return _Import(store, name, project).run(files)


class _Import:
    def __init__(self, store: Store, name: str, project: str | None) -> None:
        trusted = store.actor.trust == OPERATOR
        self.actor = store.actor if trusted else Actor(store.actor.agent, "external")
        self.store = store
        self.name = clean_text(store, name)
        self.project = project
        self.done = Imported()
        reason = f"from {self.name}"
        self.batches = Batches(store, OP, self.actor, reason, self._count, self._tell)
        self.listed: dict[str, Listed] = {}
        self.slugs: set[str] = set()

    def run(self, files: Iterable[tuple[str, bytes]]) -> Imported:
        for path, raw in files:
            part = part_at(path)
            label = clean_text(self.store, path)  # it is told, and names what came from it
            with Telling(self._tell, label):
                if part == INDEX:
                    listed = read_index(raw)
                    self.listed = {clean_text(self.store, slug): listed[slug] for slug in listed}
                elif part == ITEMS:
                    self._take_entity(clean_text(self.store, folder_of(path)), label, raw)
                elif part == MEMORY:
                    self._take_memory(label, raw)
                elif part:
                    day = day_in(path.rpartition("/")[2])
                    fields: dict[str, Value] = {
                        "kind": DAILY, "slug": day, "project": self.project
                    }  # fmt: skip
                    self._take_note(make_locator(place_of_day(day)), label, raw, fields)
            self.batches.flush_full()
        self.batches.flush()
        self.store.upkeep.flush()
        write_entity_index(self.store)
        return self.done

    def _take_memory(self, label: str, raw: bytes) -> None:
        """It stands among the operator's notes, and is read in every session."""
        if self.actor.trust != OPERATOR:
            raise UsageError("left where it is: only the operator takes it in")
        self._take_note(make_locator(MEMORY), label, raw, None)

    def _take_note(
        self, place: Locator, label: str, raw: bytes, fields: dict[str, Value] | None
    ) -> None:
        source = (SOURCE, f"{self.name}/{label}")
        note = take_note(self.store, self.actor, place, raw, fields, source, self.done)
        if note.write is None:
            self._count(note.outcome)
        else:
            self.batches.add(label, note.outcome, note.write, note.expected)

    def _take_entity(self, folder: str, label: str, raw: bytes) -> None:
        slug = self._choose_slug(folder, label)
        place = make_locator(place_of(slug))
        facts = self._read_facts(label, raw)
        listed = self.listed.get(folder, Listed())
        try:
            there = read_filed(self.store, slug)
        except NotFoundError:
            gone = make_locator(f"{archive_folder(place)}/{ITEMS}")
            if not is_free(self.store, gone):
                raise ConflictError("its entity is archived here, and stays so") from None
            self._create(place, slug, folder, label, listed, facts)
            return
        if there.merged_into:
            facts = [fact.replace(of=slug) for fact in facts]
        self._merge(end_of(self.store, there).slug, label, listed, facts)

    def _choose_slug(self, folder: str, label: str) -> str:
        """What the entity of a folder is called here: no two of one tree alike."""
        slug = slugify(folder, f"entity-{digest(folder, 8)}")
        if slug in self.slugs:
            slug = f"{slug}-{digest(folder, 8)}"
            self._tell(label, f"another folder comes to its name here: taken in as {slug!r}")
        self.slugs.add(slug)
        return slug

    def _read_facts(self, label: str, raw: bytes) -> list[Fact]:
        """The facts of a file that can be read, without secrets."""
        facts: list[Fact] = []
        redaction = Redaction(self.store)
        for number, item in enumerate(read_items(raw), 1):
            with Telling(self._tell, f"{label}: fact {number}"):
                if isinstance(item, dict):
                    item = redaction.clean_values(item)
                facts.append(read_foreign_fact(item, self.actor.trust))
        self.done.redacted += bool(redaction.rules)
        told: list[Fact] = []
        for fact, id_ in told_apart(facts):
            told.append(fact)
            if fact.id != id_:
                self._tell(label, f"another fact is {id_!r} in it: taken in as {fact.id!r}")
        return told

    def _create(
        self,
        place: Locator,
        slug: str,
        folder: str,
        label: str,
        listed: Listed,
        facts: Sequence[Fact],
    ) -> None:
        name = _name(listed.name) or _name(folder.replace("-", " ").replace("_", " ").title())
        aliases = list(dict.fromkeys(filter(None, map(_name, listed.aliases))))
        type_ = listed.type or type_of(facts)
        entity = Entity(name or slug.replace("-", " ").title(), type_, aliases, facts)
        note = compose_record(
            self.store,
            KIND,
            entity.document(),
            project=self.project,
            source=SOURCE,
            ref=f"{self.name}/{label}",
            actor=self.actor,
            extra={
                "slug": slug,
                "created": format_instant(self.store.clock.now()),
                FACTS: entity.bookkeeping(),
            },
        )
        self.batches.add(label, CREATED, Write(place, note.raw, str(note.fields["id"])), None)

    def _merge(self, slug: str, label: str, listed: Listed, facts: Sequence[Fact]) -> None:
        """Add what an entity that is here has not, and renew what only changed in the tree."""
        for attempt in range(UPDATE_ATTEMPTS):
            there = read_filed(self.store, slug)
            if there.status != ACTIVE:
                raise ConflictError(f"its entity is {there.status} here, and stays so")
            told: dict[str, str] = {}
            merged = self._join(there, listed, facts, told)
            outcome = UNCHANGED
            if merged.document() != there.entity.document():
                try:
                    self._rewrite(there, merged)
                except ConflictError:
                    if attempt == UPDATE_ATTEMPTS - 1:
                        raise
                    self.store.upkeep.drain()
                    continue
                outcome = UPDATED
            for id_, why in told.items():
                self._tell(f"{label}: {id_}", why)
            self._count(outcome)
            return

    def _rewrite(self, there: Filed, merged: Entity) -> None:
        """Write an entity over what was read of it, trusted no more than that was."""
        row = self.store.find_exact(there.id)
        known = row is not None and row.hash == there.stored.hash
        origin = effective_trust(self.store, row) if row is not None and known else EXTERNAL
        actor = Actor(self.actor.agent, least(self.actor.trust, origin))
        beside: Value = dict(merged.bookkeeping())
        changes: dict[str, Value] = {
            "updated": format_instant(self.store.clock.now()),
            "source": {**object_of(there.note.own.get("source")), "trust": actor.trust},
            FACTS: beside,
        }
        note = there.note.with_document(merged.document()).patch(changes)
        check_size(note)
        self.store.preserve(there.locator, there.stored, there.id)
        self.store.commit(
            OP,
            [Write(there.locator, note.raw, there.id)],
            {there.locator: there.stored.hash},
            reason=f"from {self.name}",
            actor=actor,
        )

    def _join(
        self, there: Filed, listed: Listed, facts: Sequence[Fact], told: dict[str, str]
    ) -> Entity:
        """An entity with what came; `told` hears, by its id, why a fact did not."""
        here = there.entity
        last = last_taken_in(self.store, read_entry(there.locator, there.stored.raw))
        before = None if last is None else _entity(last)
        joined = {fact.id: fact for fact in here.facts}
        for fact in facts:
            known = joined.get(fact.id)
            try:
                joined[fact.id] = fact if known is None else self._renew(known, fact, before)
            except ConflictError as error:
                told[fact.id] = error.message
        merged = here.replace(facts=list(joined.values()))
        if self.actor.trust != OPERATOR:
            return merged  # names lead to an entity: nobody from outside gives it any
        given = filter(None, map(_name, listed.aliases))
        aliases = list(dict.fromkeys((*here.aliases, *given)))
        return merged.replace(aliases=aliases, type_=here.type or listed.type)

    def _renew(self, known: Fact, fact: Fact, before: Entity | None) -> Fact:
        last = None if before is None else before.find(fact.id)
        document = None if last is None else last.document()
        if not gives_way(known.document(), fact.document(), document):
            return known
        if known.trust == OPERATOR != self.actor.trust:
            raise ConflictError("the operator vouches for what is here, which stays")
        return fact.replace(
            trust=least(known.trust, fact.trust),
            confidence=known.confidence,
            seen=known.seen,
            refs=known.refs,
            disputes=known.disputes,
            of=known.of,
        )

    def _count(self, outcome: str) -> None:
        self.done.counts[outcome] = self.done.counts.get(outcome, 0) + 1

    def _tell(self, label: str, message: str) -> None:
        self.done.problems.append((label, message))


def _name(said: str) -> str:
    """A name as it may stand in a document, "" for what names nobody."""
    try:
        return clean_entity_name(said)
    except UsageError:
        return ""


def _entity(entry: Entry) -> Entity:
    """The entity in an entry that is a record."""
    note = entry.note
    if not isinstance(note, JsonNote):
        return Entity("")
    return read_entity(note.document, note.own, slug_at(entry.path))
