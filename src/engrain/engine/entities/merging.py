"""Corrects entities by hand: renames them, settles or forgets facts, and merges two of them (S4.1).

The facts of the merged entity are added to the other as new facts are, so that no fact is there
twice. Its file stays, superseded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store, try_again
from engrain.engine.entities.files import (
    MERGED_INTO,
    EntityChange,
    FiledEntity,
    read_filed,
    read_summary,
    write_entities,
    write_entity,
)
from engrain.engine.entities.resolution import Resolver, clean_subject, fits, open_entity
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.facts.entity import SUMMARY, Entity, is_said_by, name_key
from engrain.model.facts.fact import Fact, FactEdge
from engrain.model.facts.intake import FactIntake
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.facts.summaries import read_stamp
from engrain.model.note.documents import texts_of
from engrain.seam.locator import Locator

FactChange: TypeAlias = "Callable[[FiledEntity, Fact, FactIntake], dict[str, object]]"


_LEAST = 4
"""Characters of an id at least by which a fact is found."""
_MOST_FORGOTTEN = 500


def find_fact(filed: FiledEntity, reference: str) -> Fact:
    """Find the fact of an entity by its id, or by the beginning or end of that. Raises
    NotFoundError, UsageError."""
    facts = filed.entity.facts
    found = [fact for fact in facts if fact.id == reference]
    if not found and len(reference) >= _LEAST:
        size = len(reference)
        found = [fact for fact in facts if reference in (fact.id[:size], fact.id[-size:])]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(fact.id for fact in found[:5])
        raise UsageError(f"{reference!r} may mean {len(found)} facts: {ids}")
    raise NotFoundError(
        f"{filed.slug} has no fact {reference!r}",
        path=filed.locator,
        remedy=f"`engrain fact list {filed.slug}` shows them",
    )


def show_fact(store: Store, entity: str, reference: str) -> tuple[FiledEntity, Fact]:
    """Read one fact of an entity, as `find_fact` finds it."""
    filed = open_entity(store, entity)
    return filed, find_fact(filed, reference)


def settle_fact(store: Store, entity: str, reference: str) -> tuple[FiledEntity, Fact]:
    """Decide a dispute for one fact: the others turn historical. Returns the fact as it is then.
    Raises UsageError for a fact that nothing disputes."""

    def settle(filed: FiledEntity, fact: Fact, intake: FactIntake) -> dict[str, object]:
        if not fact.active or not fact.disputes:
            raise UsageError(
                f"nothing disputes {fact.id}",
                path=filed.locator,
                remedy="`engrain entity list --disputed` shows where something is",
            )
        intake.resolve(fact.id)
        return {}

    filed, fact = _rewrite(store, entity, reference, settle, "settled")
    return filed, find_fact(filed, fact.id)


def forget_fact(
    store: Store, entity: str, reference: str, reason: str = ""
) -> tuple[FiledEntity, Fact]:
    """Remove a fact, so that reading its source again does not bring it back but stating it by hand
    does. Returns the fact as it was; `undo` brings it back."""

    def drop(filed: FiledEntity, fact: Fact, intake: FactIntake) -> dict[str, object]:
        intake.drop(fact.id)
        digests = [*texts_of(filed.note.own.get(FORGOTTEN)), digest_of(fact.content)]
        return {FORGOTTEN: list(dict.fromkeys(digests))[-_MOST_FORGOTTEN:]}

    return _rewrite(store, entity, reference, drop, reason or "forgotten")


def _rewrite(
    store: Store, entity: str, reference: str, change: FactChange, reason: str
) -> tuple[FiledEntity, Fact]:
    store.require_index()

    def rewrite() -> tuple[FiledEntity, Fact]:
        filed = open_entity(store, entity)
        fact = find_fact(filed, reference)
        before = filed.entity
        intake = FactIntake(before.facts, before.names, store.clock.now())
        own = change(filed, fact, intake)
        after = before.replace(facts=intake.facts)
        write_entity(store, filed.slug, filed, after, own, reason=f"{reason} {fact.id}")
        return read_filed(store, filed.slug), fact

    return try_again(rewrite)


def rename_entity(store: Store, reference: str, name: str) -> FiledEntity:
    """Give an entity another name; the old one stays as an alias. Raises UsageError for a name of
    another entity."""

    def rename(entity: Entity, name: str) -> Entity:
        aliases = [one for one in entity.names if name_key(one) != name_key(name)]
        return entity.replace(name=name, aliases=list(dict.fromkeys(aliases)))

    return _change(store, reference, name, rename)


def add_alias(store: Store, reference: str, alias: str) -> FiledEntity:
    """Give an entity one more name. Raises UsageError for a name of another entity."""

    def add(entity: Entity, alias: str) -> Entity:
        if is_said_by(alias, entity.names):
            return entity
        return entity.replace(aliases=[*entity.aliases, alias])

    return _change(store, reference, alias, add)


def _change(
    store: Store, reference: str, name: str, change: Callable[[Entity, str], Entity]
) -> FiledEntity:
    name = clean_subject(Redaction(store), name)
    store.require_index()

    def write() -> str:
        filed = open_entity(store, reference)
        for other in Resolver(store).find(name):
            if other.slug != filed.slug and is_said_by(name, [*other.entity.names, other.slug]):
                raise UsageError(
                    f"{name!r} is a name of {other.slug}",
                    remedy=f"if they are one: `engrain entity merge {filed.slug} {other.slug}`",
                )
        entity = change(filed.entity, name)
        if entity is not filed.entity:
            trust = store.actor.trust
            reason = f"named {name}"
            write_entity(store, filed.slug, filed, entity, {}, reason=reason, trust=trust)
        return filed.slug

    return read_filed(store, try_again(write))


def merge_entities(store: Store, kept: str, other: str, reason: str = "") -> FiledEntity:
    """Have one entity take over another's facts and names, in one change."""
    store.require_index()

    def merge() -> str:
        first, second = open_entity(store, kept), open_entity(store, other)
        _check(first, second)
        entity = _join(first, second, store.clock.now())
        gone = {"status": "superseded", MERGED_INTO: first.slug}
        changes = [
            EntityChange(first.slug, first, entity, {}),
            EntityChange(second.slug, second, second.entity, gone),
        ]
        why, outdated = reason or f"merged {second.slug} into {first.slug}", {}
        summary = read_summary(store, second.locator.folder)
        if summary and read_stamp(summary.raw.decode(errors="replace")) is not None:
            outdated[Locator(f"{second.locator.folder}/{SUMMARY}")] = summary
        trust = store.actor.trust
        write_entities(store, changes, reason=why, trust=trust, outdated=outdated)
        return first.slug

    return read_filed(store, try_again(merge))


def _check(first: FiledEntity, second: FiledEntity) -> None:
    if first.slug == second.slug:
        raise UsageError(f"{first.slug} and {second.slug} are one entity already")
    if not fits(first.entity.type, second.entity.type):
        raise UsageError(
            f"{first.slug} is a {first.entity.type}, {second.slug} a {second.entity.type}",
            remedy="merge what is of one type",
        )
    for filed in (first, second):
        if filed.status != "active":
            raise UsageError(f"{filed.slug} is {filed.status}", path=filed.locator)


def _join(first: FiledEntity, second: FiledEntity, now: float) -> Entity:
    """Return the entity with another's facts and names."""
    entity, other = first.entity, second.entity
    unique: dict[str, str] = {}
    for name in (*entity.names, *other.names, second.slug):
        unique.setdefault(name_key(name), name)
    aliases = list(unique.values())[1:]
    intake = FactIntake(entity.facts, [entity.name, *aliases], now)
    for fact in other.facts:
        moved = _moved_to(fact, first.slug)
        if fact.active:
            intake.add(moved.replace(disputes=()))
        else:
            intake.add_past(moved)
    return entity.replace(type=entity.type or other.type, aliases=aliases, facts=intake.facts)


def _moved_to(fact: Fact, slug: str) -> Fact:
    edge = fact.edge
    return fact if edge is None else fact.replace(edge=FactEdge(slug, edge.predicate, edge.object))
