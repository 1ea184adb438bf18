"""Merges two entities into one, and splits them again (S4.1).

The facts of the merged entity are added to the other as new facts are, so that nothing is known
twice. Its file stays, superseded: splitting restores it, with what was learned under its names
since.
"""

from __future__ import annotations

from typing import Any

from engrain.engine.core.store import Store, try_again
from engrain.engine.entities.files import (
    MERGED_INTO,
    Change,
    Filed,
    read_filed,
    read_summary,
    write_entities,
)
from engrain.engine.entities.resolution import fits, open_entity
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.facts.entity import MERGED, SUMMARY, Entity, is_said_by, name_key
from engrain.model.facts.fact import ACTIVE, Edge, Fact
from engrain.model.facts.intake import Intake
from engrain.model.facts.summaries import read_stamp
from engrain.model.note.documents import object_of, objects_of, texts_of, trimmed_texts
from engrain.seam.locator import Locator


def merge_entities(store: Store, kept: str, other: str, reason: str = "") -> Filed:
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
            Change(first.slug, first, entity, {MERGED: merges}),
            Change(second.slug, second, second.entity, gone),
        ]
        why, outdated = reason or f"merged {second.slug} into {first.slug}", {}
        summary = read_summary(store, second.locator.folder)
        if summary and read_stamp(summary.raw.decode(errors="replace")) is not None:
            outdated[Locator(f"{second.locator.folder}/{SUMMARY}")] = summary
        trust = store.actor.trust
        write_entities(store, changes, reason=why, trust=trust, outdated=outdated)
        return first.slug

    return read_filed(store, try_again(merge))


def split_entity(store: Store, kept: str, other: str, reason: str = "") -> Filed:
    """Take a merge back: the other has its facts again, those that were learned under its names
    since too, and what they turned historical holds again. Raises NotFoundError, UsageError for
    one that was not merged into it, ConflictError."""
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
            Change(first.slug, first, entity, {MERGED: left}),
            Change(slug, second, other_entity, {**own, MERGED_INTO: None}),
        ]
        why = reason or f"split {slug} from {first.slug}"
        write_entities(store, changes, reason=why, trust=store.actor.trust)
        return slug

    return read_filed(store, try_again(split))


def _check(first: Filed, second: Filed) -> None:
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


def _join(first: Filed, second: Filed, now: float) -> tuple[Entity, dict[str, Any]]:
    """The entity with another's facts and names; and, of its own facts that this turned
    historical, what they were before."""
    entity, other = first.entity, second.entity
    names = (*entity.names, *other.names, second.slug)
    unique: dict[str, str] = {}
    for name in names:
        unique.setdefault(name_key(name), name)
    aliases = list(unique.values())[1:]
    intake = Intake(entity.facts, [entity.name, *aliases], now)
    for fact in other.facts:
        moved = _told_of(fact, first.slug).replace(of=second.slug)
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
    return entity.replace(type_=type_, aliases=aliases, facts=intake.facts), turned


def _told_of(fact: Fact, slug: str) -> Fact:
    """A fact whose edge begins at an entity."""
    edge = fact.edge
    return fact if edge is None else fact.replace(edge=Edge(slug, edge.predicate, edge.object))


def _find_merge(first: Filed, other: str) -> dict[str, Any]:
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
    """The facts that stay, and those that go back."""
    goes = {
        fact.id: _told_of(fact, slug).replace(of="") for fact in entity.facts if fact.of == slug
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
    # Those that go dispute nothing that stays.
    return stays, [
        fact.replace(
            disputes=[one for one in fact.disputes if one in gone],
            supersedes=fact.supersedes if fact.supersedes in gone else None,
        )
        for fact in [*back, *goes.values()]
    ]
