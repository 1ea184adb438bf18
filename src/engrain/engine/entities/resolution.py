"""Checks drafts of facts, resolves names to entities, opens entities by any of their names, and
lists them (S4.1, S4.2).

A name means the entity that has it as name, alias or slug. A company is the same with and without
its legal form. A first name means the one person known by it; where several are, it means somebody
else of that name. A merged entity leads to the one it was merged into. Names of different types
never meet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from engrain.engine.core.attesting import least
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.engine.entities.files import (
    ACTIVE_ENTITIES,
    FiledEntity,
    follow_merges,
    known_entity,
    read_filed,
    try_filed,
)
from engrain.language.statements.predicates import COMPANY, PERSON, find_predicate
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.facts.entity import (
    KIND,
    bare_key,
    clean_entity_name,
    first_name,
    has_form,
    is_entity_place,
    is_said_by,
    name_key,
    place_of,
    slug_at,
)
from engrain.model.facts.fact import HISTORICAL, MANUAL, MOST_CONTENT, SOURCES, FactDraft
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import ACTIVE, ORIGINS
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

_MOST_LIKE = 50
"""Entities whose text has a name are looked through, the best matches first."""
_DIGITS = 8


@dataclass(slots=True, eq=False)
class Resolved:
    """The entity that a name means, by slug; it may not exist yet. `name` is the cleaned name;
    `maybe` has the slugs of other entities it could mean."""

    slug: str
    name: str
    maybe: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class _KnownEntity:
    """An entity that a name may mean: an existing one, or one to be made."""

    slug: str
    name: str
    names: Sequence[str]
    type: str


class Resolver:
    """Resolves names, each once, and remembers entities that are to be made. The index must be
    ready."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._new: dict[str, _KnownEntity] = {}
        self._done: dict[tuple[str, str], Resolved] = {}

    def resolve(self, name: str, type_: str = "") -> Resolved:
        """Resolve a name, of a type if known. Raises UsageError for a name of nobody."""
        name = clean_entity_name(name)
        key = (name, type_)
        if key not in self._done:
            self._done[key] = self._resolve(name, type_)
        return self._done[key]

    def find(self, name: str) -> list[FiledEntity]:
        """Return the existing entities that a name may mean: several where it is ambiguous. Merged
        ones are replaced by those they were merged into."""
        found = [follow_merges(self._store, filed) for filed in self._named(name)]
        if not found:
            found = list(self._like(name, lambda title: first_name(title) == name_key(name)))
            found = [filed for filed in found if filed.entity.type == PERSON]
        return list({filed.slug: filed for filed in found}.values())

    def _resolve(self, name: str, type_: str) -> Resolved:
        there = [_known(follow_merges(self._store, filed)) for filed in self._named(name)]
        there += [one for one in self._new.values() if is_said_by(name, [*one.names, one.slug])]
        exact = sorted({one.slug: one for one in there if fits(one.type, type_)})
        if exact:
            base = slugify(name, "")
            best = base if base in exact else exact[0]
            return Resolved(best, name, tuple(slug for slug in exact if slug != best))
        alike = sorted(self._alike(name, type_))
        if len(alike) == 1:
            return Resolved(alike[0], name)
        slug = self._free_slug(name, type_)
        self._new[slug] = _KnownEntity(slug, name, [name], type_)
        return Resolved(slug, name, tuple(alike))

    def _named(self, name: str) -> list[FiledEntity]:
        """Return the entities with this name, alias or slug, merged ones included."""
        index, slug, key = self._store.index, slugify(name, ""), name_key(name)
        rows = [row for one in {name, slug} if one for row in index.resolve([one])]
        rows += [
            row
            for row in index.search(name, ACTIVE_ENTITIES, _MOST_LIKE)
            if name_key(row.title) == key
        ]
        places = {row.locator: None for row in rows if row.kind == KIND}
        if slug:
            places.setdefault(Locator(place_of(slug)))  # which the index may not know yet
        found = [filed for place in places if (filed := try_filed(self._store, place))]
        return [
            filed
            for filed in found
            if filed.status in (ACTIVE, "superseded")
            and is_said_by(name, [*filed.entity.names, filed.slug])
        ]

    def _alike(self, name: str, type_: str) -> set[str]:
        """Return the slugs of entities that a name means though none has it: a company by its name
        without the legal form, a person by the first name alone."""
        bare, key = bare_key(name), name_key(name)
        if fits(COMPANY, type_):
            formed = has_form(name) or type_ == COMPANY
            found = {
                one.slug
                for one in self._candidates(bare, lambda title: bare_key(title) == bare)
                if fits(one.type, COMPANY) and (formed or one.type == COMPANY or has_form(one.name))
            }
            if found:
                return found
        if fits(PERSON, type_) and " " not in key and "@" not in key:
            people = self._candidates(key, lambda title: first_name(title) == key)
            return {one.slug for one in people if one.type == PERSON}
        return set()

    def _candidates(self, words: str, is_meant: Callable[[str], bool]) -> Iterator[_KnownEntity]:
        yield from map(_known, self._like(words, is_meant))
        for one in self._new.values():
            if is_meant(one.name):
                yield one

    def _like(self, words: str, is_meant: Callable[[str], bool]) -> Iterator[FiledEntity]:
        for row in self._store.index.search(words, ACTIVE_ENTITIES, _MOST_LIKE):
            if is_meant(row.title) and (filed := try_filed(self._store, row.locator)):
                yield filed

    def _free_slug(self, name: str, type_: str) -> str:
        """Return the slug of a new entity: the name, with its type or a digest if another entity
        has that slug, so that every device makes the same one."""
        digest = hash_bytes(f"{name_key(name)}\n{type_}".encode())[:_DIGITS]
        base = slugify(name, f"entity-{digest}")
        slugs = [base, f"{base}-{type_}"] if type_ else [base]
        return next(
            (slug for slug in slugs if self._is_free(slug, name, type_)), f"{base}-{digest}"
        )

    def _is_free(self, slug: str, name: str, type_: str) -> bool:
        if slug in self._new:
            return False
        try:
            filed = read_filed(self._store, slug)
        except (NotFoundError, MalformedError):
            return True  # a broken file is most likely the entity meant, and is reported later
        same = is_said_by(name, [*filed.entity.names, filed.slug])
        return same and fits(filed.entity.type, type_) and not filed.merged_into


def fits(one: str, other: str) -> bool:
    """Whether two types can be one entity's; "" stands for an unknown type."""
    return not one or not other or one == other


def _known(filed: FiledEntity) -> _KnownEntity:
    entity = filed.entity
    return _KnownEntity(filed.slug, entity.name, entity.names, entity.type)


def open_entity(store: Store, reference: str) -> FiledEntity:
    """Read the entity that an id, slug, path, name or alias means; for a merged one, the entity it
    was merged into. The index must be ready. Raises NotFoundError, MalformedError; UsageError where
    several are meant."""
    return follow_merges(store, _look_up(store, reference))


def open_entity_known(
    store: Store, reference: str, *, known_at: float | None = None
) -> FiledEntity:
    """Read an entity as `open_entity` does. With `known_at` (epoch seconds) its facts are those
    that its file had then."""
    filed = open_entity(store, reference)
    if known_at is not None:
        before = known_entity(store, filed.id, filed.locator, known_at)
        if before is None:
            raise NotFoundError(
                f"nothing was known of {filed.slug} on {format_instant(known_at)}",
                path=filed.locator,
                remedy=f"`engrain history {filed.id}` shows what was recorded when",
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
    limit: int | None = None,
) -> list[FiledEntity]:
    """List the entities that can be read, by name: only those of one `type`, those with a fact that
    held at `as_of` (epoch seconds) as it was known at `known_at`, or those with a `disputed` fact;
    the first `limit`, beyond which no file is read. The index must be ready."""
    held = known_at if as_of is None else as_of

    def read(row: Row) -> FiledEntity | None:
        filed = try_filed(store, row.locator)
        if filed is None or type not in (None, filed.entity.type):
            return None
        if known_at is not None:
            before = known_entity(store, filed.id, filed.locator, known_at)
            filed.entity = before or filed.entity.replace(facts=())
        if held is not None and not filed.entity.held_at(held):
            return None
        return filed if filed.disputed or not disputed else None

    rows = sorted(store.index.find(ACTIVE_ENTITIES), key=lambda row: name_key(row.title))
    found = list(islice(filter(None, map(read, rows)), limit))
    return sorted(found, key=lambda filed: (name_key(filed.entity.name), filed.slug))


def _look_up(store: Store, reference: str) -> FiledEntity:
    found = store.index.lookup(reference)
    rows = [row for row in found if row.primary and is_entity_place(row.locator)]
    if len(rows) == 1:
        return FiledEntity(rows[0].locator, store.backend.read(rows[0].locator))
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
    raise NotFoundError(f"no entity {reference!r}", remedy="`engrain entity list` lists them")


_FIRST, _LAST = -62_135_596_800, 253_402_300_799  # years 1 to 9999, as ISO-8601 writes them
_MOST_REF = 300
_MOST_OBJECT = 200
_MOST_TYPE = 40
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]+")


class Checked:
    """A draft that may be taken in: names and text cleaned, times in range, none in the future.
    `dated` tells whether the draft gave a date. Raises UsageError for a draft that can't be kept;
    secrets are replaced, and `redaction` lists the rules that hit."""

    __slots__ = (
        "at", "confidence", "content", "dated", "edge", "entity", "entity_type", "ref", "source",
        "status", "trust", "valid_from", "valid_to",
    )  # fmt: skip

    def __init__(self, store: Store, draft: FactDraft, redaction: Redaction) -> None:
        self.entity = clean_subject(redaction, draft.entity)
        self.entity_type = clean_type(redaction.clean(draft.entity_type))
        self.content = _clean_line(redaction, draft.content)
        if not any(map(str.isalnum, self.content)):
            raise UsageError("the fact says nothing", remedy="give one statement, as a sentence")
        if len(self.content) > MOST_CONTENT:
            raise UsageError(
                f"a fact of {len(self.content)} characters is over {MOST_CONTENT}",
                remedy="give one statement a fact",
            )
        self.source = draft.source or MANUAL
        if self.source not in SOURCES:
            raise UsageError(f"source {draft.source!r} is not one of {', '.join(SOURCES)}")
        self.ref = _clean_line(redaction, draft.ref or "", _MOST_REF) or None
        self.edge = _clean_edge(redaction, draft.edge)
        self._read_times(draft, store.clock.now())
        self.confidence = draft.confidence
        if self.confidence is not None and not 0 <= self.confidence <= 1:
            raise UsageError(f"confidence {draft.confidence} is not between 0 and 1")
        if draft.trust and draft.trust not in ORIGINS:
            raise UsageError(f"trust {draft.trust!r} is not one of {', '.join(ORIGINS)}")
        self.trust = least(store.actor.trust, draft.trust or store.actor.trust)

    def _read_times(self, draft: FactDraft, now: float) -> None:
        self.dated = draft.at is not None
        # A clock elsewhere may be ahead; nothing was said that is still to come.
        at = _in_range("its date", draft.at)
        self.at = now if at is None else min(at, now)
        begun = self.valid_from = _in_range("its beginning", draft.valid_from)
        over = self.valid_to = _in_range("its end", draft.valid_to)
        if over is not None and begun is not None and over < begun:
            raise UsageError(
                f"it ends on {format_instant(over)[:10]}, before it begins",
                remedy="give an end after its beginning",
            )
        self.status = HISTORICAL if over is not None and over <= now else ACTIVE

    @property
    def key(self) -> tuple[str, str]:
        """The name and type of its entity."""
        return self.entity, self.entity_type


def clean_type(type_: str) -> str:
    """Return a type as one word, "" for none."""
    return slugify(type_[:_MOST_TYPE], "")


def clean_subject(redaction: Redaction, name: str) -> str:
    """Return a cleaned name. Raises UsageError for an empty name or a secret."""
    cleaned = clean_entity_name(name)
    if redaction.clean(cleaned) != cleaned:
        raise UsageError("the name looks like a secret", remedy="say whom it is about by a name")
    return cleaned


def _clean_line(redaction: Redaction, text: str, most: int | None = None) -> str:
    """Return a text in one line without control characters and secrets. Raises UsageError."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text is not valid Unicode", remedy="give it in UTF-8") from None
    return redaction.clean(" ".join(_CONTROL.sub(" ", text).split()))[:most]


def _clean_edge(redaction: Redaction, edge: tuple[str, str] | None) -> tuple[str, str] | None:
    if edge is None:
        return None
    said, object_ = edge
    row = find_predicate(said)
    word = redaction.clean(said)[:_MOST_TYPE]
    predicate = row.name if row else slugify(word, "").replace("-", "_")
    value = _clean_line(redaction, object_, _MOST_OBJECT)
    if not predicate or not value:
        raise UsageError(
            f"{said[:40]}:{object_[:40]} is no relation",
            remedy="give a predicate and an object, such as works_at:Acme",
        )
    return predicate, value


def _in_range(what: str, at: float | None) -> float | None:
    if at is not None and not _FIRST <= at <= _LAST:
        raise UsageError(
            f"{what}, {at}, is in no year from 1 to 9999",
            remedy="give a date, or seconds since the epoch",
        )
    return at
