"""Find whom an entry comes from: by the change table, never by the file (DESIGN section 6).

The bytes that stand in a file have the origin of the attested records that left these very bytes
of this entry. Ops that give content have the origin they were recorded with; where several left the
same bytes, the most trusted one vouches for them. All other ops only carry: what they left has the
origin of what the entry was before them. Bytes that no attested record explains are the operator's
by hand where the operator writes (T2), and external in the agent's own part (T3); so is what is
carried from there.

All of it follows from which bytes led to which, by hash, so it is the same in whatever order
devices' chains are replayed and whatever their clocks said. Where entries moved, or were renamed by
another program, the place has no say.
"""

from __future__ import annotations

import json

from engrain.model.note.tiers import ORIGINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeAlias

    import apsw

Left: TypeAlias = "tuple[Any, ...]"
"""A change, its trust, whether it gave content, and whether it is an undo."""

# `evolve` gives the successor its content; what it retires, which had no place there before, it
# carries.
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
# What an entry was before a change: at its own place or the one it left; of one that `evolve`
# retired, at that of its successor.
_BEFORE = "SELECT before_hash FROM changes WHERE change = ?1 AND before_hash IS NOT NULL"
_OWN_BEFORE = _BEFORE.replace("changes", "changes INDEXED BY changes_by_entry") + " AND entry = ?2"
"""By the entry: a change may be of thousands."""
_KNOWN = "SELECT entry, id, hash, tier, trust, attested FROM entries WHERE id = ?"
_SET = "UPDATE entries SET trust = ?2, attested = ?3 WHERE entry = ?1"


def find_origins(
    connection: apsw.Connection, entries: Sequence[tuple[str, str, str]]
) -> list[tuple[str, bool]]:
    """For each (id, hash, tier): whom an entry with these bytes comes from, and whether that is
    attested."""
    given = json.dumps([(id_, hash_) for id_, hash_, _ in entries])
    # Most bytes were left by a change that gave them: asked of all at once, a database that is
    # another process is waited for once.
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
    """Whom they come from as its records say, attested or not; None where none explains them."""
    left = connection.execute(_LEFT, (id_, hash_, 0)).fetchall()
    rank = _trace(connection, id_, hash_, 0, left)
    return None if rank is None else ORIGINS[rank]


def settle_origins(connection: apsw.Connection, ids: Iterable[str]) -> list[int]:
    """Set the origin of the entries of some ids anew, after records about them came; the numbers of
    the entries whose origin changed."""
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
    """The rank of the origin that led to these bytes of an entry, None where no record did. `left`
    has the changes that left them.

    Of several ways that lead to them the most trusted counts: each of them led there.
    """
    best: int | None = None
    todo, seen = [left], {hash_}
    while todo:
        left = todo.pop()
        ranks = [_rank(str(origin)) for _, origin, gives, _ in left if gives]
        if ranks:
            best = min(ranks if best is None else [best, *ranks])
            continue
        # What an undo put back has the origin that it had, not that of what was taken back.
        for change, *_ in [one for one in left if not one[3]] or left:
            own = connection.execute(_OWN_BEFORE, (change, id_)).fetchall()
            for row in own or connection.execute(_BEFORE, (change,)).fetchall():
                if (before := str(row[0])) not in seen:
                    seen.add(before)
                    todo.append(connection.execute(_LEFT, (id_, before, attested)).fetchall())
    return best


def _rank(origin: str) -> int:
    return ORIGINS.index(origin) if origin in ORIGINS else len(ORIGINS) - 1
