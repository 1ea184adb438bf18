"""Writes the summary of an entity, as of now or of an earlier moment (S4.1, S4.5)."""

from __future__ import annotations

from collections.abc import Iterable

from engrain.engine.core.batches import Batches
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Store
from engrain.engine.entities.entity import open_entity_known
from engrain.engine.entities.files import known_entity, read_summary, try_filed
from engrain.engine.entities.writing import renew_summary
from engrain.model.facts.entity import KIND, SUMMARY, Entity, place_of, read_entity, slug_at
from engrain.model.facts.fact import ACTIVE
from engrain.model.facts.summaries import read_stamp, stamp_of, write_summary
from engrain.model.note.entry import text_under
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import Note
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

_MOST_CHANGES = 8
"""Of so many of its latest changes one may have left a summary as it is."""


def summarize_entity(
    store: Store, reference: str, *, as_of: float | None = None, known_at: float | None = None
) -> str:
    """The summary of an entity: the file where that is up to date or somebody wrote it, else one
    made now, without the line that says so. With `as_of` (epoch seconds) it is of what held then,
    with `known_at` as it was known at that moment. Raises NotFoundError, UsageError."""
    filed = open_entity_known(store, reference, known_at=known_at)
    at = known_at if as_of is None else as_of
    return summarize_read(store, filed.entity, filed.locator, at)[0]


def summarize_read(
    store: Store, entity: Entity, locator: Locator, as_of: float | None = None
) -> tuple[str, bool]:
    """The same for an entity read just now, and whether Engrain wrote it: a text by another program
    has no known origin."""
    now = store.clock.now()
    if as_of is None:
        text, ours = _read_summary(store, entity, locator, now)
        return (_body(text), ours) if text else (_body(write_summary(entity, now)), True)
    held = [
        fact.replace(status=ACTIVE, valid_to=None, disputes=()) for fact in entity.held_at(as_of)
    ]
    return _body(write_summary(entity.replace(facts=held), as_of)), True


def summarize_at(store: Store, scope: Scope, note: Note, row: Row) -> str | None:
    """The text of an entity in a recall about a moment: what held then, as known at the moment the
    scope names; None for an entry that is no entity."""
    if row.kind != KIND or not isinstance(note, JsonNote):
        return None
    at = scope.known_at if scope.as_of is None else scope.as_of
    entity: Entity | None = read_entity(note.document, note.own, slug_at(row.locator))
    if scope.known_at is not None:
        entity = known_entity(store, row.id, row.locator, scope.known_at)
    told = summarize_read(store, entity, row.locator, at)[0] if entity else ""
    return text_under(row.title, told)


def write_summaries(store: Store, slugs: Iterable[str], op: str, reason: str) -> None:
    """Write the summaries of entities that came without one, as the change `op`."""
    batches = Batches(store, op, store.actor, reason, lambda _: None, lambda *_: None)
    for slug in slugs:
        filed = try_filed(store, Locator(place_of(slug)))
        if filed is not None:
            for write, hash_ in renew_summary(store, filed.entity, filed.locator.folder):
                batches.add(slug, "", write, hash_)
            batches.flush_full()
    batches.flush()


def _read_summary(store: Store, entity: Entity, locator: Locator, now: float) -> tuple[str, bool]:
    stored = read_summary(store, locator.folder)
    if stored is None:
        return "", False
    text = stored.raw.decode(errors="replace")
    if read_stamp(text) not in (None, stamp_of(entity, now)):
        return "", False
    changes = store.index.changes(
        locator=Locator(f"{locator.folder}/{SUMMARY}"), limit=_MOST_CHANGES
    )
    return text, any(one.attested and one.after_hash == stored.hash for one in changes)


def _body(summary: str) -> str:
    """A summary without the line that says that it is generated."""
    first, _, rest = summary.partition("\n")
    return rest if read_stamp(first) else summary
