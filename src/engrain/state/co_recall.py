"""Which entries were recalled together on this device, by the sessions that hit them.

Nothing is kept for it: the hits of sessions say it all, so it is as old as they are, and what is
forgotten of an entry is forgotten here too.
"""

from __future__ import annotations

from collections.abc import Callable

import apsw

from engrain.seam.local_state import CoRecall

MOST_TOGETHER = 64
"""Entries beyond which a session says of no two of them that they belong together."""

# A session with n entries gives each pair 1/(n - 1), so that each entry has one part of it to give
# (Newman 2001, of papers by many authors).
_WITH = """
SELECT b.entry, sum(1.0 / (s.size - 1)) AS weight, count(*) FROM (
  SELECT ordinal, (SELECT count(*) FROM hits h WHERE h.ordinal = a.ordinal) AS size
  FROM hits a WHERE a.entry = ?1
) AS s CROSS JOIN hits b ON b.ordinal = s.ordinal
WHERE s.size BETWEEN 2 AND ?2 AND b.entry <> ?1
GROUP BY b.entry ORDER BY weight DESC, b.entry LIMIT ?3
"""


def list_recalled_with(run: Callable[..., apsw.Cursor], entry: str, most: int) -> list[CoRecall]:
    """The entries recalled together with one, the strongest ties first."""
    return [CoRecall(entry, *row) for row in run(_WITH, (entry, MOST_TOGETHER, most))]
