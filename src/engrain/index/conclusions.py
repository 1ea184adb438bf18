"""Find the conclusions that are void: `external` records of bytes, or of their removal, that
another record explains.

A record explains bytes if it left them in that place, and did not only bring them back there. This
follows from which bytes led to which, by hash, so the order in which chains are replayed does not
matter. Only an attested record makes an attested conclusion void. `cancel` records decide nothing
here: they state in the history what every index finds by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from engrain.index.text import storable
from engrain.model.history.record import CANCEL, CANCELLED, EXTERNAL, read_cancelled

if TYPE_CHECKING:
    import apsw

    from engrain.model.history.record import Record


State: TypeAlias = "tuple[str, str]"
"""A place and the hash of its bytes."""

_CONCLUDED = """
SELECT change, place, op, device, n, locator, before_hash, after_hash, attested FROM changes
WHERE {} = ? AND op IN ('external', 'cancelled')
"""
_ANY_CONCLUDED = """
SELECT EXISTS(
  SELECT 1 FROM changes INDEXED BY conclusions_by_entry WHERE op IN ('external', 'cancelled')
)
"""
_LEFT = """
SELECT change, entry, op FROM changes
WHERE locator = ? AND after_hash = ? AND op NOT IN ('external', 'cancelled')
  AND before_hash IS DISTINCT FROM after_hash AND attested >= ?
"""
_OTHERS = f"{_LEFT} AND NOT (device = ? AND n > ?)"
"""Leaves out what a device recorded after its own conclusion, which can't explain it."""
_FOLLOWED = """
SELECT after_hash FROM changes
WHERE locator = ? AND before_hash = ? AND op NOT IN ('external', 'cancelled')
  AND before_hash IS DISTINCT FROM after_hash AND attested >= ?
  AND NOT (device = ? AND n > ?)
"""
_TAKEN = """
SELECT locator, before_hash FROM changes INDEXED BY changes_by_name
WHERE change = ? AND entry = ? AND before_hash IS NOT NULL
"""
_MISTAKEN = """
SELECT change, place FROM changes c INDEXED BY changes_cancelled WHERE op = 'cancelled'
  AND NOT EXISTS(SELECT 1 FROM cancellations x WHERE x.change = c.change AND x.place = c.place)
ORDER BY device, n, place
"""


def decide_conclusions(
    connection: apsw.Connection,
    records: Sequence[Record],
    forgotten: Sequence[tuple[str, str | None]] = (),
) -> set[str]:
    """Decide again which conclusions are void, among those about the entries and places of new
    `records` or of changes that were `forgotten`; return the entries whose conclusions changed."""
    named = [read_cancelled(record.undoes) for record in records if record.op == CANCEL]
    connection.executemany(
        "INSERT INTO cancellations VALUES(?, ?) ON CONFLICT DO NOTHING",
        [(storable(change), at) for pairs in named for change, at in pairs],
    )
    if not connection.execute(_ANY_CONCLUDED).get:
        return set()
    entries = {entry for entry, _ in forgotten}
    places = {place for _, place in forgotten if place is not None}
    for file in (file for record in records for file in record.files or ()):
        entries.add(storable(file.entry))
        places.add(storable(file.path))
    found = {}
    for column, values in (("entry", entries), ("locator", places)):
        rows = connection.executemany(_CONCLUDED.format(column), [(value,) for value in values])
        found.update({row[:2]: row[2:] for row in rows})
    changed = []
    for row, (op, device, n, locator, before, hash_, attested) in found.items():
        state = str(locator), str(hash_)
        about = attested, device, n
        if hash_ is None:
            void = _was_removed(connection, str(locator), before, about)
        else:
            others = connection.execute(_OTHERS, (*state, *about)).fetchall()
            void = any(_is_source(connection, state, *map(str, other)) for other in others)
        if void != (op == CANCELLED):
            changed.append((CANCELLED if void else EXTERNAL, *row))
    sql = "UPDATE changes SET op = ? WHERE change = ? AND place = ? RETURNING entry"
    return {str(entry) for (entry,) in connection.executemany(sql, changed)}


def list_mistaken(connection: apsw.Connection) -> list[tuple[str, int]]:
    """Return the void conclusions that no `cancel` record names, as (change, place)."""
    return [(str(change), int(str(place))) for change, place in connection.execute(_MISTAKEN)]


def _was_removed(
    connection: apsw.Connection, place: str, hash_: Any, about: tuple[Any, Any, Any]
) -> bool:
    """Whether records lead from some bytes at a place to no file there."""
    todo, seen = [hash_], {hash_}
    while todo:
        for (after,) in connection.execute(_FOLLOWED, (place, todo.pop(), *about)).fetchall():
            if after is None:
                return True
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return False


def _is_source(connection: apsw.Connection, state: State, change: str, entry: str, op: str) -> bool:
    """Whether a change left a state for the first time: a path leads to it that does not begin at
    that state. An `undo` of bytes that no record left may only have brought the state back."""
    made = op != "undo"
    todo, seen = [(change, entry)], {state}
    while todo:
        taken = connection.execute(_TAKEN, todo.pop()).fetchall()
        if not taken and made:
            return True
        for locator, before in taken:
            earlier = (str(locator), str(before))
            if earlier in seen:
                continue
            seen.add(earlier)
            left = connection.execute(_LEFT, (*earlier, 0)).fetchall()
            if not left and made:
                return True
            todo += [(str(name), str(of)) for name, of, _ in left]
        made = True
    return False
