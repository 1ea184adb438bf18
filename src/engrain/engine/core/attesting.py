"""Decides the origin of an entry that is made from others (DESIGN section 6, "Origin").

Trust is the minimum over all sources: summing up a page from outside makes it no more than a page
from outside, and no job raises it. Only the operator can, by attesting an entry as it stands.
"""

from __future__ import annotations

from engrain.engine.core.outcomes import UPDATED, Outcome
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor
from engrain.model.errors import IndexUnavailableError
from engrain.model.note.entry import read_entry
from engrain.model.note.tiers import ACTIVE, EXTERNAL, OPERATOR, ORIGINS
from engrain.seam.rows import Filter
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.core.store import Store
    from engrain.seam.rows import Row

_MOST_SOURCES = 1000
"""So many entries are looked through for what one was made from; behind more it is external."""


def least(*origins: str) -> str:
    """The least trusted of some origins."""
    return max(origins, key=ORIGINS.index)


def effective_trust(store: Store, row: Row) -> str:
    """The least trusted origin among an entry and everything it was made from, directly or not. An
    unknown id counts as external, unless an attested record left the entry: its writer took the
    source into account while it existed."""
    found = counted_origin(row, store.settings)
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
                found = least(found, counted_origin(row_, store.settings))
                todo.append(row_)
            elif not entry.attested:
                return EXTERNAL
    return found


def acting_from(
    store: Store, sources: Sequence[str] = (), *, over: Row | None = None, hash_: str = ""
) -> Actor:
    """The actor recorded for an entry made from `sources`, or written over bytes of hash `hash_` of
    the entry `over`: trusted no more than these. What the operator writes over another's text is
    the operator's. Unknown sources are external, except where the operator names them."""
    actor = store.actor
    origins = [actor.trust]
    if over is not None and actor.trust != OPERATOR:
        # Bytes that the index does not know just now may be anybody's.
        origins.append(effective_trust(store, over) if over.hash == hash_ else EXTERNAL)
    if sources:
        origins += _origins_of(store, sources, EXTERNAL if actor.trust != OPERATOR else OPERATOR)
    return Actor(actor.agent, least(*origins))


def attest_entry(store: Store, reference: str, reason: str = "") -> Outcome:
    """Have the operator vouch for an entry as it stands: its bytes stay, its origin is theirs.
    Whoever calls this has asked the operator. Raises NotFoundError, ConflictError."""
    row = store.find_one(reference)
    stored = store.backend.read(row.locator)
    entry = read_entry(row.locator, stored.raw)
    write = Write(row.locator, stored.raw, entry.id, stored.hash)
    store.commit("attest", [write], reason=reason, actor=Actor(store.actor.agent, OPERATOR))
    return Outcome(UPDATED, entry)


def list_unattested(store: Store, tier: str) -> list[Row]:
    """The active entries of a tier that no attested record explains, newest first."""
    return store.index.find(Filter(tiers=(tier,), statuses=(ACTIVE,), unattested=True))


def _origins_of(store: Store, sources: Sequence[str], unknown: str) -> list[str]:
    try:
        store.require_index()
        rows = [store.find_exact(source) for source in sources]
        return [unknown if row is None else effective_trust(store, row) for row in rows]
    except IndexUnavailableError:
        return [unknown]
