"""Opens entities by any of their names, and lists them (S4.1)."""

from __future__ import annotations

from contextlib import suppress

from engrain.engine.core.store import Store
from engrain.engine.entities.files import (
    ACTIVE_ENTITIES,
    Filed,
    follow_merges,
    known_entity,
    read_filed,
    try_filed,
)
from engrain.engine.entities.resolution import Resolver
from engrain.language.text.instants import format_instant
from engrain.language.text.slugs import slugify
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.facts.entity import is_entity_place, slug_at
from engrain.model.facts.entity_names import name_key


def open_entity(store: Store, reference: str) -> Filed:
    """The entity that an id, slug, path, name or alias means; for a merged one, the entity it was
    merged into. The index must be ready. Raises NotFoundError, MalformedError; UsageError where
    several are meant."""
    return follow_merges(store, _look_up(store, reference))


def open_entity_known(store: Store, reference: str, *, known_at: float | None = None) -> Filed:
    """Read one entity, by id, slug, path, name or alias; of one that was merged what it was merged
    into. With `known_at` (epoch seconds) its facts are those that its file had then. Raises
    NotFoundError, UsageError where several are meant."""
    filed = open_entity(store, reference)
    if known_at is not None:
        before = known_entity(store, filed.id, filed.locator, known_at)
        if before is None:
            raise NotFoundError(
                f"nothing was known of {filed.slug} on {format_instant(known_at)}",
                path=filed.locator,
                remedy=f"`engrain history {filed.id}` tells what was recorded when",
            )
        filed.entity = before
    return filed


def list_entities(
    store: Store,
    type: str | None = None,  # noqa: A002 - what they are
    *,
    as_of: float | None = None,
    known_at: float | None = None,
    disputed: bool = False,
) -> list[Filed]:
    """List the entities that can be read, by name: of one `type` if that is named, those of which
    anything held at `as_of` (epoch seconds), as it was known at `known_at`, or those of which
    something is `disputed`. The index must be ready."""
    found = [
        filed
        for row in store.index.find(ACTIVE_ENTITIES)
        if (filed := try_filed(store, row.locator)) and type in (None, filed.entity.type)
    ]
    if known_at is not None:
        for one in found:
            before = known_entity(store, one.id, one.locator, known_at)
            one.entity = before or one.entity.replace(facts=())
        as_of = known_at if as_of is None else as_of
    if as_of is not None:
        found = [one for one in found if one.entity.held_at(as_of)]
    if disputed:
        found = [one for one in found if one.disputed]
    return sorted(found, key=lambda filed: (name_key(filed.entity.name), filed.slug))


def _look_up(store: Store, reference: str) -> Filed:
    found = store.index.lookup(reference)
    rows = [row for row in found if row.primary and is_entity_place(row.locator)]
    if len(rows) == 1:
        return Filed(rows[0].locator, store.backend.read(rows[0].locator))
    slugs = [slug_at(row.locator) for row in rows]
    if not slugs:
        named = Resolver(store).find(reference)
        if len(named) == 1:
            return named[0]
        slugs = [filed.slug for filed in named]
    if slugs:
        raise UsageError(
            f"{reference!r} may mean {len(slugs)} entities: {', '.join(slugs[:5])}",
            remedy="name one of them by its slug",
        )
    with suppress(NotFoundError):
        return read_filed(store, slugify(reference, "-"))
    raise NotFoundError(
        f"no entity {reference!r}", remedy="`engrain entity list` shows those there are"
    )
