"""What is said to have replaced an entry that comes from a more trusted origin is laid before the
operator: until they decide, both are recalled (S1.15, S1.17)."""

from __future__ import annotations

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.links.linking import link_entries
from engrain.engine.links.succession_mending import list_doubtful
from engrain.lifecycle.reviewing.actions import join_ids
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import ConflictError, NotFoundError
from engrain.seam.rows import Row

MOST = 50
"""Proposals made at once: who writes a thousand claims shall not fill the operator's desk."""


def link_and_propose(
    store: Store, reference: str, target: str, relation: str = "related_to", *, remove: bool = False
) -> Outcome:
    """Add a typed link to an entry, or remove it; both ends say it where the relation has an
    inverse (S2.9). Where it says that one entry replaced another of a more trusted origin, both are
    recalled and the operator is asked: `proposals` has what was proposed.

    Raises UsageError, also for what would lead round in a circle.
    """
    outcome = link_entries(store, reference, target, relation, remove=remove)
    if relation in ("supersedes", "superseded_by") and not remove:
        store.require_index()
        outcome.proposals = tuple(propose_doubtful(store, outcome.id))
    return outcome


def propose_doubtful(store: Store, about: str | None = None) -> list[str]:
    """Propose to retire entries in favour of the less trusted ones that are said to have replaced
    them, or only those in which the entry `about` has a part; the ids of the proposals. What was
    proposed of the same two is not proposed again. The index is to be ready."""
    acting = store.acting_as(Actor(JOBS))
    made: list[str] = []
    for older, newer in list_doubtful(store):
        if about in (None, older.id, newer.id) and len(made) < MOST:
            made += _propose(acting, older, newer)
    return made


def _propose(store: Store, older: Row, newer: Row) -> list[str]:
    """A note is retired as a dream retires an older version. A record can't be, so the operator is
    asked to vouch for its successor."""
    origins = [counted_origin(row, store.settings) for row in (newer, older)]
    reason = (
        f"{newer.id} is said to supersede {older.id}, and comes from a less trusted origin:"
        f" {origins[0]}, not {origins[1]}"
    )
    notes = all(row.locator.endswith(".md") for row in (older, newer))
    action, target = ("compact", join_ids([older.id, newer.id])) if notes else ("attest", newer.id)
    try:
        outcome = propose(store, action, target, reason)
    except (ConflictError, NotFoundError):
        return []  # one of them is another by now
    return [outcome.id] if outcome else []
