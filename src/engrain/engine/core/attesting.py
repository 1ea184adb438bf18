"""Whom an entry comes from, where one is made from another (DESIGN section 6, "Origin").

Trust is the minimum over what something was made from: nobody who sums up a page from outside makes
it more than a page from outside, and no job that merges entries raises any of them. Only the
operator can, by attesting an entry as it stands.
"""

from __future__ import annotations

from engrain.engine.core.outcomes import UPDATED, Outcome
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor
from engrain.model.errors import IndexUnavailableError
from engrain.model.note.entry import read_entry
from engrain.model.note.tiers import ACTIVE, ORIGINS
from engrain.seam.rows import Filter
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.core.store import Store
    from engrain.seam.rows import Row

OPERATOR = "operator"
EXTERNAL = "external"

_MOST_SOURCES = 1000
"""So many entries are looked through for what one was made from; behind more it is external."""


def least(*origins: str) -> str:
    """The least trusted of some origins."""
    return max(origins, key=ORIGINS.index)


def effective_trust(store: Store, row: Row) -> str:
    """The least origin in all that an entry was made from, directly or not, itself among it.

    An id that is nowhere counts as external, unless the record that left the entry is attested:
    that one reckoned with the source while it was there.
    """
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
    """Who is recorded as the author of what is made from `sources`, and of bytes with the hash
    `hash_` of the entry `over`: the actor, trusted no more than they are.

    What the operator writes over another's text is the operator's. Sources that are not here are
    external, but not where the operator names them.
    """
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

    Whoever calls this has asked the operator. Raises NotFoundError, ConflictError.
    """
    row = store.find_one(reference)
    stored = store.backend.read(row.locator)
    entry = read_entry(row.locator, stored.raw)
    store.commit(
        "attest",
        [Write(row.locator, stored.raw, entry.id)],
        {row.locator: stored.hash},
        reason=reason,
        actor=Actor(store.actor.agent, OPERATOR),
    )
    return Outcome(UPDATED, entry, row.locator)


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
