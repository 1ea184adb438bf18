"""Decides the origin of an entry that is made from others (DESIGN section 6, "Origin").

Its origin is the least trusted one among all its sources: a summary of an external page is
external. No job raises it; only the operator can, by attesting an entry as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engrain.engine.core.outcomes import UPDATED, Outcome
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor
from engrain.model.errors import IndexUnavailableError
from engrain.model.note.entry import read_entry
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR, ORIGINS
from engrain.seam.changes import Write
from engrain.seam.rows import Filter

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.seam.rows import Row


_MOST_SOURCES = 1000
"""The most sources that are examined for one entry; with more it counts as external."""


def least(*origins: str) -> str:
    """Return the least trusted of some origins."""
    return max(origins, key=ORIGINS.index)


def effective_trust(store: Store, row: Row) -> str:
    """Return the least trusted origin among an entry and its direct and indirect sources. An
    unknown source counts as external, unless an attested record wrote the entry: then its writer
    took the source into account while it existed."""
    found = counted_origin(row, store)
    todo, seen = [row], {row.id}
    while todo and found != EXTERNAL:
        entry = todo.pop()
        for source in store.index.sources_of(entry.id):
            if source in seen:
                continue
            if len(seen) >= _MOST_SOURCES:
                return EXTERNAL
            seen.add(source)
            row_ = store.find_exact(source)
            if row_ is not None:
                found = least(found, counted_origin(row_, store))
                todo.append(row_)
            elif not entry.attested:
                return EXTERNAL
    return found


def acting_from(
    store: Store, sources: Sequence[str] = (), *, over: Row | None = None, hash_: str = ""
) -> Actor:
    """Return the actor to record for an entry made from `sources`, or written over the bytes with
    hash `hash_` of the entry `over`; it is trusted no more than these. Text that the operator
    writes over another's is the operator's. Unknown sources are external, unless the operator names
    them."""
    actor = store.actor
    origins = [actor.trust]
    if over is not None and actor.trust != OPERATOR:
        # Anybody may have written bytes that the index does not know yet.
        origins.append(effective_trust(store, over) if over.hash == hash_ else EXTERNAL)
    if sources:
        origins += _origins_of(store, sources, EXTERNAL if actor.trust != OPERATOR else OPERATOR)
    return Actor(actor.agent, least(*origins))


def attest_entry(store: Store, reference: str, reason: str = "") -> Outcome:
    """Make the operator the origin of an entry as it stands, without changing its bytes. The caller
    must have asked the operator. Raises NotFoundError, ConflictError."""
    row = store.find_one(reference)
    stored = store.backend.read(row.locator)
    entry = read_entry(row.locator, stored.raw)
    write = Write(row.locator, stored.raw, entry.id, stored.hash)
    store.commit("attest", [write], reason=reason, actor=Actor(store.actor.agent, OPERATOR))
    return Outcome(UPDATED, entry)


def list_unattested(store: Store, tier: str) -> list[Row]:
    """Return the active entries of a tier that no attested record explains, newest first."""
    return store.index.find(Filter(tiers=(tier,), statuses=(ACTIVE,), unattested=True))


def _origins_of(store: Store, sources: Sequence[str], unknown: str) -> list[str]:
    try:
        store.require_index()
        rows = [store.find_exact(source) for source in sources]
        return [unknown if row is None else effective_trust(store, row) for row in rows]
    except IndexUnavailableError:
        return [unknown]
