"""Forgets changes that have another name by now, because their records moved into a branch.

Where two installations wrote with one id, the records themselves decide which of them stay in the
device's chain and which stand in a branch. As more of them come, records move: out of the chain, or
out of a branch into one that leaves closer to them. So of a record that is known in two chains the
one counts that begins later. A change whose record was met nowhere else stays known, and `verify`
says that it is missing.
"""

from __future__ import annotations

from engrain.index.text import storable
from engrain.model.note.ids import base_device, is_branch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from engrain.model.history.record import Record

# A change of several files has a row for each, of one entry. Of one that was erased, no files are
# known; and a conclusion may be void under one name and not yet under the other.
_FORGET = """
DELETE FROM changes WHERE device = ? AND n BETWEEN ? AND ? AND EXISTS (
  SELECT 1 FROM changes c WHERE c.device = ? AND c.n = changes.n AND c.at = changes.at
    AND c.entry = changes.entry AND c.agent = changes.agent AND c.attested >= changes.attested
    AND replace(c.op, 'cancelled', 'external') = replace(changes.op, 'cancelled', 'external')
    AND (c.after_hash IS changes.after_hash OR c.locator IS NULL OR changes.locator IS NULL)
) RETURNING entry, locator
"""
_FIRST = "SELECT min(n) FROM changes WHERE device = ?"


def forget_moved(
    connection: apsw.Connection, records: Iterable[Record]
) -> list[tuple[str, str | None]]:
    """Forget the changes whose records are known in a chain that begins later, among those of the
    numbers of some records that came; the entries and places of what was forgotten."""
    came: dict[str, list[int]] = {}
    for record in records:
        came.setdefault(storable(record.device), []).append(record.n)
    if not came:
        return []
    known = {str(chain) for (chain,) in connection.execute("SELECT device FROM cursors")}
    forgotten: list[tuple[str, str | None]] = []
    for chain, numbers in came.items():
        family = [one for one in known.union(came) if base_device(one) == base_device(chain)]
        if len(family) > 1:
            order = sorted(family, key=lambda one: _begin(connection, one))
            place = order.index(chain)
            pairs = [(earlier, chain) for earlier in order[:place]]
            pairs += [(chain, later) for later in order[place + 1 :]]
            for old, new in pairs:
                values = (old, min(numbers), max(numbers), new)
                forgotten += connection.execute(_FORGET, values).fetchall()  # type: ignore[arg-type]
    return forgotten


def _begin(connection: apsw.Connection, chain: str) -> int:
    """The number with which a chain begins: of a device's own before that of any branch."""
    first = connection.execute(_FIRST, (chain,)).get if is_branch(chain) else 0
    return int(first or 0)
