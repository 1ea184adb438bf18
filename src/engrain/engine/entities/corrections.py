"""Corrects facts by hand: finds one by its id, settles a dispute, or forgets a fact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engrain.engine.core.retrying import try_again
from engrain.engine.core.store import Store
from engrain.engine.entities.entity import open_entity
from engrain.engine.entities.files import Filed, read_filed
from engrain.engine.entities.writing import write_entity
from engrain.model.errors import NotFoundError, UsageError
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
        told = ", ".join(fact.id for fact in found[:5])
        raise UsageError(f"{reference!r} may mean {len(found)} facts: {told}")
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
        told = [*texts_of(filed.note.own.get(FORGOTTEN)), digest_of(fact.content)]
        return {FORGOTTEN: list(dict.fromkeys(told))[-_MOST_FORGOTTEN:]}

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
