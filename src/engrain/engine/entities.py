"""Entities in the vault: found by any of their names, read, and listed (S4.1).

A name means the entity that has it as name, alias or slug; a company with and without its legal
form is one; a first name alone means the one person who is known by it. One that was merged into
another leads there. Names of different types never meet.
"""

from __future__ import annotations

from engrain.model.documents import trimmed
from engrain.model.entities import FOLDER, KIND, place_of, read_entity, slug_at
from engrain.model.entity_names import (
    bare_key,
    clean_entity_name,
    first_name,
    has_form,
    is_said_by,
    name_key,
)
from engrain.model.entry import read_entry
from engrain.model.errors import EngrainError, MalformedError, NotFoundError, UsageError
from engrain.model.facts import COMPANY, PERSON
from engrain.model.folding import link_key
from engrain.model.json_note import JsonNote
from engrain.model.note import hash_bytes
from engrain.model.slugs import slugify
from engrain.model.tiers import ACTIVE, LIVE
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.engine.store import Store
    from engrain.model.entities import Entity
    from engrain.seam.rows import Row
    from engrain.seam.storage import Stored

MERGED_INTO = "merged_into"
"""The key, among the own fields of an entity that was merged, of the slug it was merged into."""
MAYBE = "maybe"
"""The key of the slugs of others that an entity known by a first name alone may be."""

_ACTIVE = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
_MOST_LIKE = 50
"""Entities whose name has a word are looked through, the best matches first."""
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
    def maybe(self) -> tuple[str, ...]:
        """The slugs of others it may be."""
        told = self.note.own.get(MAYBE)
        return tuple(str(slug) for slug in told) if isinstance(told, list) else ()


class Resolved:
    """Whom a name means: the slug of an entity, which may still be to be made. `name` is what was
    said, cleaned; `maybe` are the slugs of others it could have been."""

    __slots__ = ("maybe", "name", "slug")

    def __init__(self, slug: str, name: str, maybe: Sequence[str] = ()) -> None:
        self.slug = slug
        self.name = name
        self.maybe = tuple(maybe)


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
    store: Store, type_: str | None = None, *, as_of: float | None = None
) -> list[Filed]:
    """The entities that can be read, by name; of one type if named, and those of which anything
    held at `as_of`."""
    found = [
        filed
        for row in store.index.find(_ACTIVE)
        if (filed := _try(store, row.locator)) and type_ in (None, filed.entity.type)
    ]
    if as_of is not None:
        found = [one for one in found if any(fact.held_at(as_of) for fact in one.entity.facts)]
    return sorted(found, key=lambda filed: (name_key(filed.entity.name), filed.slug))


def resolve_entity(store: Store, name: str, type_: str = "") -> Resolved:
    """Whom a name means, of a type if that is known. The index is to be ready. Raises UsageError
    for what names nobody."""
    name = clean_entity_name(name)
    exact = [filed for filed in _named(store, name) if fits(filed.entity.type, type_)]
    if exact:
        base = slugify(name, "")
        best = min(exact, key=lambda filed: (filed.slug != base, filed.slug))
        return Resolved(_end(store, best), name, [one.slug for one in exact if one is not best])
    alike = _alike(store, name, type_)
    if len(alike) == 1:
        return Resolved(alike[0].slug, name)
    return Resolved(_free_slug(store, name, type_), name, sorted(one.slug for one in alike))


def fits(one: str, other: str) -> bool:
    """Whether two types, "" for one that is not known, can be those of one entity."""
    return not one or not other or one == other


def _look_up(store: Store, reference: str) -> Filed:
    rows = [row for row in store.index.lookup(reference) if row.primary and row.kind == KIND]
    if not rows:
        named = [filed for filed in _named(store, reference) if not filed.merged_into]
        if len(named) == 1:
            return named[0]
        rows = _people(store, reference) if not named else []
        if len(rows) != 1:
            raise _unclear(reference, [one.slug for one in named] or [row.slug for row in rows])
    if len(rows) > 1:
        raise _unclear(reference, [row.slug for row in rows])
    return Filed(rows[0].locator, store.backend.read(rows[0].locator))


def _unclear(reference: str, slugs: Sequence[str]) -> EngrainError:
    if slugs:
        return UsageError(
            f"{reference!r} may mean {len(slugs)} entities: {', '.join(slugs[:5])}",
            remedy="name one of them by its slug",
        )
    return NotFoundError(
        f"no entity {reference!r}", remedy="`engrain entity list` shows those there are"
    )


def _named(store: Store, name: str) -> list[Filed]:
    """The entities that have a name as name, alias or slug, those that were merged included."""
    slug = slugify(name, "")
    rows = [row for key in {link_key(name), slug} if key for row in store.index.resolve([key])]
    rows += [row for row in store.index.search(name, _ACTIVE, _MOST_LIKE) if _is_called(row, name)]
    places = dict.fromkeys(row.locator for row in rows if row.kind == KIND)
    if slug:
        places.setdefault(make_locator(place_of(slug)))  # which the index may not know yet
    found = [filed for place in places if (filed := _try(store, place))]
    return [filed for filed in found if filed.status in (ACTIVE, "superseded") and _has(filed, name)]


def _has(filed: Filed, name: str) -> bool:
    entity = filed.entity
    return is_said_by(name, [entity.name, *entity.aliases, filed.slug])


def _is_called(row: Row, name: str) -> bool:
    return name_key(row.title) == name_key(name)


def _alike(store: Store, name: str, type_: str) -> list[Row]:
    """The entities that a name means where none has it: a company by its name without the legal
    form, a person by the first name alone."""
    found: list[Row] = []
    if fits(COMPANY, type_):
        found = _companies(store, name)
    if not found and fits(PERSON, type_):
        found = _people(store, name)
    return found


def _companies(store: Store, name: str) -> list[Row]:
    bare, formed = bare_key(name), has_form(name)
    return [
        row
        for row in store.index.search(bare, _ACTIVE, _MOST_LIKE)
        if bare_key(row.title) == bare
        and (formed or has_form(row.title) or COMPANY in row.tags)
        and (COMPANY in row.tags or not _is_typed(store, row))
    ]


def _people(store: Store, name: str) -> list[Row]:
    key = name_key(name)
    if not key or " " in key or "@" in key:
        return []
    rows = store.index.search(key, _ACTIVE, _MOST_LIKE)
    return [row for row in rows if PERSON in row.tags and first_name(row.title) == key]


def _is_typed(store: Store, row: Row) -> bool:
    filed = _try(store, row.locator)
    return filed is not None and bool(filed.entity.type)


def _end(store: Store, filed: Filed) -> str:
    """The slug that merges lead to."""
    for _ in range(_MOST_STEPS):
        if not filed.merged_into:
            break
        further = _try(store, make_locator(place_of(filed.merged_into)))
        if further is None:
            break
        filed = further
    return filed.slug


def _free_slug(store: Store, name: str, type_: str) -> str:
    """The slug of an entity that is to be made: where another stands there already it has its type
    behind it, or a digest of the name, so that the same one is found wherever it is made."""
    base = slugify(name, "entity-" + hash_bytes(name.encode())[:8])
    digest = hash_bytes(f"{name_key(name)}\n{type_}".encode())[:8]
    endings = [f"-{slugify(type_, '')}"] if slugify(type_, "") else []
    for slug in (base, *(base + ending for ending in endings), f"{base}-{digest}"):
        try:
            filed = read_filed(store, slug)
        except NotFoundError:
            return slug
        except MalformedError:
            # What can't be read is most likely the one that is meant: it is told, not passed by.
            return slug
        if _has(filed, name) and fits(filed.entity.type, type_) and not filed.merged_into:
            return slug
    return f"{base}-{digest}"


def _try(store: Store, place: Locator) -> Filed | None:
    """The entity at a place, None where none can be read; `doctor` tells of what is broken."""
    if not place.startswith(f"{FOLDER}/"):
        return None
    try:
        return Filed(place, store.backend.read(place))
    except EngrainError:
        return None
