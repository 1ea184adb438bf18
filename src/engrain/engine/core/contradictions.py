"""Finds contradictions between entries that nobody has settled yet (S2.9).

A contradiction is settled when one of the two is no longer active, or the link is removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engrain.engine.core.scope import counted_successions
from engrain.model.note.tiers import ACTIVE, INBOX, PERSONAL

if TYPE_CHECKING:
    from engrain.engine.core.recalled import Recalled
    from engrain.engine.core.store import Store
    from engrain.seam.rows import Row


CONTRADICTS = "contradicts"


def mark_contradicted(store: Store, recalled: Sequence[Recalled]) -> None:
    """Set on each recalled entry the ids of the active entries that contradict it."""
    places = [found.row.locator for found in recalled]
    linked = store.index.among_related(CONTRADICTS, places) if places else ()
    for found in recalled:
        if found.row.locator in linked:  # rare
            found.contradicts = tuple(row.id for row in list_contradicting(store, found.row))


def list_contradicting(store: Store, row: Row) -> list[Row]:
    """Return the active entries that contradict an active entry, by id, whichever of the two has
    the link; none if the entry is not active."""
    if not _is_current(store, row):
        return []
    found = {end.id: end for end in _list_linked(store, row) if _is_current(store, end)}
    return [found[id_] for id_ in sorted(found)]


def is_contradicted_later(store: Store, row: Row) -> bool:
    """Return whether a later entry, in force or in the inbox, contradicts an entry."""
    return any(
        end.status in (ACTIVE, INBOX) and (end.created or 0.0) > (row.created or 0.0)
        for end in _list_linked(store, row)
    )


def _list_linked(store: Store, row: Row) -> list[Row]:
    """Return the other entries of the links that say that an entry contradicts another."""
    links = store.index.links_from(row.locator)
    ends = [find_target(store, to) for to, relation in links if relation == CONTRADICTS]
    ends += [other for other, relation in store.index.links_to(row) if relation == CONTRADICTS]
    return [end for end in ends if end and end.id != row.id]


def list_contradictions(store: Store) -> list[tuple[Row, Row]]:
    """Return each pair of active entries that contradict each other, the later one first."""
    pairs = {}
    for row, target in store.index.related(CONTRADICTS):
        other = find_target(store, target)
        if other and other.id != row.id and _is_current(store, row) and _is_current(store, other):
            later, earlier = sorted((row, other), key=lambda end: (-(end.created or 0.0), end.id))
            pairs[frozenset((row.id, other.id))] = (later, earlier)
    return list(pairs.values())


def find_target(store: Store, target: str) -> Row | None:
    """Return the entry that a link's target means, preferably an active one; None for a personal
    note of the operator and for a target that does not exist."""
    if target.startswith(PERSONAL):
        return None
    rows = store.index.resolve([target])
    return min(rows, key=lambda row: (row.status != ACTIVE, row.id), default=None)


def _is_current(store: Store, row: Row) -> bool:
    """Whether an entry is active and no other replaced it."""
    return row.status_for(counted_successions(store.settings)) == ACTIVE
