"""Proposes to the operator successions in which a less trusted entry replaces a more trusted one:
until they decide, both are recalled (S1.15, S1.17)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.moving import slug_in_place
from engrain.engine.core.outcomes import UNCHANGED, Outcome
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.successions import SUPERSEDES
from engrain.engine.history.history import bytes_after
from engrain.engine.links.linking import link_entries, list_doubtful
from engrain.engine.verbs.revise import evolve_entry
from engrain.engine.verbs.save import SaveRequest, compose_body, save
from engrain.lifecycle.reviewing.actions import join_ids
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.tiers import ORIGINS
from engrain.seam.rows import Row

MOST = 50
"""The limit of proposals made at once, so that a thousand claims don't bury the operator."""


def link_and_propose(
    store: Store, reference: str, target: str, relation: str = "related_to", *, remove: bool = False
) -> Outcome:
    """Add a typed link to an entry, or remove it, in both entries where the relation has an inverse
    (S2.9). If it says that one entry replaced another of a more trusted origin, both are recalled
    and the operator is asked: `proposals` has the ids. Raises UsageError, also for a circle."""
    outcome = link_entries(store, reference, target, relation, remove=remove)
    if relation in ("supersedes", "superseded_by") and not remove:
        store.require_index()
        outcome.proposals = tuple(propose_doubtful(store, outcome.id))
    return outcome


def replace_entry(
    store: Store,
    reference: str,
    text: str,
    *,
    expect: str,
    title: str | None,
    kind: str | None,
    tags: Sequence[str] | None,
    project: str | None,
    source: str,
    ref: str | None,
    stated_by: str | None,
) -> Outcome:
    """Replace an entry, if it says what it said when its file's hash began with `expect`; fields
    that are not given stay."""
    row = store.find_one(reference)
    old = store.read_entry(row.locator)
    if kind not in (None, old.kind):
        raise UsageError(
            f"{old.id} is of kind {old.kind}: what replaces it is, too", remedy="leave out the kind"
        )
    if not text.strip():
        raise UsageError("there is no text to replace it by", remedy="forget it instead")
    done = _find_successor(store, row, compose_body(title or old.title, text)[1])
    if done is not None:
        return Outcome(UNCHANGED, done, other=old.id)
    if not _said_the_same(store, row, old, expect):
        raise ConflictError(
            f"{old.id} has changed since", path=row.locator, remedy="recall it again, then decide"
        )
    if ORIGINS.index(store.actor.trust) <= ORIGINS.index(counted_origin(row, store)):
        return evolve_entry(
            store,
            old.id,
            text,
            title=title,
            tags=tags,
            expect=old.hash,
            project=project,
            stated_by=stated_by,
        )
    store = store.as_one_change()
    saved = save(
        store,
        SaveRequest(
            text,
            title=title or old.title,
            kind=old.kind,
            tags=old.tags if tags is None else tags,
            project=project or old.project,
            source=source,
            ref=ref,
            stated_by=stated_by,
        ),
    )
    store.require_index()
    saved.proposals = link_and_propose(store, saved.id, old.id, "supersedes").proposals
    return saved


def _find_successor(store: Store, row: Row, body: str) -> Entry | None:
    """Return an entry with this body that already replaces another one, or names it."""
    linked = [newer for newer, relation in store.index.links_to(row) if relation == SUPERSEDES]
    for newer in (*linked, *store.index.lookup(slug_in_place(row))):
        entry = store.read_entry(newer.locator)
        if entry.note.body == body and (newer in linked or entry.supersedes == row.id):
            return entry
    return None


def _said_the_same(store: Store, row: Row, entry: Entry, expect: str) -> bool:
    """Whether an entry says what its file with a hash that begins with `expect` said: a fold
    changes only counters."""
    if entry.hash.startswith(expect):
        return True
    for change in store.index.changes(locator=row.locator):
        if (change.after_hash or "").startswith(expect):
            try:
                then = read_entry(row.locator, bytes_after(store, change))
            except NotFoundError:
                return False
            return then.note.substance() == entry.note.substance()
    return False


def propose_doubtful(store: Store, about: str | None = None, *, capped: bool = False) -> list[str]:
    """Propose to retire entries in favour of the less trusted ones that claim to replace them, all
    or only pairs with the entry `about`; return the ids of the new proposals. The index must be
    ready."""
    acting = store.acting_as(Actor(JOBS))
    made: list[str] = []
    for older, newer in list_doubtful(store):
        if about in (None, older.id, newer.id) and len(made) < MOST:
            made += _propose(acting, older, newer, capped)
    return made


def _propose(store: Store, older: Row, newer: Row, capped: bool) -> list[str]:
    """Propose to retire a note in favour of its successor. A record can't be retired, so
    the operator is asked to vouch for its successor."""
    origins = [
        counted_origin(row, store) if row.tier == "T2" else row.source for row in (newer, older)
    ]
    reason = (
        f"{newer.id} is said to supersede {older.id}, and comes from a less trusted origin:"
        f" {origins[0]}, not {origins[1]}"
    )
    notes = all(row.locator.endswith(".md") for row in (older, newer))
    action, target = ("compact", join_ids([older.id, newer.id])) if notes else ("attest", newer.id)
    try:
        outcome = propose(store, action, target, reason, capped=capped)
    except (ConflictError, NotFoundError):
        return []  # one of them is another by now
    return [outcome.id] if outcome else []
