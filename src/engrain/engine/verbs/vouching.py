"""`review vouch --all`: has the operator vouch for everything that comes from outside."""

from __future__ import annotations

from engrain.engine.core.attesting import EXTERNAL, OPERATOR
from engrain.engine.core.batches import Batches
from engrain.engine.core.outcomes import KEPT
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor, Store
from engrain.model.errors import EngrainError
from engrain.model.note.entry import read_entry
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Write


def list_outside(store: Store) -> list[Row]:
    """The active entries that come from outside, newest first."""
    found = store.index.find(Filter(statuses=(ACTIVE,)))
    return [row for row in found if counted_origin(row, store.settings) == EXTERNAL]


def attest_all(store: Store, reason: str = "") -> tuple[list[str], list[tuple[str, str]]]:
    """Have the operator vouch for every entry from outside, as it stands, in one change; returns
    their ids, and for each that can't be read its place and why. The caller has asked the
    operator."""
    ids: list[str] = []
    left: list[tuple[str, str]] = []
    actor = Actor(store.actor.agent, OPERATOR)
    batches = Batches(
        store.as_one_change(), "attest", actor, reason, ids.append, lambda *told: left.append(told)
    )
    for row in list_outside(store):
        try:
            stored = store.backend.read(row.locator)
            id_ = read_entry(row.locator, stored.raw).id
        except EngrainError as error:
            left.append((row.locator, error.message))
            continue
        batches.add(row.locator, id_, Write(row.locator, stored.raw, id_), stored.hash)
        batches.flush_full()
    batches.flush()
    return [id_ for id_ in ids if id_ != KEPT], left
