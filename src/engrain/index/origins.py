"""Find the origin of entries in the change table, never in the file (DESIGN section 6).

The bytes of a file have the origin of the attested records that left exactly these bytes of the
entry. Ops that give content have the origin they were recorded with; if several left the same
bytes, the most trusted one counts. All other ops only carry content: what they left has the origin
of the entry's bytes before them. Bytes that no attested record explains count as written by hand by
the operator in the shared part (T2), and as external in the agent's own part (T3); so does what is
carried from there.

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
"""A change, its trust, whether it gave content, and whether it is an undo."""

# `evolve` gives the successor its content; it only carries the retired entry, which is written to a
# new place (without a `before_hash`).
_GIVES = (
    "(c.op IN ('save', 'edit', 'import', 'attest', 'propose', 'consolidate', 'work',"
    " 'learn', 'synthesize', 'today', 'crystallize')"
    " OR c.op = 'evolve' AND c.before_hash IS NOT NULL)"
)
_LEFT = f"""
SELECT c.change, c.trust, {_GIVES}, c.op = 'undo' FROM changes c
WHERE c.entry = ?1 AND c.after_hash = ?2 AND c.attested >= ?3
  AND c.op NOT IN ('external', 'cancelled')
"""
_LEFT_OF = f"""
SELECT c.entry, c.after_hash, c.change, c.trust, {_GIVES}, c.op = 'undo'
FROM json_each(?) pair CROSS JOIN changes c
  ON c.entry = pair.value ->> 0 AND c.after_hash = pair.value ->> 1
WHERE c.attested >= 1 AND c.op NOT IN ('external', 'cancelled')
"""
# The bytes of an entry before a change: at its own place or the one it left; for an entry that
# `evolve` retired, those at the place of its successor.
_BEFORE = "SELECT before_hash FROM changes WHERE change = ?1 AND before_hash IS NOT NULL"
_OWN_BEFORE = _BEFORE.replace("changes", "changes INDEXED BY changes_by_entry") + " AND entry = ?2"
"""Uses the index by entry, since a change may have thousands."""
_KNOWN = "SELECT entry, id, hash, tier, trust, attested FROM entries WHERE id = ?"
_SET = "UPDATE entries SET trust = ?2, attested = ?3 WHERE entry = ?1"


def find_origins(
    connection: apsw.Connection, entries: Sequence[tuple[str, str, str]]
) -> list[tuple[str, bool]]:
    """Return for each (id, hash, tier) the origin of an entry with these bytes, and whether that is
    attested."""
    given = json.dumps([(id_, hash_) for id_, hash_, _ in entries])
    # Most bytes were left by a change that gave them: one query for all waits only once for a
    # database in another process.
    known: dict[tuple[str, str], list[Left]] = {}
    for entry, hash_, *left in connection.execute(_LEFT_OF, (given,)):
        known.setdefault((entry, hash_), []).append(tuple(left))
    found = []
    for id_, hash_, tier in entries:
        rank = _trace(connection, id_, hash_, 1, known.get((id_, hash_), []))
        if rank is None:
            found.append(("operator" if tier == "T2" else "external", False))
        else:
            found.append((ORIGINS[rank], True))
    return found


def told_origin(connection: apsw.Connection, id_: str, hash_: str) -> str | None:
    """Return the origin of an entry's bytes by its records, attested or not; None if none
    explains them."""
    left = connection.execute(_LEFT, (id_, hash_, 0)).fetchall()
    rank = _trace(connection, id_, hash_, 0, left)
    return None if rank is None else ORIGINS[rank]


def settle_origins(connection: apsw.Connection, ids: Iterable[str]) -> list[int]:
    """Find the origin of some ids' entries again, after new records about them; return the numbers
    of the entries whose origin changed."""
    known: list[tuple[Any, ...]] = [*connection.executemany(_KNOWN, [(id_,) for id_ in ids])]
    changed: list[tuple[int, str, bool]] = []
    origins = find_origins(connection, [row[1:4] for row in known])
    for (entry, _, _, _, *before), (origin, attested) in zip(known, origins, strict=True):
        if [origin, attested] != before:
            changed.append((int(str(entry)), origin, attested))
    connection.executemany(_SET, changed)
    return [entry for entry, _, _ in changed]


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
        ranks = [_rank(str(origin)) for _, origin, gives, _ in left if gives]
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
