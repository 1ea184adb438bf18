"""SQL of the SQLite index in PostgreSQL's words.

What both understand is left as it is. Parameters get names, so that one may stand twice; lists,
which come as JSON, become arrays: of numbers, of texts where the list is called `k`, of pairs
where it is called `pair` (of texts) or `place` (of numbers).
"""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.index import graph, succession

_LITERAL = re.compile(r"('[^']*')")
_PARAMETER = re.compile(r"json_each\(\?(\d*)\)(?: (j|k|pair|place)\b)?|\?(\d*)")
_LISTS = {
    "j": "unnest(%(p{0})s::bigint[]) AS j(value)",
    "k": "unnest(%(p{0})s::text[]) AS k(value)",
    "pair": "jsonb_array_elements(%(p{0})s::jsonb) AS pair(value)",
    "place": "jsonb_array_elements(%(p{0})s::jsonb) AS place(value)",
}
_WORDS = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"CROSS JOIN (\w+(?: [a-z]\w*)?)(?:\s+INDEXED BY \w+)?(\s+ON)\b", r"JOIN \1\2"),
        (r"(\w+) INDEXED BY \w+", r"\1"),
        (r"(?<![\w\"])end\b", '"end"'),
        (r"\bifnull\(", "coalesce("),
        (r"\bIN \(\)", "IN (NULL)"),
        (r"ON CONFLICT\(", "ON CONFLICT(namespace, "),
        (r"json_group_array\((\w+)\)", r"coalesce(json_agg(\1), '[]')::text"),
        (r"created DESC", "created DESC NULLS LAST"),
        (r"place\.value ->> (\d)", r"(place.value ->> \1)::bigint"),
        # The table is there already; what a transaction puts into it, it removes.
        (r"(?s)CREATE TEMP TABLE.*", ""),
    )
]
_REAL = 'n."end" <> n.entry AND n.entry NOT IN (SELECT entry FROM entries WHERE is_primary = 0)'
_EDGE = 'n.entry, n."end", n.relation, n.origin, n.valid_from, n.valid_to'
# In PostgreSQL no order is kept that is not asked for.
_EDGES = f"""
SELECT {_EDGE} FROM unnest(%(p1)s::bigint[]) WITH ORDINALITY AS j(value, at)
CROSS JOIN LATERAL (
  SELECT {_EDGE}, min(n.place) AS first FROM links n WHERE n.{{here}} = j.value AND {_REAL}
  GROUP BY {_EDGE} ORDER BY {{order}} LIMIT nullif(%(p2)s, 0)
) n ORDER BY j.at, {{order}}
"""
_ONWARD = f"""
WITH RECURSIVE o(entry) AS (
  SELECT value FROM json_each(?1)
  UNION SELECT s.entry FROM o CROSS JOIN LATERAL (
    SELECT l.entry FROM links l
    WHERE l.end = o.entry AND l.{succession.RELATIONS} AND l.relation = 'supersedes'
    UNION ALL SELECT l.end FROM links l
    WHERE l.entry = o.entry AND l.relation = 'superseded_by' AND l.end IS NOT NULL
  ) s
)
"""
_OWN = {
    graph.FROM: (_EDGES.format(here="entry", order="first"), frozenset(("p1",))),
    graph.TO: (_EDGES.format(here='"end"', order="n.entry, first"), frozenset(("p1",))),
}
"""Statements that are put another way as a whole, with their parameters that are lists."""


@lru_cache(1024)
def translate(sql: str) -> tuple[str, frozenset[str]]:
    """A statement for psycopg, with the names of the parameters that are lists: the n-th value that
    is given goes by `pN`."""
    if sql in _OWN:
        return _OWN[sql]
    lists: set[str] = set()
    count = 0

    def name(found: re.Match[str]) -> str:
        nonlocal count
        given = found[1] or found[3]
        count += 1
        number = given or count
        if not found[0].startswith("json_each"):
            return f"%(p{number})s"
        kind = found[2] or "j"
        if kind in ("j", "k"):
            lists.add(f"p{number}")
        return _LISTS[kind].format(number)

    parts = _LITERAL.split(sql.replace(succession.ONWARD, _ONWARD).replace("%", "%%"))
    parts[::2] = [_PARAMETER.sub(name, part) for part in parts[::2]]
    for pattern, replacement in _WORDS:
        parts[::2] = [pattern.sub(replacement, part) for part in parts[::2]]
    return "".join(parts), frozenset(lists)
