"""Whom an entry comes from, told from the change table and never from the file (DESIGN section 6).

The bytes that stand in a file have the origin of the attested records that left these very bytes
of this entry. Ops that give content have the origin they were recorded with; where several left the
same bytes, the most trusted one vouches for them. All other ops only carry: what they left has the
origin of what the entry was before them. Bytes that no attested record explains are the operator's
by hand where the operator writes (T2), and external in the agent's own part (T3); so is what is
carried from there.

All of it is told from what led to what, by hash, so it is the same in whatever order devices'
chains are replayed and whatever their clocks said. Where entries moved, or were renamed by another
program, the place has no say.
"""

from __future__ import annotations

from engrain.model.entry import ORIGINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

# `evolve` gives the successor its content; what it retires, which had no place there before, it
# carries.
_GIVES = (
    "(c.op IN ('save', 'edit', 'import', 'attest', 'propose')"
    " OR c.op = 'evolve' AND c.before_hash IS NOT NULL)"
)
_LEFT = f"""
SELECT c.change, c.trust, {_GIVES} FROM changes c
WHERE c.entry = ?1 AND c.after_hash = ?2 AND c.attested = 1 AND c.op <> 'external'
"""
_NOW = f"""
SELECT e.entry, e.id, e.hash, e.tier, e.trust, e.attested, c.trust, {_GIVES}
FROM entries e LEFT JOIN changes c ON c.entry = e.id AND c.after_hash = e.hash
  AND c.attested = 1 AND c.op <> 'external'
WHERE e.id = ?
"""
# What an entry was before a change: at its own place or the one it left; of one that `evolve`
# retired, at that of its successor.
_BEFORE = """
SELECT before_hash FROM changes WHERE change = ?1 AND before_hash IS NOT NULL
  AND (entry = ?2 OR NOT EXISTS (
    SELECT 1 FROM changes WHERE change = ?1 AND entry = ?2 AND before_hash IS NOT NULL
  ))
"""
_SET = "UPDATE entries SET trust = ?2, attested = ?3 WHERE entry = ?1"


def settle_origins(connection: apsw.Connection, ids: Iterable[str]) -> None:
    """Give the entries of some ids the origin that the change table now tells."""
    given: dict[int, int] = {}
    carried: set[int] = set()
    known: dict[int, tuple[str, str, str, str, int]] = {}
    for row in connection.executemany(_NOW, [(id_,) for id_ in ids]):
        entry, id_, hash_, tier, trust, attested, origin, gives = row
        known[entry] = id_, hash_, tier, trust, attested
        if origin is None:
            continue
        if gives:
            given[entry] = min(given.get(entry, len(ORIGINS)), _rank(origin))
        else:
            carried.add(entry)
    changed = []
    for entry, (id_, hash_, tier, trust, attested) in known.items():
        rank = given.get(entry)
        if rank is None and entry in carried:
            rank = _trace(connection, id_, hash_)
        told = (by_place(tier), 0) if rank is None else (ORIGINS[rank], 1)
        if told != (trust, attested):
            changed.append((entry, *told))
    connection.executemany(_SET, changed)


def by_place(tier: str) -> str:
    """Whose bytes are that nobody attests."""
    return "operator" if tier == "T2" else "external"


def _trace(connection: apsw.Connection, id_: str, hash_: str) -> int | None:
    """The rank of the origin that led to these bytes of an entry, None where nothing attested did.

    Of several ways that lead to them the most trusted counts, as each of them is attested.
    """
    best: int | None = None
    todo, seen = [hash_], {hash_}
    while todo:
        left = connection.execute(_LEFT, (id_, todo.pop())).fetchall()
        ranks = [_rank(str(origin)) for _, origin, gives in left if gives]
        if ranks:
            best = min(ranks if best is None else [best, *ranks])
            continue
        for change, _, _ in left:
            for (before,) in connection.execute(_BEFORE, (change, id_)):
                if before not in seen:
                    seen.add(before)
                    todo.append(before)
    return best


def _rank(origin: str) -> int:
    return ORIGINS.index(origin) if origin in ORIGINS else len(ORIGINS) - 1
