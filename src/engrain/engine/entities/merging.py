"""Merges two entities into one, and splits them again (S4.1).

The facts of the merged entity are added to the other as new facts are, so that nothing is known
twice. Its file stays, superseded: splitting restores it, with what was learned under its names
since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engrain.engine.core.retrying import try_again
from engrain.engine.core.store import Store
from engrain.engine.entities.entity import open_entity
from engrain.engine.entities.files import MERGED_INTO, Filed, read_filed, read_summary
from engrain.engine.entities.resolution import fits
from engrain.engine.entities.writing import Change, write_entities
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.facts.entity import MERGED, SUMMARY, Entity
from engrain.model.facts.entity_names import is_said_by, name_key
from engrain.model.facts.fact import ACTIVE, Edge, Fact
from engrain.model.facts.intake import Intake
from engrain.model.facts.summaries import read_stamp
from engrain.model.note.documents import object_of, objects_of, texts_of, trimmed_texts
from engrain.seam.locator import Locator
from engrain.seam.storage import Stored


def merge_entities(store: Store, kept: str, other: str, reason: str = "") -> Filed:
    """Have one entity take over another's facts and names, in one change; the one that was kept.

    Raises NotFoundError; UsageError for twice the same and for two of different types;
    ConflictError where either keeps changing.
    """
    store.require_index()

    def merge() -> str:
        first, second = open_entity(store, kept), open_entity(store, other)
        _check(first, second)
        entity, turned = _join(first, second, store.clock.now())
        names = [second.entity.name, second.slug, *second.entity.aliases]
        merged: dict[str, object] = {
            "slug": second.slug,
            "names": list(dict.fromkeys(names)),
            "at": format_instant(store.clock.now()),
            "turned": turned,
        }
        merges = [*objects_of(first.note.own.get(MERGED)), merged]
        gone = {"status": "superseded", MERGED_INTO: first.slug}
        changes = [
            Change(first.slug, first, entity, {MERGED: merges}),
            Change(second.slug, second, second.entity, gone),
        ]
        told = reason or f"merged {second.slug} into {first.slug}"
        write_entities(
            store,
            changes,
            reason=told,
            trust=store.actor.trust,
            outdated=_find_summary(store, second),
        )
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
        changes = [
            Change(
                first.slug,
                first,
                first.entity.replace(facts=stays, aliases=aliases),
                {MERGED: left},
            ),
            Change(
                slug,
                second,
                second.entity.replace(facts=goes),
                {"status": "active", MERGED_INTO: None},
            ),
        ]
        told = reason or f"split {slug} from {first.slug}"
        write_entities(store, changes, reason=told, trust=store.actor.trust)
        return slug

    return read_filed(store, try_again(split))


def _find_summary(store: Store, filed: Filed) -> dict[Locator, Stored]:
    """The generated summary of an entity, where there is one: a person's own stays."""
    place = Locator(f"{filed.locator.folder}/{SUMMARY}")
    stored = read_summary(store, filed.locator.folder)
    if stored is None or read_stamp(stored.raw.decode(errors="replace")) is None:
        return {}
    return {place: stored}


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
    told = ", ".join(str(one.get("slug")) for one in merges)
    raise NotFoundError(
        f"{other!r} was not merged into {first.slug}",
        path=first.locator,
        remedy=f"these were: {told}" if told else "nothing was",
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
    stays: list[Fact] = []
    for fact in entity.facts:
        if fact.of == slug:
            continue
        disputes = [one for one in fact.disputes if one not in gone]
        if len(disputes) != len(fact.disputes):
            fact = fact.replace(disputes=disputes)
        if fact.id in turned and not fact.active and not _replaced(fact, entity.facts, gone):
            old = object_of(turned[fact.id])
            fact = fact.replace(
                status=ACTIVE, valid_to=old.get("valid_to"), disputes=texts_of(old.get("disputes"))
            )
        stays.append(fact)
    return stays, _alone(back + list(goes.values()), gone)


def _replaced(fact: Fact, facts: Iterable[Fact], gone: Iterable[str]) -> bool:
    """Whether one of the facts that stay took its place."""
    return any(one.supersedes == fact.id for one in facts if one.id not in set(gone))


def _alone(facts: Sequence[Fact], ids: Iterable[str]) -> list[Fact]:
    """Facts that go, which dispute nothing that stays."""
    own = set(ids)
    return [
        fact.replace(
            disputes=[one for one in fact.disputes if one in own],
            supersedes=fact.supersedes if fact.supersedes in own else None,
        )
        for fact in facts
    ]
