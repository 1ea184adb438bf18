"""Import the entities of a three-layer workspace: create each, or merge it with the one here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from engrain.engine.core.attesting import effective_trust, least
from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import CREATED, RESTORED, TRUSTED, UNCHANGED, UPDATED
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor
from engrain.engine.entities.files import FiledEntity, follow_merges, read_filed
from engrain.engine.verbs.intake import DELETED, OP, Telling, gives_way, last_taken_in
from engrain.engine.verbs.records import compose_record
from engrain.engine.verbs.save import check_size, revive
from engrain.interchange.importing import LayoutImporter
from engrain.interchange.table import (
    IMPORTED,
    canonical,
    check_document,
    decode_utf8,
    digest,
    id_in,
)
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, MalformedError, NotFoundError, UsageError
from engrain.model.facts.entity import (
    FACTS,
    ITEMS,
    KIND,
    Entity,
    clean_entity_name,
    place_of,
    read_entity,
)
from engrain.model.facts.fact import Fact, read_fact
from engrain.model.note.documents import object_of, read_json, trimmed, trimmed_texts
from engrain.model.note.entry import read_entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR, archive_folder
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator

_MOST_BYTES = 8 * MAX_NOTE_BYTES  # with blanks and unknown keys of other writers
OF_INDEX = frozenset(("slug", "id", "name", "type", "entityType", "aliases", "facts", "active"))
"""The keys of an index that have a meaning here."""


def read_items(raw: bytes) -> list[Any]:
    """Return the facts in a file, a list that is bare or under `items` or `facts`. Raises
    MalformedError, also for a file that is larger than any entity's."""
    if len(raw) > _MOST_BYTES:
        raise MalformedError(
            f"{len(raw)} bytes of facts, and an entity holds {MAX_NOTE_BYTES} at most",
            reason="too-large",
        )
    whole = read_json(decode_utf8(raw))
    if isinstance(whole, list):
        return whole
    for key in ("items", "facts"):
        if isinstance(object_of(whole).get(key), list):
            return whole[key]  # type: ignore[no-any-return]
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
    return fact, {key: value for key, value in document.items() if key not in known}


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


class _Given:
    """What a workspace says of one entity: its facts, and what its index says of it (`listed`).
    `unknown` are the fields of facts by id that Engrain has no meaning for."""

    def __init__(self, label: str, listed: Mapping[str, Any]) -> None:
        self.label = label
        self.name = _name(listed.get("name"))
        self.type = trimmed(listed.get("entityType")) or trimmed(listed.get("type"))
        self.aliases = [
            name for one in trimmed_texts(listed.get("aliases")) if (name := _name(one))
        ]
        self.listed = {key: value for key, value in listed.items() if key not in OF_INDEX}
        self.facts: list[Fact] = []
        self.unknown: dict[str, Any] = {}

    def own(self, before: Mapping[str, Any]) -> dict[str, Value]:
        """Return the fields of the entry with what Engrain has no meaning for."""
        there = object_of(before.get(IMPORTED))
        unknown = {**object_of(there.get("facts")), **self.unknown}
        listed = self.listed or object_of(there.get("index"))
        kept: dict[str, Value] = {"facts": unknown, "index": listed}
        kept = {key: value for key, value in kept.items() if value}
        return {IMPORTED: kept} if kept else {}


class EntityImporter:
    """Imports the folders of the entities of one workspace."""

    def __init__(self, whole: LayoutImporter) -> None:
        self.store = whole.store
        self.intake = whole.intake
        self.actor = whole.actor
        self.done = whole.done
        self._whole = whole
        self._slugs: set[str] = set()
        self.created: list[str] = []
        """The slugs of new entities, whose summaries are not yet written."""

    def take(
        self, folder: str, label: str, raw: bytes, listed: Mapping[str, Any], at: float | None
    ) -> None:
        """Import the facts of one folder, reported as `label`; `listed` is its entry in the index,
        `at` the date of the file. Raises MalformedError, UsageError, ConflictError."""
        slug = self._choose_slug(folder, label)
        given = self._read(label, raw, listed)
        try:
            there = read_filed(self.store, slug)
        except NotFoundError:
            gone = make_locator(f"{archive_folder(place_of(slug))}/{ITEMS}")
            if not is_free(self.store, gone):
                raise ConflictError("its entity is archived here, and stays so") from None
            self._create(slug, folder, given, at)
            return
        self._merge(follow_merges(self.store, there).slug, given)

    def _choose_slug(self, folder: str, label: str) -> str:
        """Return the slug of a folder's entity here, which no other folder of the workspace has."""
        slug = slugify(folder, f"entity-{digest(folder, 8)}")
        if slug in self._slugs:
            slug = f"{slug}-{digest(folder, 8)}"
            self.done.tell(label, f"another folder comes to its name here: taken in as {slug!r}")
        self._slugs.add(slug)
        return slug

    def _read(self, label: str, raw: bytes, listed: Mapping[str, Any]) -> _Given:
        """Return the readable facts of a file, without secrets."""
        redaction = Redaction(self.store)
        given = _Given(label, redaction.clean_values(dict(listed)))
        facts: list[Fact] = []
        for number, item in enumerate(read_items(raw), 1):
            with Telling(self.done.tell, f"{label}: fact {number}"):
                if isinstance(item, dict):
                    item = redaction.clean_values(item)
                fact, unknown = read_foreign_fact(item, self.actor.trust)
                facts.append(fact)
                if unknown:
                    given.unknown[fact.id] = unknown
        self.done.redacted += bool(redaction.rules)
        for fact, id_ in told_apart(facts):
            given.facts.append(fact)
            if fact.id != id_:
                self.done.tell(label, f"another fact is {id_!r} in it: taken in as {fact.id!r}")
        return given

    def _create(self, slug: str, folder: str, given: _Given, at: float | None) -> None:
        name = given.name or _name(folder.replace("-", " ").replace("_", " ").title())
        entity = Entity(
            name or slug.replace("-", " ").title(),
            given.type or type_of(given.facts),
            list(dict.fromkeys(given.aliases)),
            given.facts,
        )
        note = compose_record(
            self.store,
            KIND,
            entity.document(),
            project=self._whole.project,
            source=self._whole.layout.name,
            ref=f"{self._whole.name}/{given.label}",
            actor=self.actor,
            extra={
                "slug": slug,
                "created": format_instant(self.store.clock.now() if at is None else at),
                FACTS: entity.bookkeeping(),
                **given.own({}),
            },
        )
        write = Write(make_locator(place_of(slug)), note.raw, str(note.fields["id"]))
        if self.intake.batches.add(given.label, CREATED, write):
            self.created.append(slug)

    def _merge(self, slug: str, given: _Given) -> None:
        """Add new facts to an entity, and update those that changed only in the source."""
        there = read_filed(self.store, slug)
        restored = there.status == DELETED
        if restored:
            if self.intake.stays_deleted(given.label, self.store.read_entry(there.locator)):
                return
            revive(self.store, there.locator)
            there = read_filed(self.store, slug)
        if there.status != ACTIVE:
            raise ConflictError(f"its entity is {there.status} here, and stays so")
        merged, refused = self._merge_facts(there, given)
        outcome = self._rewrite(there, merged, given.own(there.note.own))
        for id_, why in refused.items():
            self.done.tell(f"{given.label}: {id_}", why)
        self.done.count(RESTORED if restored else outcome)

    def _origin_of(self, there: FiledEntity, merged: Entity) -> str:
        """Return the origin of a merged entity: the least of its facts' origins if the caller names
        the origin of the import, else at most its former one."""
        if self.intake.terms.trust is not None:
            return least(self.actor.trust, *(fact.trust for fact in merged.facts))
        row = self.store.find_exact(there.id)
        known = row is not None and row.hash == there.stored.hash
        origin = effective_trust(self.store, row) if row is not None and known else EXTERNAL
        return least(self.actor.trust, origin)

    def _rewrite(self, there: FiledEntity, merged: Entity, own: Mapping[str, Value]) -> str:
        """Replace an entity if the import says something new of it or its origin, unless it has
        changed since it was read. Return the outcome."""
        origin = self._origin_of(there, merged)
        said = {key: there.note.own.get(key) for key in own}
        changed = merged.document() != there.entity.document() or said != own
        told = self.store.index.told_origin(there.id, there.stored.hash)
        facts: Value = {**merged.bookkeeping()}
        anothers = told != origin or facts != there.entity.bookkeeping()
        if not changed and (self.intake.terms.trust is None or not anothers):
            return UNCHANGED
        source = {**object_of(there.note.own.get("source")), "trust": origin}
        note = there.note.with_document(merged.document()).patch(
            {**own, FACTS: facts, "updated": self.store.now, "source": source}
        )
        check_size(note)
        self.store.preserve(there.locator, there.stored, there.id)
        self.store.commit(
            OP,
            [Write(there.locator, note.raw, there.id, there.stored.hash)],
            reason=f"from {self._whole.name}",
            actor=Actor(self.actor.agent, origin),
        )
        return UPDATED if changed else TRUSTED

    def _merge_facts(self, there: FiledEntity, given: _Given) -> tuple[Entity, dict[str, str]]:
        """Return an entity with the imported facts, and by id why a fact was refused."""

        @cache
        def read_before() -> Entity:
            """Return the entity as an import last wrote it."""
            last = last_taken_in(self.store, read_entry(there.locator, there.stored.raw))
            note = last.note if last else None
            if isinstance(note, JsonNote):
                return read_entity(note.document, note.own, there.slug)
            return Entity("")

        joined = {fact.id: fact for fact in there.entity.facts}
        refused: dict[str, str] = {}
        for fact in given.facts:
            known = joined.get(fact.id)
            try:
                joined[fact.id] = fact if known is None else self._renew(known, fact, read_before)
            except ConflictError as error:
                refused[fact.id] = error.message
        merged = there.entity.replace(facts=list(joined.values()))
        if self.actor.trust == OPERATOR:  # names identify an entity, so only the operator adds some
            aliases = list(dict.fromkeys((*merged.aliases, *given.aliases)))
            merged = merged.replace(aliases=aliases, type=merged.type or given.type)
        return merged, refused

    def _renew(self, known: Fact, fact: Fact, read_before: Callable[[], Entity]) -> Fact:
        asked = self.intake.terms.trust
        here, wanted = known.document(), fact.document()

        def recall_before() -> dict[str, Any] | None:
            last = read_before().find(fact.id)
            return last.document() if last else None

        if not gives_way(here, wanted, recall_before):
            return known.replace(trust=asked) if asked and here == wanted else known
        if known.trust == OPERATOR != self.actor.trust and not asked:
            raise ConflictError("the operator vouches for what is here, which stays")
        return fact.replace(
            trust=asked or least(known.trust, fact.trust),
            confidence=known.confidence,
            seen=known.seen,
            refs=known.refs,
            disputes=known.disputes,
        )


def _name(said: object) -> str:
    """Return a valid name of an entity, "" for an invalid one."""
    try:
        return clean_entity_name(trimmed(said))
    except UsageError:
        return ""
