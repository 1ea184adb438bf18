"""Reads the files of entities, and writes them in one commit under the least trusted origin of
their facts (S4.1, S4.2).

The actor vouches only for the facts that they add. The origins that older facts claim count as far
as their file is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engrain.engine.core.attesting import effective_trust, least
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.history import read_at
from engrain.engine.verbs.save import stamp_source
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError, MalformedError, UsageError
from engrain.model.facts.entity import (
    FACTS,
    KIND,
    SUMMARY,
    Entity,
    is_entity_place,
    place_of,
    read_entity,
    slug_at,
)
from engrain.model.facts.fact import Fact
from engrain.model.facts.summaries import read_stamp, write_summary
from engrain.model.note.documents import trimmed
from engrain.model.note.entry import read_entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import MAX_NOTE_BYTES, make_id, path_id
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE, ORIGINS
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter
from engrain.seam.storage import Stored, hash_of

ACTIVE_ENTITIES = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
MERGED_INTO = "merged_into"
"""The key, among the own fields of an entity that was merged, of the slug it was merged into."""
MAYBE = "maybe"
"""The key of the slugs of others that an entity known by a first name alone may be."""

_MOST_STEPS = 16


class FiledEntity:
    """An entity as it stands in the vault: `stored` are the bytes it was read from."""

    def __init__(self, locator: Locator, stored: Stored) -> None:
        entry = read_entry(locator, stored.raw)
        note = entry.note
        if not isinstance(note, JsonNote) or not isinstance(note.document.get("items", []), list):
            raise MalformedError(
                "no entity: its `items` are no list",
                reason="json",
                path=locator,
                remedy="correct it in an editor",
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
        listed = self.note.own.get(MAYBE)
        return tuple(str(slug) for slug in listed) if isinstance(listed, list) else ()


def read_filed(store: Store, slug: str) -> FiledEntity:
    """Read the entity of a slug. Raises NotFoundError, MalformedError."""
    locator = make_locator(place_of(slug))
    return FiledEntity(locator, store.backend.read(locator))


def try_filed(store: Store, place: Locator) -> FiledEntity | None:
    """Read the entity at a place, None where none can be read; `doctor` reports broken files."""
    if not is_entity_place(place):
        return None  # a copy, or another file in its folder
    try:
        return FiledEntity(place, store.backend.read(place))
    except EngrainError:
        return None


def known_entity(store: Store, id_: str, locator: Locator, at: float) -> Entity | None:
    """Read the entity at a place as its file was at a moment (epoch seconds); None where it did not
    exist or the history no longer has it. The index must be ready."""
    try:
        note = read_entry(locator, read_at(store, id_, at)).note
    except EngrainError:
        return None
    return read_entity(note.document, note.own, slug_at(locator))


def read_summary(store: Store, folder: str) -> Stored | None:
    """Read the summary in an entity's folder, None where none can be read."""
    try:
        return store.backend.read(Locator(f"{folder}/{SUMMARY}"))
    except EngrainError:
        return None


def follow_merges(store: Store, filed: FiledEntity) -> FiledEntity:
    """Return the entity that an entity was merged into, through any number of merges."""
    for _ in range(_MOST_STEPS):
        further = filed.merged_into and try_filed(store, make_locator(place_of(filed.merged_into)))
        if not further:
            break
        filed = further
    return filed


LEARN = "learn"


class TooLarge(UsageError):
    """An entity whose file has no room for more."""


@dataclass(slots=True, eq=False)
class EntityChange:
    """The change of one entity: `filed` as it was read, None for a new one; `own` are the other
    fields that change, None for those that go."""

    slug: str
    filed: FiledEntity | None
    entity: Entity
    own: Mapping[str, object]


def write_entity(
    store: Store,
    slug: str,
    filed: FiledEntity | None,
    entity: Entity,
    own: Mapping[str, object],
    *,
    reason: str = "",
    trust: str = ORIGINS[0],
) -> None:
    """Write one entity over what was read; `trust` is the origin of what changes beside its facts.
    Raises TooLarge, and ConflictError where it has changed since."""
    write_entities(store, [EntityChange(slug, filed, entity, own)], reason=reason, trust=trust)


def write_entities(
    store: Store,
    changes: Sequence[EntityChange],
    *,
    reason: str = "",
    trust: str = ORIGINS[0],
    outdated: Mapping[Locator, Stored] | None = None,
) -> None:
    """Write several entities, all or none, with the summaries of those that are active, and remove
    the generated files in `outdated`."""
    actor = Actor(store.actor.agent, least(trust, _trust_of(store, changes)))
    writes = []
    known = []
    for change in changes:
        place = make_locator(place_of(change.slug))
        note = _compose(store, change, actor)
        entry = read_entry(place, note.raw)
        if change.filed is not None:
            store.preserve(place, change.filed.stored, change.filed.id)
        before = change.filed.stored.hash if change.filed else None
        writes.append(Write(place, note.raw, entry.id, before))
        known.append(entry)
        summary = place.folder if entry.status == ACTIVE else None
        writes += renew_summary(store, change.entity, summary)
    for place, stored in (outdated or {}).items():
        writes.append(Write(place, None, path_id(place), stored.hash))
    store.commit(LEARN, writes, reason=reason, actor=actor, known=known)


def renew_summary(store: Store, entity: Entity, folder: str | None) -> Iterator[Write]:
    """Yield the write that brings an entity's summary up to date; none where it is, or where a
    person wrote it."""
    place = Locator(f"{folder}/{SUMMARY}")
    try:
        stored = None if folder is None else store.find_stored(place)
    except EngrainError:
        return  # what can't be read is for `doctor` to report
    raw = write_summary(entity, store.clock.now()).encode()
    text = None if stored is None else stored.raw.decode(errors="replace")
    theirs = text is not None and read_stamp(text) is None
    if folder is not None and not theirs and (stored is None or stored.raw != raw):
        yield Write(place, raw, path_id(place), hash_of(stored))


def _compose(store: Store, change: EntityChange, actor: Actor) -> JsonNote:
    now = store.clock.now()
    before = change.filed
    id_ = before.id if before else make_id(now, store.entropy.draw(10))
    fixed = {"id": id_, "kind": KIND, "slug": change.slug}
    own: dict[str, object] = {**fixed, "status": ACTIVE, "created": format_instant(now)}
    if before:
        own = dict(before.note.own)
    own |= {**fixed, "updated": format_instant(now), **change.own}
    source = own.get("source")
    if before is None or not isinstance(source, dict):
        source = stamp_source(actor, "facts", None)
    own["source"] = {**source, "trust": actor.trust}  # type: ignore[dict-item]
    own[FACTS] = change.entity.bookkeeping()
    kept = {key: value for key, value in own.items() if value not in (None, [], {})}
    note = JsonNote(KIND, change.entity.document(), kept)  # type: ignore[arg-type]
    if len(note.raw) > MAX_NOTE_BYTES:
        raise TooLarge(
            f"{change.slug} has no room for more: {len(change.entity.facts)} facts make a file of"
            f" {len(note.raw)} bytes, and the limit is {MAX_NOTE_BYTES}",
            path=place_of(change.slug),
            remedy="`engrain jobs run synthesize` shortens what is long past; or forget some facts",
        )
    return note


def _trust_of(store: Store, changes: Sequence[EntityChange]) -> str:
    """Return the least trusted origin of all their facts, and of their files where those are less
    trusted than their facts claim."""
    found = [fact.trust for change in changes for fact in change.entity.facts]
    for change in changes:
        if change.filed is not None:
            claimed = least(ORIGINS[0], *(fact.trust for fact in change.filed.entity.facts))
            counted = _origin_of(store, change.filed.locator, change.filed.stored.hash)
            if ORIGINS.index(counted) > ORIGINS.index(claimed):
                found.append(counted)
    return least(*found) if found else store.actor.trust


def _origin_of(store: Store, place: Locator, hash_: str) -> str:
    """Return the origin of the bytes at a place; unexplained bytes are external."""
    row = store.find_row(place, hash_)
    if row is None:
        store.upkeep.drain()  # another process may have recorded them just now
        row = store.find_row(place, hash_)
    return EXTERNAL if row is None else effective_trust(store, row)
