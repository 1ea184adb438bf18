"""Keep what recalls read again and again in memory, in a process that recalls often.

A snapshot belongs to one state of one generation of the index: the file, and the count of batches
that changed entries. A later state begins with an empty snapshot, so no recall sees an older one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from engrain.index.rows import make_conditions

if TYPE_CHECKING:
    import apsw

    from engrain.seam.rows import Filter

Head: TypeAlias = "tuple[int, int | None, int, int, int, int, int]"
"""The entry, thread, place, asks, characters, characters of the entry, and twin of a passage."""

STATE = "state"
"""The key in `meta` of the count of batches that changed entries."""
_MOST_ENTRIES = 20_000
_MOST_HEADS = 100_000
"""The most passages in a snapshot, about 25 MB; above `_MOST_ENTRIES` nothing is kept."""
_MOST_FILTERS = 8

_READ_HEADS = (
    "SELECT p.passage, p.entry, p.thread, p.place, p.asks, p.end - p.start, p.whole, p.twin"
    " FROM json_each(?) j CROSS JOIN passages p ON p.passage = j.value"
)
_LOOK = "SELECT (SELECT value FROM meta WHERE key = ?), (SELECT max(entry) FROM entries)"


class Snapshot:
    """The places of passages, and the entries that pass a filter, in one state of the index."""

    def __init__(self) -> None:
        self._heads: dict[int, Head] = {}
        self._admitted: dict[Filter, dict[int, float]] = {}

    def heads(self, connection: apsw.Connection, passages: Sequence[int]) -> dict[int, Head]:
        """Return the places of all passages that were read so far, `passages` among them."""
        heads = self._heads
        missing = [passage for passage in passages if passage not in heads]
        if missing:
            if len(heads) + len(missing) > _MOST_HEADS:
                heads = self._heads = {}
                missing = list(passages)
            rows = connection.execute(_READ_HEADS, (str(sorted(missing)),))
            heads.update({row[0]: row[1:] for row in rows})
        return heads

    def admitted(self, connection: apsw.Connection, only: Filter) -> dict[int, float] | None:
        """Return the entries that pass a filter without its `lasting`, each with the moment of its
        end; None for a filter that is seldom repeated."""
        if only.tags or only.held_at is not None or (only.since, only.until) != (None, None):
            return None
        # Sequences as tuples, so that the filter can be a key.
        key = replace(
            only,
            lasting=None,
            kinds=tuple(only.kinds),
            tags=(),
            projects=None if only.projects is None else tuple(only.projects),
            statuses=tuple(only.statuses),
            tiers=tuple(only.tiers),
            zones=tuple(only.zones),
        )
        found = self._admitted.get(key)
        if found is None:
            where, values = make_conditions(key)
            rows = connection.execute(
                f"SELECT e.entry, e.valid_to FROM entries e WHERE {where}", values
            )
            found = {entry: inf if end is None else end for entry, end in rows}
            if len(self._admitted) >= _MOST_FILTERS:
                self._admitted = {}
            self._admitted[key] = found
        return found


class Snapshots:
    """Has the snapshot of the state that was read last."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[str, object], Snapshot] = (("", None), Snapshot())

    def of(self, connection: apsw.Connection) -> Snapshot | None:
        """Return the snapshot of the state that a connection reads; None for a
        large index."""
        state, entries = connection.execute(_LOOK, (STATE,)).get
        if (entries or 0) > _MOST_ENTRIES:
            return None
        key = (connection.filename, state)
        known, snapshot = self._kept
        if known != key:
            snapshot = Snapshot()
            self._kept = key, snapshot
        return snapshot
