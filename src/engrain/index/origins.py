"""Find the origin of entries in the change table, never in the file (DESIGN section 6).

The bytes of a file have the origin of the attested records that left exactly these bytes of the
entry. Ops that give content have the origin they were recorded with; if several left the same
bytes, the most trusted one counts. All other ops only carry content: what they left has the origin
of the entry's bytes before them. Bytes that no attested record explains count as written by hand by
the operator in the shared part (T2), and as external in the agent's own part (T3); so does what is
carried from there.

Bytes in T3 are by hand if only a person at this device can have left them: no record explains them,
attested or not, and no attested record of the entry is of something from outside. Without any
attested record the file must claim neither an id nor an origin: a person writes none, and the
records of another device may still be on their way. What every session gets is never by hand, since
it has to be vouched for.

All of this follows from which bytes led to which, by hash, so it depends neither on the order in
which devices' chains are replayed, nor on their clocks, nor on where an entry was moved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from engrain.model.note.tiers import ORIGINS

if TYPE_CHECKING:
    import apsw


Left: TypeAlias = "tuple[Any, ...]"
"""A change, its trust, whether it gave content, is an undo, and is attested."""

NOTHING, ORIGIN, TRUST = range(3)
"""What the file of an entry claims: nothing, an id or an origin, or a trust that must be vouched
for."""

# `evolve` gives the successor its content; it only carries the retired entry, which is written to a
# new place (without a `before_hash`).
_GIVES = (
    "(c.op IN ('save', 'edit', 'import', 'attest', 'propose', 'consolidate', 'work',"
    " 'learn', 'synthesize', 'today', 'crystallize')"
    " OR c.op = 'evolve' AND c.before_hash IS NOT NULL)"
)
_LEFT = f"""
SELECT c.change, c.trust, {_GIVES}, c.op = 'undo', c.attested FROM changes c
WHERE c.entry = ?1 AND c.after_hash = ?2 AND c.attested >= ?3
  AND c.op NOT IN ('external', 'cancelled')
"""
_LEFT_OF = f"""
SELECT c.entry, c.after_hash, c.change, c.trust, {_GIVES}, c.op = 'undo', c.attested
FROM json_each(?) pair CROSS JOIN changes c
  ON c.entry = pair.value ->> 0 AND c.after_hash = pair.value ->> 1
WHERE c.op NOT IN ('external', 'cancelled')
"""
# The bytes of an entry before a change: at its own place or the one it left; for an entry that
# `evolve` retired, those at the place of its successor.
_BEFORE = "SELECT before_hash FROM changes WHERE change = ?1 AND before_hash IS NOT NULL"
_OWN_BEFORE = _BEFORE.replace("changes", "changes INDEXED BY changes_by_entry") + " AND entry = ?2"
"""Uses the index by entry, since a change may have thousands."""
_KNOWN = "SELECT entry, id, hash, tier, claims, trust, attested, by_hand FROM entries WHERE id = ?"
_SET = "UPDATE entries SET trust = ?2, attested = ?3, by_hand = ?4 WHERE entry = ?1"
# What a scan noted of another program's edit says nothing about who made it.
_ATTESTED = """
SELECT DISTINCT trust FROM changes
WHERE entry = ? AND attested = 1 AND op NOT IN ('external', 'cancelled')
"""


def find_origins(
    connection: apsw.Connection, entries: Sequence[tuple[str, str, str, int]]
) -> list[tuple[str, bool, bool]]:
    """Return for each (id, hash, tier, claims) the origin of an entry with these bytes, whether
    that is attested, and whether the bytes are by hand."""
    given = json.dumps([(id_, hash_) for id_, hash_, *_ in entries])
    # Most bytes were left by a change that gave them: one query for all waits only once for a
    # database in another process.
    known: dict[tuple[str, str], list[Left]] = {}
    for entry, hash_, *left in connection.execute(_LEFT_OF, (given,)):
        known.setdefault((entry, hash_), []).append(tuple(left))
    found = []
    for id_, hash_, tier, claims in entries:
        left = known.get((id_, hash_), [])
        rank = _trace(connection, id_, hash_, 1, [one for one in left if one[4]])
        if rank is not None:
            found.append((ORIGINS[rank], True, False))
        elif tier == "T2":
            found.append(("operator", False, False))
        else:
            by_hand = _is_by_hand(connection, id_, hash_, claims, left)
            found.append(("external", False, by_hand))
    return found


def _is_by_hand(
    connection: apsw.Connection, id_: str, hash_: str, claims: int, left: Sequence[Left]
) -> bool:
    """Whether only a person at this device can have left bytes that no attested record explains."""
    if claims == TRUST or _trace(connection, id_, hash_, 0, left) is not None:
        return False
    known = connection.execute(_ATTESTED, (id_,)).fetchall()
    return all(trust != "external" for (trust,) in known) if known else claims == NOTHING


def told_origin(connection: apsw.Connection, id_: str, hash_: str) -> str | None:
    """Return the origin of an entry's bytes by its records, attested or not; None if none
    explains them."""
    left = connection.execute(_LEFT, (id_, hash_, 0)).fetchall()
    rank = _trace(connection, id_, hash_, 0, left)
    return None if rank is None else ORIGINS[rank]


def resolve_origins(connection: apsw.Connection, ids: Iterable[str]) -> list[int]:
    """Find the origin of some ids' entries again, after new records about them; return the numbers
    of the entries whose origin changed."""
    known: list[tuple[Any, ...]] = [*connection.executemany(_KNOWN, [(id_,) for id_ in ids])]
    changed: list[tuple[int, str, bool, bool]] = []
    origins = find_origins(connection, [row[1:5] for row in known])
    for (entry, _, _, _, _, *before), now in zip(known, origins, strict=True):
        if [*now] != before:
            changed.append((int(str(entry)), *now))
    connection.executemany(_SET, changed)
    return [entry for entry, *_ in changed]


def _trace(
    connection: apsw.Connection, id_: str, hash_: str, attested: int, left: Sequence[Left]
) -> int | None:
    """Return the rank of the origin of an entry's bytes, None if no record explains them. `left`
    has the changes that left them.

    If several paths of changes lead to the bytes, the most trusted one counts.
    """
    best: int | None = None
    todo, seen = [left], {hash_}
    while todo:
        left = todo.pop()
        ranks = [_rank(str(origin)) for _, origin, gives, *_ in left if gives]
        if ranks:
            best = min(ranks if best is None else [best, *ranks])
            continue
        # Bytes that an undo restored have their former origin, not that of the undone bytes.
        for change, *_ in [one for one in left if not one[3]] or left:
            own = connection.execute(_OWN_BEFORE, (change, id_)).fetchall()
            for row in own or connection.execute(_BEFORE, (change,)).fetchall():
                if (before := str(row[0])) not in seen:
                    seen.add(before)
                    todo.append(connection.execute(_LEFT, (id_, before, attested)).fetchall())
    return best


def _rank(origin: str) -> int:
    return ORIGINS.index(origin) if origin in ORIGINS else len(ORIGINS) - 1
