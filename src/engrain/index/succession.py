"""Find which entries were replaced by others: a table of successions, and a flag on each entry.

An entry is replaced if a link in any form says that another supersedes it, and that one is in
force, is visible wherever the first is, and has an origin that is trusted no less (DESIGN section
6). So entries from outside hide none of the operator's. Entries that supersede each other in a
circle do not replace each other: else none of them would be left.

The flag is stored when an entry is indexed, so that recall needs no query for each result.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engrain.model.graphs import find_circles
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE
from engrain.seam.references import SuccessionClaim
from engrain.seam.rows import ATTESTED, COUNTED, FACT, ORIGINS

if TYPE_CHECKING:
    import apsw


Steps: TypeAlias = "dict[tuple[int, int], tuple[int, bool]]"
"""By (older, newer): the bits that say when it counts, and whether it hides the older one now."""

# A fact's relation holds between two entities, not between the notes about them.
RELATIONS = f"relation IN ('supersedes', 'superseded_by') AND origin <> {ORIGINS.index(FACT)}"
INDEX = f"CREATE INDEX links_that_replace ON links(end, relation, entry) WHERE {RELATIONS}"

_GIVEN = "SELECT value FROM json_each(?1)"
_NEWER = (
    f"links l INDEXED BY links_that_replace ON l.end = o.entry AND {RELATIONS}"
    " AND l.relation = 'supersedes'"
)
_SAID = "links l ON l.entry = o.entry AND l.relation = 'superseded_by' AND l.end IS NOT NULL"
# Follows every claim onward from the given entries, to find circles that they are part of.
ONWARD = f"""
WITH RECURSIVE o(entry) AS (
  {_GIVEN}
  UNION SELECT l.entry FROM o CROSS JOIN {_NEWER}
  UNION SELECT l.end FROM o CROSS JOIN {_SAID}
)
"""
_ALL = f"""
WITH o(entry) AS (
  SELECT end FROM links INDEXED BY links_that_replace
  WHERE {RELATIONS} AND relation = 'supersedes' AND end IS NOT NULL
  UNION SELECT entry FROM links INDEXED BY links_that_replace
  WHERE {RELATIONS} AND relation = 'superseded_by' AND end IS NOT NULL
)
"""
_RANK = "CASE {}.trust WHEN 'operator' THEN 0 WHEN 'agent' THEN 1 WHEN 'tool' THEN 2 ELSE 3 END"
_IN_FORCE = (
    f"n.status = '{ACTIVE}' AND n.zone = '{LIVE}'"
    # A superseded entry stands for the one that replaced it.
    f" OR n.status = 'superseded' AND n.zone IN ('{LIVE}', '{ARCHIVE}')"
)
_STEPS = f"""
SELECT p.entry, n.entry,
  {COUNTED} + CASE WHEN p.trust = 'external' OR n.attested = 1 OR n.tier <> 'T2'
    THEN {ATTESTED} ELSE 0 END,
  p.status IN ('{ACTIVE}', 'archived') AND ({_IN_FORCE})
FROM (
  SELECT o.entry AS older, l.entry AS newer FROM o CROSS JOIN {_NEWER}
  UNION SELECT o.entry, l.end FROM o CROSS JOIN {_SAID}
) s CROSS JOIN entries p ON p.entry = s.older CROSS JOIN entries n ON n.entry = s.newer
WHERE s.older <> s.newer AND p.is_primary = 1 AND n.is_primary = 1
  AND n.status IN ('{ACTIVE}', 'superseded', 'archived') AND n.zone IN ('{LIVE}', '{ARCHIVE}')
  AND n.project IN ('', p.project) AND {_RANK.format("n")} <= {_RANK.format("p")}
"""


_CLAIMS = f"""
SELECT s.older, s.newer, s.by, ifnull(k.counts, 0) FROM (
  SELECT o.entry AS older, l.entry AS newer, l.entry AS by FROM o CROSS JOIN {_NEWER}
  UNION SELECT o.entry, l.end, l.entry FROM o CROSS JOIN {_SAID}
) s CROSS JOIN entries p ON p.entry = s.older CROSS JOIN entries n ON n.entry = s.newer
LEFT JOIN successions k ON k.older = s.older AND k.newer = s.newer
WHERE s.older <> s.newer AND p.is_primary = 1 AND n.is_primary = 1
ORDER BY s.older, s.newer, s.by
"""


def list_claims(
    connection: apsw.Connection, entries: Collection[int] | None = None
) -> list[SuccessionClaim]:
    """Return all claims that one entry replaced another, in any form; or the claims on the way
    from some entries to those that replaced them, to those that replaced these, and so on."""
    if entries is None:
        rows = connection.execute(_ALL + _CLAIMS)
    else:
        rows = connection.execute(ONWARD + _CLAIMS, (json.dumps(list(entries)),))
    return [SuccessionClaim(*row) for row in rows]


def list_waiting(connection: apsw.Connection, names: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return claims about names that no entry has, as (entry, relation, name): the entry says that
    it replaced, or was replaced by, one of `names`, which are folded."""
    rows = connection.execute(
        f"SELECT l.entry, l.relation, l.key FROM json_each(?1) k CROSS JOIN links l"
        f" ON l.key = k.value WHERE {RELATIONS} AND l.end IS NULL ORDER BY l.entry, l.place",
        (json.dumps(list(names)),),
    )
    return [(int(entry), str(relation), str(key)) for entry, relation, key in rows]


class Succession:
    """Follows how a batch changes which entry replaced which."""

    __slots__ = ("_about", "_connection", "_ends")

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._about: dict[int, object] = {}
        self._ends: set[int] = set()

    def note(self, entries: Collection[int]) -> None:
        """Keep the standing of some entries, and the entries they name, before they change."""
        if entries:
            given = json.dumps(list(entries))
            self._about = self._read(given)
            self._ends = self._list_ends(given)

    def resolve(
        self, entries: Collection[int], changed: Collection[int], moved: Collection[int]
    ) -> None:
        """Find again which entries are replaced: `entries` of the batch, those in a claim with one
        whose standing has `changed`, and the ends of links that have `moved`."""
        affected = self._ends.union(entries, changed, moved, self._about)
        if self._about:
            now = self._read(json.dumps(list(self._about)))
            changed = {*changed, *(n for n, about in self._about.items() if now.get(n) != about)}
        if changed:
            given = json.dumps(list(changed))
            affected |= self._list_ends(given)
            affected.update(
                entry
                for (entry,) in self._connection.execute(
                    "SELECT entry FROM links INDEXED BY links_that_replace"
                    f" WHERE end IN ({_GIVEN}) AND {RELATIONS}",
                    (given,),
                )
            )
        if affected:
            steps = _read_steps(self._connection, ONWARD + _STEPS, (json.dumps([*affected]),))
            _write(self._connection, steps, affected)

    def _read(self, given: str) -> dict[int, object]:
        rows = self._connection.execute(
            "SELECT entry, status, zone, is_primary, trust, attested, tier, project FROM entries"
            f" WHERE entry IN ({_GIVEN})",
            (given,),
        )
        return {row[0]: row[1:] for row in rows}

    def _list_ends(self, given: str) -> set[int]:
        """Return the entries that the given ones name as successors or predecessors."""
        rows = self._connection.execute(
            f"SELECT end FROM links WHERE entry IN ({_GIVEN}) AND {RELATIONS} AND end IS NOT NULL",
            (given,),
        )
        return {end for (end,) in rows}


def resolve_all(connection: apsw.Connection) -> None:
    """Find all replaced entries, in a file that nobody else sees yet."""
    _write(connection, _read_steps(connection, _ALL + _STEPS, ()), ())


def _read_steps(connection: apsw.Connection, query: str, values: tuple[str, ...]) -> Steps:
    """Return the steps from older to newer entries that count."""
    steps: Steps = {
        (older, newer): (counts, bool(in_force))
        for older, newer, counts, in_force in connection.execute(query, values)
    }
    return _break_circles(steps) if len(steps) > 1 else steps


def _break_circles(steps: Steps) -> Steps:
    """Return the steps without those that are part of a circle, among steps that count alike."""
    left = {step: counts for step, (counts, _) in steps.items()}
    for bit in (COUNTED, ATTESTED):
        onward: dict[int, list[int]] = {}
        for (older, newer), (counts, _) in steps.items():
            if counts & bit:
                onward.setdefault(older, []).append(newer)
        for number, circle in enumerate(find_circles(onward)):
            within = dict.fromkeys(circle, number)
            for older in circle:
                for newer in onward[older]:
                    if newer in within:
                        left[older, newer] &= ~bit
    return {step: (left[step], steps[step][1]) for step in steps if left[step]}


def _write(connection: apsw.Connection, steps: Steps, entries: Iterable[int]) -> None:
    """Store `steps` and the flags of their older entries and of `entries`, and delete their
    former steps."""
    olders = {older for older, _ in steps}.union(entries)
    before = {
        (older, newer): counts
        for older, newer, counts in connection.execute(
            f"SELECT older, newer, counts FROM successions WHERE older IN ({_GIVEN})",
            (json.dumps(list(olders)),),
        )
    }
    gone = [step for step in before if step not in steps]
    connection.executemany("DELETE FROM successions WHERE older = ? AND newer = ?", gone)
    connection.executemany(
        "INSERT INTO successions VALUES(?, ?, ?)"
        " ON CONFLICT(older, newer) DO UPDATE SET counts = excluded.counts",
        [(*step, counts) for step, (counts, _) in steps.items() if before.get(step) != counts],
    )
    replaced = dict.fromkeys(olders, 0)
    for (older, _), (counts, in_force) in steps.items():
        replaced[older] |= counts if in_force else 0
    connection.executemany(
        "UPDATE entries SET replaced = ?2 WHERE entry = ?1 AND replaced <> ?2",
        list(replaced.items()),
    )
