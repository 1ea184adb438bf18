"""Entities in the vault: read, opened by any of their names, and listed (S4.1)."""

from __future__ import annotations

from engrain.model.documents import trimmed
from engrain.model.entities import KIND, place_of, read_entity, slug_at
from engrain.model.entity_names import name_key
from engrain.model.entry import read_entry
from engrain.model.errors import EngrainError, MalformedError, NotFoundError, UsageError
from engrain.model.json_note import JsonNote
from engrain.model.slugs import slugify
from engrain.model.tiers import ACTIVE, LIVE
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.entity_resolution import Resolved
    from engrain.engine.store import Store
    from engrain.model.entities import Entity
    from engrain.model.facts import Fact
    from engrain.seam.storage import Stored

MERGED_INTO = "merged_into"
"""The key, among the own fields of an entity that was merged, of the slug it was merged into."""
MAYBE = "maybe"
"""The key of the slugs of others that an entity known by a first name alone may be."""

_ACTIVE = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
_MOST_STEPS = 16


class Filed:
    """An entity as it stands in the vault: `stored` are the bytes it was read from."""

    __slots__ = ("entity", "id", "locator", "note", "slug", "status", "stored")

    def __init__(self, locator: Locator, stored: Stored) -> None:
        entry = read_entry(locator, stored.raw)
        note = entry.note
        if not isinstance(note, JsonNote) or not isinstance(note.document.get("items", []), list):
            raise MalformedError(
                "no entity: its `items` are no list",
                reason="json",
                path=locator,
                remedy="mend it in an editor",
            )
        self.locator = locator
        self.stored = stored
        self.note = note
        self.id = entry.id
        self.slug = slug_at(locator)
        self.status = entry.status
        self.entity: Entity = read_entity(note.document, note.own, self.slug)

    @property
    def merged_into(self) -> str:
        """The slug of the entity that has its facts now, "" where it has them itself."""
        return trimmed(self.note.own.get(MERGED_INTO)) if self.status == "superseded" else ""

    @property
    def disputed(self) -> list[Fact]:
        """The facts of which it is not clear whether they hold."""
        return [fact for fact in self.entity.active if fact.disputes]

    @property
    def maybe(self) -> tuple[str, ...]:
        """The slugs of others it may be."""
        told = self.note.own.get(MAYBE)
        return tuple(str(slug) for slug in told) if isinstance(told, list) else ()


def read_filed(store: Store, slug: str) -> Filed:
    """The entity of a slug as it stands. Raises NotFoundError, MalformedError."""
    locator = make_locator(place_of(slug))
    return Filed(locator, store.backend.read(locator))


def open_entity(store: Store, reference: str) -> Filed:
    """The one entity that an id, a slug, a path, a name or an alias means; of one that was merged
    the one it was merged into. The index is to be ready. Raises NotFoundError, MalformedError;
    UsageError where several are meant."""
    filed = _look_up(store, reference)
    for _ in range(_MOST_STEPS):
        if not filed.merged_into:
            return filed
        filed = read_filed(store, filed.merged_into)
    raise NotFoundError(f"{reference!r} was merged in a circle", path=filed.locator)


def list_entities(
    store: Store,
    type_: str | None = None,
    *,
    as_of: float | None = None,
    disputed: bool = False,
) -> list[Filed]:
    """The entities that can be read, by name; of one type if named, those of which anything held
    at `as_of`, and those of which something is `disputed`. The index is to be ready."""
    found = [
        filed
        for row in store.index.find(_ACTIVE)
        if (filed := try_filed(store, row.locator)) and type_ in (None, filed.entity.type)
    ]
    if as_of is not None:
        found = [one for one in found if any(fact.held_at(as_of) for fact in one.entity.facts)]
    if disputed:
        found = [one for one in found if one.disputed]
    return sorted(found, key=lambda filed: (name_key(filed.entity.name), filed.slug))


def resolve_entity(store: Store, name: str, type_: str = "") -> Resolved:
    """Whom a name means, of a type if that is known. The index is to be ready. Raises UsageError
    for what names nobody."""
    from engrain.engine.entity_resolution import Resolver

    return Resolver(store).resolve(name, type_)


def try_filed(store: Store, place: Locator) -> Filed | None:
    """The entity at a place, None where none can be read; `doctor` tells of what is broken."""
    if place != place_of(slug_at(place)):
        return None  # a copy, or another file in its folder
    try:
        return Filed(place, store.backend.read(place))
    except EngrainError:
        return None


def end_of(store: Store, filed: Filed) -> Filed:
    """Where merges lead to from an entity."""
    for _ in range(_MOST_STEPS):
        further = filed.merged_into and try_filed(store, make_locator(place_of(filed.merged_into)))
        if not further:
            break
        filed = further
    return filed


def _look_up(store: Store, reference: str) -> Filed:
    rows = [row for row in store.index.lookup(reference) if row.primary and row.kind == KIND]
    if len(rows) == 1:
        return Filed(rows[0].locator, store.backend.read(rows[0].locator))
    slugs = [slug_at(row.locator) for row in rows]
    if not slugs:
        from engrain.engine.entity_resolution import Resolver

        found = Resolver(store).find(reference)
        if len(found) == 1:
            return found[0]
        slugs = [filed.slug for filed in found]
    if not slugs and (filed := try_filed(store, Locator(place_of(slugify(reference, "-"))))):
        return filed
    if slugs:
        raise UsageError(
            f"{reference!r} may mean {len(slugs)} entities: {', '.join(slugs[:5])}",
            remedy="name one of them by its slug",
        )
    raise NotFoundError(
        f"no entity {reference!r}", remedy="`engrain entity list` shows those there are"
    )
