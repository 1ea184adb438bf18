"""The files of entities in the vault (S4.1)."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.engine.history.history import read_at
from engrain.model.errors import EngrainError, MalformedError
from engrain.model.facts.entity import (
    KIND,
    SUMMARY,
    Entity,
    is_entity_place,
    place_of,
    read_entity,
    slug_at,
)
from engrain.model.facts.fact import Fact
from engrain.model.note.documents import trimmed
from engrain.model.note.entry import read_entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter
from engrain.seam.storage import Stored

ACTIVE_ENTITIES = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
MERGED_INTO = "merged_into"
"""The key, among the own fields of an entity that was merged, of the slug it was merged into."""
MAYBE = "maybe"
"""The key of the slugs of others that an entity known by a first name alone may be."""

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
        """The slug of the entity that it was merged into, "" if it was not."""
        return trimmed(self.note.own.get(MERGED_INTO)) if self.status == "superseded" else ""

    @property
    def disputed(self) -> list[Fact]:
        """The active facts that other facts contradict."""
        return [fact for fact in self.entity.active if fact.disputes]

    @property
    def maybe(self) -> tuple[str, ...]:
        """The slugs of other entities that it may be."""
        told = self.note.own.get(MAYBE)
        return tuple(str(slug) for slug in told) if isinstance(told, list) else ()


def read_filed(store: Store, slug: str) -> Filed:
    """The entity of a slug as it stands. Raises NotFoundError, MalformedError."""
    locator = make_locator(place_of(slug))
    return Filed(locator, store.backend.read(locator))


def try_filed(store: Store, place: Locator) -> Filed | None:
    """The entity at a place, None where none can be read; `doctor` tells of what is broken."""
    if not is_entity_place(place):
        return None  # a copy, or another file in its folder
    try:
        return Filed(place, store.backend.read(place))
    except EngrainError:
        return None


def known_entity(store: Store, id_: str, locator: Locator, at: float) -> Entity | None:
    """The entity at a place as its file was at a moment (epoch seconds); None where it did not
    exist or the history no longer has it. The index must be ready."""
    try:
        note = read_entry(locator, read_at(store, id_, at)).note
    except EngrainError:
        return None
    if not isinstance(note, JsonNote):
        return None
    return read_entity(note.document, note.own, slug_at(locator))


def read_summary(store: Store, folder: str) -> Stored | None:
    """The summary in an entity's folder, None where none can be read."""
    try:
        return store.backend.read(Locator(f"{folder}/{SUMMARY}"))
    except EngrainError:
        return None


def follow_merges(store: Store, filed: Filed) -> Filed:
    """The entity that an entity was merged into, through any number of merges."""
    for _ in range(_MOST_STEPS):
        further = filed.merged_into and try_filed(store, make_locator(place_of(filed.merged_into)))
        if not further:
            break
        filed = further
    return filed
