"""Finds the places where the history says that there is a file, and the index knows none."""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw

from engrain.index.queries import changes
from engrain.index.text import storable
from engrain.model.note.tiers import is_generated
from engrain.seam.locator import Locator
from engrain.seam.search import Change

_SUSPECT = """
SELECT DISTINCT c.locator FROM changes c
WHERE c.locator IS NOT NULL AND c.after_hash IS NOT NULL AND c.op <> 'cancelled' {inside}
  AND NOT EXISTS(SELECT 1 FROM entries e WHERE e.locator = c.locator)
  AND NOT EXISTS(SELECT 1 FROM problems p WHERE p.locator = c.locator AND p.fatal = 1)
  AND NOT EXISTS(SELECT 1 FROM entries e WHERE e.id = c.entry)
ORDER BY c.locator
"""
_ELSEWHERE = "SELECT EXISTS(SELECT 1 FROM entries WHERE id = ?1 OR hash = ?2)"


def list_absent(connection: apsw.Connection, places: Iterable[Locator] | None) -> list[Change]:
    """See `SearchIndex.absent`."""
    inside, values = "", []
    if places is not None:
        inside = "AND c.locator IN (SELECT value FROM json_each(?) k)"
        values.append(json.dumps([storable(place) for place in places]))
    suspects = connection.execute(_SUSPECT.format(inside=inside), values).fetchall()
    found = []
    for (place,) in suspects:
        left = None if is_generated(str(place)) else _find_left(connection, Locator(str(place)))
        if left and not connection.execute(_ELSEWHERE, (left.entry, left.after_hash)).get:
            found.append(left)
    return found


def _find_left(connection: apsw.Connection, place: Locator) -> Change | None:
    """Return the change whose bytes should be at a place, None if a change took them away."""
    known = changes(connection, locator=place)  # newest first, but clocks may disagree
    followed = {one.before_hash for one in known if one.after_hash != one.before_hash}
    for one in known:
        if one.after_hash is None:
            return None
        if one.after_hash not in followed:
            return one
    return None
