"""Merging entities that are one, taking that back, and giving them other names (S4.1).

The facts of the one that goes are taken in by the other as new ones are, so that what both knew is
known once. Its file stays as it was, superseded: it is what a split gives back, with what was
learned under its names since.
"""

from __future__ import annotations

from engrain.engine.entities import MERGED_INTO, open_entity, read_filed
from engrain.engine.entity_resolution import Resolver, fits
from engrain.engine.entity_writing import Change, write_entities, write_entity
from engrain.engine.facts import ATTEMPTS
from engrain.engine.redaction import clean_text
from engrain.model.documents import object_of, objects_of, texts_of, trimmed_texts
from engrain.model.entities import MERGED
from engrain.model.entity_names import clean_entity_name, is_said_by, name_key
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.fact_intake import SUPERSEDING, Intake
from engrain.model.facts import ACTIVE, Fact
from engrain.model.instants import format_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from engrain.engine.entities import Filed
    from engrain.engine.store import Store
    from engrain.model.entities import Entity

_ENDED = ("status", "valid_to", "disputes")


def merge_entities(store: Store, kept: str, other: str, *, reason: str = "") -> Filed:
    """Have one entity take over another's facts and names, in one change; the one that was kept.

    Raises NotFoundError, UsageError for one and the same and for two of different types,
    ConflictError where either changes all the time.
    """
    store.require_index()

    def merge() -> str:
        first, second = open_entity(store, kept), open_entity(store, other)
        _check(first, second)
        entity, turned = _join(store, first.entity, second)
        names = [second.entity.name, second.slug, *second.entity.aliases]
        merged: dict[str, object] = {
            "slug": second.slug,
            "names": list(dict.fromkeys(names)),
            "at": format_instant(store.clock.now()),
            "turned": turned,
        }
        inner = objects_of(second.note.own.get(MERGED))
        told = [*objects_of(first.note.own.get(MERGED)), *inner, merged]
        gone = {"status": "superseded", MERGED_INTO: first.slug}
        changes = [
            Change(first.slug, first, entity, {MERGED: told}),
            Change(second.slug, second, second.entity, gone),
        ]
        write_entities(store, changes, reason=reason or f"merged {second.slug} into {first.slug}")
        return first.slug

    return read_filed(store, _again(merge))


def split_entity(store: Store, kept: str, other: str, *, reason: str = "") -> Filed:
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
        write_entities(store, changes, reason=reason or f"split {slug} from {first.slug}")
        return slug

    return read_filed(store, _again(split))


def rename_entity(store: Store, reference: str, name: str) -> Filed:
    """Give an entity another name; the old one stays as an alias. Raises UsageError."""
    name = clean_text(store, clean_entity_name(name))

    def rename(filed: Filed) -> Entity:
        entity = filed.entity
        aliases = [one for one in (entity.name, *entity.aliases) if name_key(one) != name_key(name)]
        return entity.replace(name=name, aliases=list(dict.fromkeys(aliases)))

    return _change(store, reference, name, rename)


def add_alias(store: Store, reference: str, alias: str) -> Filed:
    """Have an entity go by one more name. Raises UsageError for one that another goes by."""
    alias = clean_text(store, clean_entity_name(alias))

    def add(filed: Filed) -> Entity:
        entity = filed.entity
        if is_said_by(alias, [entity.name, *entity.aliases]):
            return entity
        return entity.replace(aliases=[*entity.aliases, alias])

    return _change(store, reference, alias, add)


def _change(
    store: Store, reference: str, name: str, change: Callable[[Filed], Entity]
) -> Filed:
    store.require_index()

    def write() -> str:
        filed = open_entity(store, reference)
        for other in Resolver(store).find(name):
            if other.slug != filed.slug and is_said_by(
                name, [other.entity.name, *other.entity.aliases, other.slug]
            ):
                raise UsageError(
                    f"{name!r} is a name of {other.slug}",
                    remedy=f"if they are one: `engrain entity merge {filed.slug} {other.slug}`",
                )
        entity = change(filed)
        if entity is not filed.entity:
            write_entity(store, filed.slug, filed, entity, {}, reason=f"named {name}")
        return filed.slug

    return read_filed(store, _again(write))


def _again(attempt: Callable[[], str]) -> str:
    """Do it, and again where another writer was quicker."""
    for number in range(ATTEMPTS):
        try:
            return attempt()
        except ConflictError:
            if number >= 15:
                raise
    raise AssertionError("the last attempt returns or raises")


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


def _join(store: Store, entity: Entity, second: Filed) -> tuple[Entity, dict[str, Any]]:
    """The entity with another's facts and names; and, of its own facts that were changed by it,
    what they were before."""
    other = second.entity
    aliases = dict.fromkeys([*entity.aliases, other.name, *other.aliases, second.slug])
    names = [one for one in aliases if name_key(one) != name_key(entity.name)]
    unique = list({name_key(one): one for one in reversed(names)}.values())[::-1]
    intake = Intake(entity.facts, [entity.name, *unique], store.clock.now())
    turned: dict[str, Any] = {}
    before = {fact.id: fact for fact in entity.facts}
    for fact in other.facts:
        own = fact.replace(of=fact.of or second.slug, disputes=())
        if not own.active:
            if intake.keep(own):
                continue
        else:
            intake.take(own)
    for fact in intake.facts:
        old = before.get(fact.id)
        if old is not None and old.active and not fact.active:
            turned[fact.id] = {key: _plain(getattr(old, key)) for key in _ENDED}
    merged = entity.replace(
        type_=entity.type or other.type, aliases=unique, facts=intake.facts
    )
    return merged, turned


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _find_merge(first: Filed, other: str) -> dict[str, Any]:
    for merged in reversed(objects_of(first.note.own.get(MERGED))):
        names = trimmed_texts(merged.get("names"))
        if other == merged.get("slug") or is_said_by(other, names):
            return merged
    told = ", ".join(str(one.get("slug")) for one in objects_of(first.note.own.get(MERGED)))
    raise NotFoundError(
        f"{other!r} was not merged into {first.slug}",
        path=first.locator,
        remedy=f"these were: {told}" if told else "nothing was",
    )


def _part(
    entity: Entity, other: Entity, slug: str, merged: dict[str, Any]
) -> tuple[list[Fact], list[Fact]]:
    """The facts that stay, and those that go back."""
    goes = {fact.id: fact.replace(of="") for fact in entity.facts if fact.of == slug}
    back = [goes.pop(fact.id, fact) for fact in other.facts]
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
