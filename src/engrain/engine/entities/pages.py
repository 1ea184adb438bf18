"""Writes the summaries of entities, and reads and writes MEMORY.md for synthesis (S4.1, S4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engrain.engine.core.attesting import acting_from, effective_trust, least
from engrain.engine.core.batches import Batches
from engrain.engine.core.scope import Scope, read_moment
from engrain.engine.core.store import Actor, Store
from engrain.engine.entities.files import known_entity, read_summary, renew_summary, try_filed
from engrain.engine.entities.resolution import open_entity_known
from engrain.engine.history.history import bytes_after
from engrain.model.errors import ConflictError, EngrainError, NotFoundError
from engrain.model.facts.entity import KIND, SUMMARY, Entity, place_of, read_entity, slug_at
from engrain.model.facts.fact import ACTIVE
from engrain.model.facts.memory_page import PLACE, own_lines, start_page
from engrain.model.facts.summaries import read_stamp, stamp_of, write_summary
from engrain.model.note.note import Note, path_id
from engrain.model.note.properties import text_under
from engrain.model.note.tiers import EXTERNAL
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Row
from engrain.seam.storage import Stored, hash_of

OP = "synthesize"
"""The history's name for changes by synthesis."""
_HERE = Locator(PLACE)


class EntityPage:
    """MEMORY.md as it is now: `note` is None without a page; `closed` is the reason why it may not
    be written, "" if it may."""

    def __init__(self, store: Store) -> None:
        self.note: Note | None = None
        self.stored: Stored | None = None
        self.row: Row | None = None
        self.closed = ""
        self.id = path_id(PLACE)
        try:
            self.stored = store.backend.read(_HERE)
            entry = store.read_entry(_HERE)
        except NotFoundError:
            return
        except EngrainError:
            self.closed = "it can't be read"
            return
        self.id, self.note = entry.id, entry.note
        rows = store.index.lookup(PLACE)
        self.row = next((row for row in rows if row.locator == PLACE), None)
        if entry.status != ACTIVE:
            self.closed = f"it is {entry.status}"

    @property
    def body(self) -> str:
        """Its text, or that of an empty page where there is none."""
        return start_page() if self.note is None else self.note.body


def said_before(store: Store) -> set[str]:
    """Return the keys of all lines that synthesis ever wrote, so that no removed one comes back."""
    keys: set[str] = set()
    for change in store.index.changes(locator=_HERE):
        if change.op == OP:
            try:
                text = bytes_after(store, change).decode(errors="replace")
            except EngrainError:
                continue  # its bytes were erased
            keys.update(line.key for line in own_lines(text))
    return keys


def write_page(
    store: Store,
    page: EntityPage,
    revise: Callable[[str, str], str],
    sources: Sequence[str],
    reason: str,
) -> bool:
    """Write the page as `revise` makes it from its text and line end, with the trust of the entries
    `sources`; returns whether anything changed.

    A page that nobody vouches for is left alone, since every session reads it. Raises ConflictError
    where another process writes it at the same moment.
    """
    eol = "\n" if page.note is None else page.note.eol
    body = revise(page.body, eol)
    note = Note("", "", "", body)
    if page.note is not None:
        note = Note(page.note.head, page.note.front, page.note.fence, body)
    if page.stored is not None and note.raw == page.stored.raw:
        return False
    actor = acting_from(store, sources)
    if page.stored is not None:
        known = page.row is not None and page.row.hash == page.stored.hash
        before = effective_trust(store, page.row) if page.row and known else EXTERNAL
        actor = Actor(actor.agent, least(actor.trust, before))
    if actor.trust == EXTERNAL:
        raise ConflictError("nobody vouches for what it says", path=PLACE)
    if page.stored is not None:
        store.preserve(_HERE, page.stored, page.id)
    write = Write(_HERE, note.raw, page.id, hash_of(page.stored))
    store.commit(OP, [write], reason=reason, actor=actor)
    return True


_MOST_CHANGES = 8
"""A summary's latest changes that are searched for its present bytes."""


def summarize_entity(
    store: Store, reference: str, *, as_of: float | None = None, known_at: float | None = None
) -> str:
    """Return the summary of an entity: its file if that is up to date or written by a person, else
    one made now. With `as_of` (epoch seconds) it is of the facts that held then, with `known_at` as
    they were known at that moment. Raises NotFoundError, UsageError."""
    filed = open_entity_known(store, reference, known_at=known_at)
    at = known_at if as_of is None else as_of
    return summarize_read(store, filed.entity, filed.locator, at)[0]


def summarize_read(
    store: Store, entity: Entity, locator: Locator, as_of: float | None = None
) -> tuple[str, bool]:
    """Return the same for an entity read just now, and whether Engrain wrote it: a text by another
    program has no known origin."""
    now = store.clock.now()
    if as_of is not None:
        held = entity.held_at(as_of)
        facts = [fact.replace(status=ACTIVE, valid_to=None, disputes=()) for fact in held]
        return _body(write_summary(entity.replace(facts=facts), as_of)), True
    stored = read_summary(store, locator.folder)
    text = "" if stored is None else stored.raw.decode(errors="replace")
    if stored is None or not text or read_stamp(text) not in (None, stamp_of(entity, now)):
        return _body(write_summary(entity, now)), True
    place = Locator(f"{locator.folder}/{SUMMARY}")
    changes = store.index.changes(locator=place, limit=_MOST_CHANGES)
    return _body(text), any(one.attested and one.after_hash == stored.hash for one in changes)


def summarize_at(store: Store, scope: Scope, note: Note, row: Row) -> str | None:
    """Return the text of an entity in a recall about a moment: the facts that held then, as known
    at the moment of the scope; None for an entry that is no entity."""
    if row.kind != KIND:
        return None
    known_at = read_moment(scope.known_at)
    at = known_at if scope.as_of is None else read_moment(scope.as_of)
    entity: Entity | None = read_entity(note.document, note.own, slug_at(row.locator))
    if known_at is not None:
        entity = known_entity(store, row.id, row.locator, known_at)
    summary = summarize_read(store, entity, row.locator, at)[0] if entity else ""
    return text_under(row.title, summary)


def write_summaries(store: Store, slugs: Iterable[str], op: str, reason: str) -> None:
    """Write the summaries of entities that came without one, as the change `op`."""
    batches = Batches(store, op, store.actor, reason, lambda _: None, lambda *_: None)
    for slug in slugs:
        filed = try_filed(store, Locator(place_of(slug)))
        if filed is not None:
            for write in renew_summary(store, filed.entity, filed.locator.folder):
                batches.add(slug, "", write)
            batches.flush_full()
    batches.flush()


def _body(summary: str) -> str:
    """Return a summary without the line that marks it as generated."""
    first, _, rest = summary.partition("\n")
    return rest if read_stamp(first) else summary
