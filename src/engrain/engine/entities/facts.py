"""The one way by which facts are added (S4.2, S4.3).

A person, an extractor or an import hands in drafts. Each is checked and cleaned, its entity is
found or made, and all drafts of one entity go in by one commit, safely beside other writers. A
draft that can't be taken in is reported and stops no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.entities.drafts import Checked
from engrain.engine.entities.files import Filed, read_filed
from engrain.engine.entities.planning import REFUSED, FactOutcome, Plan, Waiting
from engrain.engine.entities.resolution import Resolver
from engrain.engine.entities.writing import TooLarge, write_entity
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    LockedError,
    NotFoundError,
    StorageError,
)
from engrain.model.facts.entity import KIND
from engrain.model.facts.entity_names import name_key
from engrain.model.facts.fact import FactDraft
from engrain.model.facts.intake import REINFORCED, UNCHANGED

ATTEMPTS = 256
"""How often at most it is tried again where others were quicker: each of them is done then."""


def add_facts(store: Store, drafts: Iterable[FactDraft], *, reason: str = "") -> list[FactOutcome]:
    """Add many, each with what came of it, in their order; a refused one says why and stops no
    other. A draft's `trust` never raises it above whoever acts."""
    store.require_index()
    outcomes: dict[int, FactOutcome] = {}
    checked: dict[int, tuple[Checked, tuple[str, ...]]] = {}
    count = 0
    for number, draft in enumerate(drafts):
        count += 1
        redaction = Redaction(store)
        try:
            checked[number] = Checked(store, draft, redaction), redaction.rules
        except EngrainError as error:
            outcomes[number] = _refuse(error)
    resolver = Resolver(store)
    # Whole names before first names: who is named by one of those may be among them.
    for key in sorted({one.key for one, _ in checked.values()}, key=_wholeness):
        resolver.resolve(*key)
    groups: dict[str, list[Waiting]] = {}
    for number, (one, rules) in checked.items():
        resolved = resolver.resolve(*one.key)
        groups.setdefault(resolved.slug, []).append(Waiting(number, one, resolved, rules))
    for slug, group in groups.items():
        outcomes |= _take_in(store, resolver, slug, group, reason)
    return [outcomes[number] for number in range(count)]


def add_fact(
    store: Store,
    entity: str,
    content: str,
    *,
    type: str = "",  # noqa: A002 - what it is
    edge: tuple[str, str] | None = None,
    source: str = "manual",
    ref: str | None = None,
    at: float | None = None,
    valid_from: float | None = None,
    valid_to: float | None = None,
    confidence: float | None = None,
) -> FactOutcome:
    """Add one fact: `content` is one statement about `entity`, a person, company or project by
    any of its names. `edge` is a predicate and the name of its object, `at` when it was said,
    `valid_from` and `valid_to` when it held (epoch seconds). What contradicts it and is older
    turns historical. Raises UsageError, ConflictError or MalformedError for one that can't be
    taken in."""
    draft = FactDraft(
        entity,
        content,
        entity_type=type,
        edge=edge,
        source=source,
        ref=ref,
        at=at,
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
    )
    store.require_index()
    redaction = Redaction(store)
    checked = Checked(store, draft, redaction)
    resolver = Resolver(store)
    resolved = resolver.resolve(*checked.key)
    waiting = Waiting(0, checked, resolved, redaction.rules)
    return _commit(store, resolver, resolved.slug, [waiting], "")[0]


def _take_in(
    store: Store, resolver: Resolver, slug: str, group: Sequence[Waiting], reason: str
) -> dict[int, FactOutcome]:
    """One entity's drafts; where not all find room, those that do."""
    try:
        return _commit(store, resolver, slug, group, reason)
    except TooLarge as error:
        if len(group) == 1:
            return {group[0].number: _refuse(error, slug)}
        half = len(group) // 2
        done = _take_in(store, resolver, slug, group[:half], reason)
        if any(outcome.outcome == REFUSED for outcome in done.values()):
            # There is no room for any more; what is known may be met again.
            known = _known_of(store, resolver, slug, group[half:])
            done |= {one.number: _refuse(error, slug) for one in group[half:] if one not in known}
            return done | (_take_in(store, resolver, slug, known, reason) if known else {})
        return done | _take_in(store, resolver, slug, group[half:], reason)
    except (LockedError, StorageError):
        raise
    except EngrainError as error:
        return {one.number: _refuse(error, slug) for one in group}


def _known_of(
    store: Store, resolver: Resolver, slug: str, group: Sequence[Waiting]
) -> list[Waiting]:
    """Those drafts that say nothing new."""
    outcomes = Plan(store, resolver, slug, _read(store, slug), group).outcomes
    return [one for one in group if outcomes[one.number].outcome in (REINFORCED, UNCHANGED)]


def _commit(
    store: Store, resolver: Resolver, slug: str, group: Sequence[Waiting], reason: str
) -> dict[int, FactOutcome]:
    for attempt in range(ATTEMPTS):
        filed = _read(store, slug)
        if filed is not None and filed.merged_into:
            slug = filed.merged_into  # somebody merged it just now
            continue
        plan = Plan(store, resolver, slug, filed, group)
        if not plan.changed:
            return plan.outcomes
        try:
            write_entity(store, slug, filed, plan.entity, plan.own, reason=reason)
        except ConflictError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return plan.outcomes
    raise ConflictError(f"{slug} changes all the time", remedy="try again")


def _read(store: Store, slug: str) -> Filed | None:
    """The entity as it stands, None where it is still to be made. Raises ConflictError for one that
    takes no facts, MalformedError."""
    try:
        filed = read_filed(store, slug)
    except NotFoundError:
        for row in store.index.lookup(slug):
            if row.kind == KIND and row.status == "archived":
                raise _closed(slug, row.status, row.locator, row.id) from None
        return None
    if filed.status != "active" and not filed.merged_into:
        raise _closed(slug, filed.status, filed.locator, filed.id)
    return filed


def _closed(slug: str, status: str, place: str, id_: str) -> ConflictError:
    return ConflictError(
        f"{slug} is {status}: it takes no facts",
        path=place,
        remedy=f"`engrain restore {id_}` takes it back",
    )


def _wholeness(key: tuple[str, str]) -> tuple[int, bool, str, str]:
    """Names of more words first, then those whose type is known."""
    name, type_ = key
    return -len(name_key(name).split()), not type_, name, type_


def _refuse(error: EngrainError, slug: str = "") -> FactOutcome:
    return FactOutcome(REFUSED, slug, reason=error.message, remedy=error.remedy)
