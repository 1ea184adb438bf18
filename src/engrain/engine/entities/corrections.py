"""Corrects entities by hand: their names, a disputed fact, or one to be forgotten (S4.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store, try_again
from engrain.engine.entities.drafts import clean_subject
from engrain.engine.entities.files import Filed, read_filed, write_entity
from engrain.engine.entities.resolution import Resolver, open_entity
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.facts.entity import Entity, is_said_by, name_key
from engrain.model.facts.fact import Fact
from engrain.model.facts.intake import Intake
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.note.documents import texts_of

Change: TypeAlias = "Callable[[Filed, Fact, Intake], dict[str, object]]"


_LEAST = 4
"""Characters of an id at least by which a fact is found."""
_MOST_FORGOTTEN = 500


def find_fact(filed: Filed, reference: str) -> Fact:
    """The fact of an entity by its id, or by the beginning or end of that. Raises NotFoundError,
    UsageError."""
    facts = filed.entity.facts
    found = [fact for fact in facts if fact.id == reference]
    if not found and len(reference) >= _LEAST:
        found = [
            fact for fact in facts if fact.id.startswith(reference) or fact.id.endswith(reference)
        ]
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


def show_fact(store: Store, entity: str, reference: str) -> tuple[Filed, Fact]:
    """One fact of an entity, by its id or the beginning or end of that. Raises NotFoundError,
    UsageError."""
    filed = open_entity(store, entity)
    return filed, find_fact(filed, reference)


def settle_fact(store: Store, entity: str, reference: str) -> tuple[Filed, Fact]:
    """Decide a dispute for one fact: the others turn historical. Returns the fact as it is then.
    Raises UsageError for a fact that nothing disputes."""

    def settle(filed: Filed, fact: Fact, intake: Intake) -> dict[str, object]:
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


def forget_fact(store: Store, entity: str, reference: str, reason: str = "") -> tuple[Filed, Fact]:
    """Remove a fact, so that reading its source again does not bring it back but stating it by hand
    does. Returns the fact as it was; `undo` brings it back."""

    def drop(filed: Filed, fact: Fact, intake: Intake) -> dict[str, object]:
        intake.drop(fact.id)
        digests = [*texts_of(filed.note.own.get(FORGOTTEN)), digest_of(fact.content)]
        return {FORGOTTEN: list(dict.fromkeys(digests))[-_MOST_FORGOTTEN:]}

    return _rewrite(store, entity, reference, drop, reason or "forgotten")


def _rewrite(
    store: Store, entity: str, reference: str, change: Change, reason: str
) -> tuple[Filed, Fact]:
    store.require_index()

    def rewrite() -> tuple[Filed, Fact]:
        filed = open_entity(store, entity)
        fact = find_fact(filed, reference)
        before = filed.entity
        intake = Intake(before.facts, before.names, store.clock.now())
        own = change(filed, fact, intake)
        after = before.replace(facts=intake.facts)
        write_entity(store, filed.slug, filed, after, own, reason=f"{reason} {fact.id}")
        return read_filed(store, filed.slug), fact

    return try_again(rewrite)


def rename_entity(store: Store, reference: str, name: str) -> Filed:
    """Give an entity another name; the old one stays as an alias. Raises UsageError."""
    name = clean_subject(Redaction(store), name)

    def rename(filed: Filed) -> Entity:
        entity = filed.entity
        aliases = [one for one in entity.names if name_key(one) != name_key(name)]
        return entity.replace(name=name, aliases=list(dict.fromkeys(aliases)))

    return _change(store, reference, name, rename)


def add_alias(store: Store, reference: str, alias: str) -> Filed:
    """Have an entity go by one more name. Raises UsageError for one that another goes by."""
    alias = clean_subject(Redaction(store), alias)

    def add(filed: Filed) -> Entity:
        entity = filed.entity
        if is_said_by(alias, entity.names):
            return entity
        return entity.replace(aliases=[*entity.aliases, alias])

    return _change(store, reference, alias, add)


def _change(store: Store, reference: str, name: str, change: Callable[[Filed], Entity]) -> Filed:
    store.require_index()

    def write() -> str:
        filed = open_entity(store, reference)
        for other in Resolver(store).find(name):
            if other.slug != filed.slug and is_said_by(name, [*other.entity.names, other.slug]):
                raise UsageError(
                    f"{name!r} is a name of {other.slug}",
                    remedy=f"if they are one: `engrain entity merge {filed.slug} {other.slug}`",
                )
        entity = change(filed)
        if entity is not filed.entity:
            trust = store.actor.trust
            reason = f"named {name}"
            write_entity(store, filed.slug, filed, entity, {}, reason=reason, trust=trust)
        return filed.slug

    return read_filed(store, try_again(write))
