"""Import the entities of a three-layer workspace: create each, or merge it with the one here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engrain.engine.core.attesting import effective_trust, least
from engrain.engine.core.batches import ERASED, LEFT_OUT
from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import CREATED, RESTORED, TRUSTED, UNCHANGED, UPDATED
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import UPDATE_ATTEMPTS, Actor
from engrain.engine.entities.files import FiledEntity, follow_merges, read_filed
from engrain.engine.verbs.forget import revive
from engrain.engine.verbs.intake import DELETED, OP, Telling, gives_way
from engrain.engine.verbs.records import compose_record
from engrain.engine.verbs.save import check_size
from engrain.interchange.importing import Importer, last_taken_in
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.facts.entity import (
    FACTS,
    KIND,
    Entity,
    clean_entity_name,
    place_of,
    read_entity,
    slug_at,
)
from engrain.model.facts.fact import Fact
from engrain.model.interchange.documents import digest
from engrain.model.interchange.three_layer import (
    ITEMS,
    ListedEntity,
    read_foreign_fact,
    read_items,
    told_apart,
    type_of,
)
from engrain.model.note.documents import object_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR, archive_folder
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import Write


class EntityImporter(Importer):
    """Imports the folders of the entities of one workspace."""

    def prepare(self) -> None:
        self._slugs: set[str] = set()
        self.created: list[str] = []
        """The slugs of new entities, whose summaries are not yet written."""

    def take_folder(
        self, folder: str, label: str, raw: bytes, listed: ListedEntity, at: float | None
    ) -> None:
        """Import the facts of one folder, reported as `label`; `listed` is its entry in the index,
        `at` the date of the file. Raises MalformedError, UsageError, ConflictError."""
        slug = self._choose_slug(folder, label)
        place = make_locator(place_of(slug))
        said = self._read_facts(label, raw)
        facts = self._leave_erased(label, said)
        if said and not facts:
            self.done.count(ERASED)
            return
        try:
            there = read_filed(self.store, slug)
        except NotFoundError:
            gone = make_locator(f"{archive_folder(place)}/{ITEMS}")
            if not is_free(self.store, gone):
                raise ConflictError("its entity is archived here, and stays so") from None
            self._create(place, slug, folder, label, listed, facts, at)
            return
        if there.merged_into:
            facts = [fact.replace(of=slug) for fact in facts]
        self._merge(follow_merges(self.store, there).slug, label, listed, facts)

    def _leave_erased(self, label: str, facts: Sequence[Fact]) -> list[Fact]:
        """Return the facts that were not erased."""
        erased = {
            fact.id for fact in facts if self.intake.batches.erased.refuses_text(fact.content)
        }
        for id_ in erased:
            self.done.tell(f"{label}: {id_}", LEFT_OUT)
        return [fact for fact in facts if fact.id not in erased]

    def _choose_slug(self, folder: str, label: str) -> str:
        """Return the slug of a folder's entity here, which no other folder of the workspace has."""
        slug = slugify(folder, f"entity-{digest(folder, 8)}")
        if slug in self._slugs:
            slug = f"{slug}-{digest(folder, 8)}"
            self.done.tell(label, f"another folder comes to its name here: taken in as {slug!r}")
        self._slugs.add(slug)
        return slug

    def _read_facts(self, label: str, raw: bytes) -> list[Fact]:
        """Return the readable facts of a file, without secrets."""
        facts: list[Fact] = []
        redaction = Redaction(self.store)
        for number, item in enumerate(read_items(raw), 1):
            with Telling(self.done.tell, f"{label}: fact {number}"):
                if isinstance(item, dict):
                    item = redaction.clean_values(item)
                facts.append(read_foreign_fact(item, self.actor.trust))
        self.done.redacted += bool(redaction.rules)
        distinct: list[Fact] = []
        for fact, id_ in told_apart(facts):
            distinct.append(fact)
            if fact.id != id_:
                self.done.tell(label, f"another fact is {id_!r} in it: taken in as {fact.id!r}")
        return distinct

    def _create(
        self,
        place: Locator,
        slug: str,
        folder: str,
        label: str,
        listed: ListedEntity,
        facts: Sequence[Fact],
        at: float | None,
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
            source=self.layout,
            ref=f"{self.name}/{label}",
            actor=self.actor,
            extra={
                "slug": slug,
                "created": format_instant(self.store.clock.now() if at is None else at),
                FACTS: entity.bookkeeping(),
            },
        )
        if self.intake.batches.add(label, CREATED, Write(place, note.raw, str(note.fields["id"]))):
            self.created.append(slug)

    def _merge(self, slug: str, label: str, listed: ListedEntity, facts: Sequence[Fact]) -> None:
        """Add new facts to an entity, and update those that changed only in the source."""
        restored = False
        for attempt in range(UPDATE_ATTEMPTS):
            there = read_filed(self.store, slug)
            if there.status == DELETED:
                entry = self.store.read_entry(there.locator)
                if self.intake.stays_deleted(label, entry):
                    return
                revive(self.store, there.locator)
                restored = True
                continue
            if there.status != ACTIVE:
                raise ConflictError(f"its entity is {there.status} here, and stays so")
            refused: dict[str, str] = {}
            merged = self._merge_facts(there, listed, facts, refused)
            origin = self._origin_of(there, merged)
            outcome = RESTORED if restored else UNCHANGED
            said = merged.document() != there.entity.document()
            if said or self._is_anothers(there, merged, origin):
                try:
                    self._rewrite(there, merged, origin)
                except ConflictError:
                    if attempt == UPDATE_ATTEMPTS - 1:
                        raise
                    self.store.upkeep.drain()
                    continue
                outcome = RESTORED if restored else UPDATED if said else TRUSTED
            for id_, why in refused.items():
                self.done.tell(f"{label}: {id_}", why)
            self.done.count(outcome)
            return

    def _origin_of(self, there: FiledEntity, merged: Entity) -> str:
        """Return the origin of a merged entity: the least of its facts' origins if the caller names
        the origin of the import, else at most its former one."""
        if self.intake.terms.trust is not None:
            return least(self.actor.trust, *(fact.trust for fact in merged.facts))
        row = self.store.find_exact(there.id)
        known = row is not None and row.hash == there.stored.hash
        origin = effective_trust(self.store, row) if row is not None and known else EXTERNAL
        return least(self.actor.trust, origin)

    def _is_anothers(self, there: FiledEntity, merged: Entity, origin: str) -> bool:
        """Whether the origin of an entity or its facts differs from the one that the caller
        names."""
        if self.intake.terms.trust is None:
            return False
        origin_there = self.store.index.told_origin(there.id, there.stored.hash)
        return origin_there != origin or merged.bookkeeping() != there.entity.bookkeeping()

    def _rewrite(self, there: FiledEntity, merged: Entity, origin: str) -> None:
        """Replace an entity, unless it has changed since it was read."""
        beside: Value = dict(merged.bookkeeping())
        changes: dict[str, Value] = {
            "updated": self.store.now,
            "source": {**object_of(there.note.own.get("source")), "trust": origin},
            FACTS: beside,
        }
        note = there.note.with_document(merged.document()).patch(changes)
        check_size(note)
        self.store.preserve(there.locator, there.stored, there.id)
        self.store.commit(
            OP,
            [Write(there.locator, note.raw, there.id, there.stored.hash)],
            reason=f"from {self.name}",
            actor=Actor(self.actor.agent, origin),
        )

    def _merge_facts(
        self,
        there: FiledEntity,
        listed: ListedEntity,
        facts: Sequence[Fact],
        refused: dict[str, str],
    ) -> Entity:
        """Return an entity with the imported facts; `refused` gets by id why a fact was refused."""
        here = there.entity
        last: list[Entity] = []  # read at most once

        def recall_before(id_: str) -> dict[str, Any] | None:
            if not last:
                entry = last_taken_in(self.store, read_entry(there.locator, there.stored.raw))
                last.append(Entity("") if entry is None else _entity(entry))
            found = last[0].find(id_)
            return None if found is None else found.document()

        joined = {fact.id: fact for fact in here.facts}
        for fact in facts:
            known = joined.get(fact.id)
            try:
                joined[fact.id] = fact if known is None else self._renew(known, fact, recall_before)
            except ConflictError as error:
                refused[fact.id] = error.message
        merged = here.replace(facts=list(joined.values()))
        if self.actor.trust != OPERATOR:
            return merged  # names identify an entity, so only the operator may add some
        given = filter(None, map(_name, listed.aliases))
        aliases = list(dict.fromkeys((*here.aliases, *given)))
        return merged.replace(aliases=aliases, type=here.type or listed.type)

    def _renew(
        self, known: Fact, fact: Fact, recall_before: Callable[[str], dict[str, Any] | None]
    ) -> Fact:
        asked = self.intake.terms.trust
        if not gives_way(known.document(), fact.document(), lambda: recall_before(fact.id)):
            same = known.document() == fact.document()
            return known.replace(trust=asked) if asked and same else known
        if known.trust == OPERATOR != self.actor.trust and not asked:
            raise ConflictError("the operator vouches for what is here, which stays")
        return fact.replace(
            trust=asked or least(known.trust, fact.trust),
            confidence=known.confidence,
            seen=known.seen,
            refs=known.refs,
            disputes=known.disputes,
            of=known.of,
        )


def _name(said: str) -> str:
    """Return a valid name of an entity, "" for an invalid one."""
    try:
        return clean_entity_name(said)
    except UsageError:
        return ""


def _entity(entry: Entry) -> Entity:
    """Return the entity in an entry, an empty one if the entry is no record."""
    note = entry.note
    if not isinstance(note, JsonNote):
        return Entity("")
    return read_entity(note.document, note.own, slug_at(entry.path))
