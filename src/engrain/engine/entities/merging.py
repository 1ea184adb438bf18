"""Corrects entities by hand: renames them, settles or forgets facts, merges two of them, and splits
them again (S4.1).

The facts of the merged entity are added to the other as new facts are, so that no fact is there
twice. Its file stays, superseded: splitting restores it, with the facts learned under its names
since.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

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
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.facts.entity import MERGED, SUMMARY, Entity, is_said_by, name_key
from engrain.model.facts.fact import ACTIVE, Fact, FactEdge
from engrain.model.facts.intake import FactIntake
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.facts.summaries import read_stamp
from engrain.model.note.documents import object_of, objects_of, texts_of, trimmed_texts
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
        intake.settle(fact.id)
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
    """Have one entity take over another's facts and names, in one change; returns the kept one.
    Raises NotFoundError; UsageError for twice the same and for two of different types;
    ConflictError where either keeps changing."""
    store.require_index()

    def merge() -> str:
        first, second = open_entity(store, kept), open_entity(store, other)
        _check(first, second)
        entity, turned = _join(first, second, store.clock.now())
        names = [second.entity.name, second.slug, *second.entity.aliases]
        merged: dict[str, object] = {
            "slug": second.slug,
            "names": list(dict.fromkeys(names)),
            "at": store.now,
            "turned": turned,
        }
        merges = [*objects_of(first.note.own.get(MERGED)), merged]
        gone = {"status": "superseded", MERGED_INTO: first.slug}
        changes = [
            EntityChange(first.slug, first, entity, {MERGED: merges}),
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


def split_entity(store: Store, kept: str, other: str, reason: str = "") -> FiledEntity:
    """Take a merge back: the other entity gets its facts back, with those learned under its names
    since, and facts that they turned historical are active again. Raises NotFoundError for one that
    was not merged into it, ConflictError."""
    store.require_index()

    def split() -> str:
        first = open_entity(store, kept)
        merged = _find_merge(first, other)
        slug = str(merged.get("slug"))
        second = read_filed(store, slug)
        if second.merged_into != first.slug:
            raise ConflictError(
                f"{slug} is not what was merged into {first.slug} any more",
                path=second.locator,
                remedy=f"see `engrain history {second.id}`",
            )
        stays, goes = _part(first.entity, second.entity, slug, merged)
        left = [one for one in objects_of(first.note.own.get(MERGED)) if one != merged]
        names = trimmed_texts(merged.get("names"))
        aliases = [
            one
            for one in first.entity.aliases
            if not is_said_by(one, names) or is_said_by(one, [first.entity.name])
        ]
        entity = first.entity.replace(facts=stays, aliases=aliases)
        other_entity, own = second.entity.replace(facts=goes), {"status": "active"}
        changes = [
            EntityChange(first.slug, first, entity, {MERGED: left}),
            EntityChange(slug, second, other_entity, {**own, MERGED_INTO: None}),
        ]
        why = reason or f"split {slug} from {first.slug}"
        write_entities(store, changes, reason=why, trust=store.actor.trust)
        return slug

    return read_filed(store, try_again(split))


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


def _join(first: FiledEntity, second: FiledEntity, now: float) -> tuple[Entity, dict[str, Any]]:
    """Return the entity with another's facts and names; and the former state of its own facts that
    this turned historical."""
    entity, other = first.entity, second.entity
    unique: dict[str, str] = {}
    for name in (*entity.names, *other.names, second.slug):
        unique.setdefault(name_key(name), name)
    aliases = list(unique.values())[1:]
    intake = FactIntake(entity.facts, [entity.name, *aliases], now)
    for fact in other.facts:
        moved = _moved_to(fact, first.slug).replace(of=second.slug)
        if fact.active:
            intake.take(moved.replace(disputes=()))
        else:
            intake.keep(moved)
    before = {fact.id: fact for fact in entity.facts}
    turned = {
        fact.id: {"valid_to": before[fact.id].valid_to, "disputes": list(before[fact.id].disputes)}
        for fact in intake.facts
        if fact.id in before and before[fact.id].active and not fact.active
    }
    type_ = entity.type or other.type
    return entity.replace(type=type_, aliases=aliases, facts=intake.facts), turned


def _moved_to(fact: Fact, slug: str) -> Fact:
    edge = fact.edge
    return fact if edge is None else fact.replace(edge=FactEdge(slug, edge.predicate, edge.object))


def _find_merge(first: FiledEntity, other: str) -> dict[str, Any]:
    merges = objects_of(first.note.own.get(MERGED))
    for merged in reversed(merges):
        names = trimmed_texts(merged.get("names"))
        if other == merged.get("slug") or is_said_by(other, names):
            return dict(merged)
    merged = ", ".join(str(one.get("slug")) for one in merges)
    raise NotFoundError(
        f"{other!r} was not merged into {first.slug}",
        path=first.locator,
        remedy=f"these were: {merged}" if merged else "nothing was",
    )


def _part(
    entity: Entity, other: Entity, slug: str, merged: dict[str, object]
) -> tuple[list[Fact], list[Fact]]:
    """Return the facts that stay, and those that go back."""
    goes = {
        fact.id: _moved_to(fact, slug).replace(of="") for fact in entity.facts if fact.of == slug
    }
    back = [goes.pop(fact.id, fact).replace(of=fact.of) for fact in other.facts]
    gone = {fact.id for fact in back} | set(goes)
    turned = object_of(merged.get("turned"))
    stays = []
    for fact in entity.facts:
        if fact.of == slug:
            continue
        disputes = [one for one in fact.disputes if one not in gone]
        if len(disputes) != len(fact.disputes):
            fact = fact.replace(disputes=disputes)
        replaced = any(one.supersedes == fact.id and one.id not in gone for one in entity.facts)
        if fact.id in turned and not fact.active and not replaced:
            old = object_of(turned[fact.id])
            fact = fact.replace(
                status=ACTIVE, valid_to=old.get("valid_to"), disputes=texts_of(old.get("disputes"))
            )
        stays.append(fact)
    # A fact that goes disputes no fact that stays.
    return stays, [
        fact.replace(
            disputes=[one for one in fact.disputes if one in gone],
            supersedes=fact.supersedes if fact.supersedes in gone else None,
        )
        for fact in [*back, *goes.values()]
    ]
