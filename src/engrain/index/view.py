"""One state of the index, as one connection sees it: what recall and the graph ask (S1.21).

No edge is guessed: it comes from a text, from frontmatter, from a chain of successors or from the
sources of an entry.

Glossary
--------
reference   a reference of an entry to something, as it is written there.
end         the entry that a reference means, None if it is broken. If several entries have the name
            equally, it is ambiguous, and the end is the note that Obsidian would open.
edge        a reference with its end. It holds from `valid_from` to `valid_to`, if these are known.
origin      where the reference stands, see `seam.rows.ORIGINS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from engrain.index import matching
from engrain.index.connection import Queries, guarded
from engrain.index.matching import IS_FIRST, PLACE
from engrain.index.rows import (
    COPIES,
    PAGE,
    Found,
    Keyed,
    Matches,
    Occurrence,
    Place,
    make_conditions,
    make_keys,
    read_rows,
)
from engrain.index.text import storable
from engrain.language.text.folding import tag_key
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.rows import ORIGINS, Edge

if TYPE_CHECKING:
    import apsw

    from engrain.index.rows import Value
    from engrain.index.snapshot import Snapshot
    from engrain.seam.rows import Filter, Row

P = ParamSpec("P")
T = TypeVar("T")

FIGURE = "figure:"
"""The prefix in `meta` of the keys of figures that callers store with `put_figures`."""
_NO_LIMIT = 2**62
_ASKED = (
    "SELECT k.value FROM json_each(?) k UNION SELECT t.tag FROM json_each(?) k CROSS JOIN tags t"
    " ON t.tag > k.value || '/' AND t.tag < k.value || '0'"
)
"""The tags that are asked for, and those below them."""
_TAGGED = 500
"""The most entries examined for one tag."""
_NEIGHBOURS = (
    " LEFT JOIN passages a ON a.passage = (SELECT max(passage) FROM passages"
    "  WHERE thread = p.thread AND place = p.place - 1)"
    " LEFT JOIN passages b ON b.passage = (SELECT min(passage) FROM passages"
    "  WHERE thread = p.thread AND place = p.place + 1)"
)

_KIND = "relation, origin, valid_from, valid_to"
_REAL = f"end <> entry AND entry NOT IN ({COPIES})"
_EDGES = f"SELECT DISTINCT l.entry, l.end, {_KIND} FROM json_each(?1) j CROSS JOIN links l"
# Reading stops after the first `most` (?2) different edges of each entry: the table and the index
# have them in this order already.
_FROM = f"""
{_EDGES} ON l.entry = j.value AND l.place <= ifnull(CASE WHEN ?2 > 0 THEN (
  SELECT min(place) AS first FROM links WHERE entry = j.value AND {_REAL}
  GROUP BY end, {_KIND} ORDER BY first LIMIT 1 OFFSET ?2 - 1
) END, 9e18) WHERE {_REAL}
"""
_TO = f"""
{_EDGES} INDEXED BY links_by_end ON l.end = j.value AND l.entry <= ifnull(CASE WHEN ?2 > 0 THEN (
  SELECT entry FROM (
    SELECT DISTINCT entry, {_KIND} FROM links INDEXED BY links_by_end
    WHERE end = j.value AND {_REAL} ORDER BY entry LIMIT 1 OFFSET ?2 - 1
  )
) END, 9e18) WHERE {_REAL}
"""


class IndexView(Queries):
    """One state of the index, without conflict copies, as `connection` sees it. Methods raise
    IndexUnavailableError."""

    def __init__(
        self,
        find_snapshot: Callable[[apsw.Connection], Snapshot | None],
        connection: apsw.Connection,
    ) -> None:
        self._find_snapshot = find_snapshot
        self._connection = connection

    def ask(
        self, query: Callable[Concatenate[apsw.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        return guarded(query, self._connection, *given, **named)

    def match(self, text: str, only: Filter, most: int, few: int = 0) -> Matches:
        """Return where the words of a person's `text` occur, in the `most` passages with the rarest
        words together, or in all if the words occur at most `few` times; no character is an
        operator. Long passages of the same words count as one, and only few of them are returned.
        For a very frequent word only passages of a rarer word are examined; without a rarer word,
        the newest ones and those with another word as well."""
        snapshot = self.ask(self._find_snapshot)
        return self.ask(matching.match, text, only, most, few, snapshot=snapshot)

    def occurrences(
        self, words: Sequence[str], passages: Sequence[int]
    ) -> dict[int, tuple[int, dict[int, Occurrence]]]:
        """Return for those of the passages that have one of `words` (which are in `Matches.words`)
        the number of words in their text, and the occurrences of `words` by position in that list.
        Each word costs time linear in its passages."""
        return self.ask(matching.occurrences, words, passages)

    def rows(self, entries: Sequence[int]) -> dict[int, Row]:
        """Return entries by number."""
        return self.ask(read_rows, entries)

    def at_places(self, places: Sequence[tuple[int, int]], only: Filter) -> list[Place]:
        """Return the passages at (thread, place) pairs."""
        where, values = make_conditions(only)
        return self._places(
            "FROM json_each(?) place CROSS JOIN passages p INDEXED BY passages_by_place"
            " ON p.thread = place.value ->> 0 AND p.place = place.value ->> 1"
            f" CROSS JOIN entries e ON e.entry = p.entry WHERE {where}",
            [json.dumps(places), *values],
        )

    def with_keys(self, keys: Sequence[int], only: Filter) -> list[Keyed]:
        """Return the passages whose own key is one of `keys`, with key and speaker."""
        where, values = make_conditions(only)
        found: list[Keyed] = self.fetch(
            f"SELECT {PLACE}, p.key, p.speaker FROM json_each(?) j"
            " CROSS JOIN passages p INDEXED BY passages_by_key ON p.key = j.value"
            f" CROSS JOIN entries e ON e.entry = p.entry WHERE {where}",
            [str(list(keys)), *values],
        )
        return found

    def newest(self, only: Filter, limit: int) -> list[Place]:
        """Return the first passages of the entries created last."""
        where, values = make_conditions(only)
        return self._places(
            "FROM entries e CROSS JOIN passages p"
            f" ON {IS_FIRST} WHERE {where} ORDER BY e.created DESC, e.id DESC LIMIT ?",
            [*values, limit],
        )

    def firsts(self, entries: Sequence[int], only: Filter) -> list[Place]:
        """Return the first passages of those entries that pass the filter."""
        where, values = make_conditions(only)
        return self._places(
            "FROM json_each(?) j CROSS JOIN entries e ON e.entry = j.value CROSS JOIN passages p"
            f" ON p.entry = e.entry AND {IS_FIRST} WHERE {where} ORDER BY e.entry",
            [str(list(entries)), *values],
        )

    def named(self, names: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """Return the first passages of entries whose title, slug, id or alias is one of `names`,
        except names that more than `limit` entries share."""
        where, values = make_conditions(only)
        return self._places(
            "FROM json_each(?) k CROSS JOIN names n ON n.key = k.value"
            " CROSS JOIN entries e ON e.entry = n.entry"
            f" CROSS JOIN passages p ON {IS_FIRST}"
            " WHERE (SELECT count(*) FROM"
            " (SELECT 1 FROM names m WHERE m.key = k.value LIMIT ?)) <= ?"
            f" AND {where} ORDER BY e.entry DESC",
            [json.dumps(make_keys(names)), limit + 1, limit, *values],
        )

    def tagged(self, tags: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """Return the first passages of entries with one of `tags`, the most shared tags first."""
        where, values = make_conditions(only)
        asked = json.dumps([storable(tag_key(tag)) for tag in tags])
        for best in (2 * limit, _NO_LIMIT):  # all only if the filter leaves too few of the best
            rows = self.fetch(
                f"SELECT {PLACE}, {where}"
                f" FROM (SELECT entry, count(*) AS shared FROM ({_ASKED}) k CROSS JOIN tags t"
                " ON t.tag = k.value"
                " AND t.entry > ifnull((SELECT entry FROM tags WHERE tag = k.value"
                " ORDER BY entry DESC LIMIT 1 OFFSET ?), 0)"
                " GROUP BY entry ORDER BY shared DESC, entry DESC LIMIT ?) AS t"
                " CROSS JOIN entries e ON e.entry = t.entry CROSS JOIN passages p"
                " INDEXED BY passages_by_entry ON p.entry = e.entry"
                f" AND {IS_FIRST} ORDER BY t.shared DESC, e.entry DESC",
                [*values, asked, asked, _TAGGED, best],
            )
            found: list[Place] = [row[:-1] for row in rows if row[-1]]
            if len(found) >= limit or len(rows) < best:
                break
        return found[:limit]

    def speakers(self, names: Sequence[str]) -> list[str]:
        """Return those of the casefolded names that are names of speakers."""
        return [
            name
            for (name,) in self.fetch(
                "SELECT value FROM json_each(?) k WHERE EXISTS"
                " (SELECT 1 FROM passages WHERE speaker = value AND speaker <> '')",
                [json.dumps(names)],
            )
        ]

    def spoken(self, passages: Sequence[int], speakers: Sequence[str]) -> list[int]:
        """Return those of the passages that one of the casefolded `speakers` said."""
        found = self.fetch(
            "SELECT p.passage FROM json_each(?) j CROSS JOIN passages p ON p.passage = j.value"
            " WHERE p.speaker IN (SELECT value FROM json_each(?) k)",
            [str(list(passages)), json.dumps(speakers)],
        )
        return [passage for (passage,) in found]

    def details(self, passages: Sequence[int], *, alone: bool = False) -> dict[int, Found]:
        """Return passages by number; with `alone`, without their neighbours."""
        beside = "" if alone else ", a.passage, a.key, b.passage, b.key"
        found = self.fetch(
            "SELECT p.passage, p.entry, p.thread, p.place, p.key, p.start, p.end,"
            f" p.heading, p.whole{beside}"
            " FROM json_each(?) j CROSS JOIN passages p ON p.passage = j.value"
            + ("" if alone else _NEIGHBOURS),
            [str(list(passages))],
        )
        return {row[0]: Found(*row) for row in found}

    def newest_passages(self, before: int | None, limit: int) -> list[int]:
        """Return the numbers of the passages indexed last (before the passage `before`, if
        given)."""
        found = self.fetch(
            "SELECT p.passage FROM passages p CROSS JOIN entries e ON e.entry = p.entry"
            " WHERE p.passage < ? AND e.is_primary = 1 AND e.status <> 'deleted'"
            " ORDER BY p.passage DESC LIMIT ?",
            [_NO_LIMIT if before is None else before, limit],
        )
        return [passage for (passage,) in found]

    def locators(self, passages: Sequence[int]) -> dict[int, str]:
        """Return the file of each passage."""
        return dict(
            self.fetch(
                "SELECT p.passage, e.locator FROM json_each(?) j"
                " CROSS JOIN passages p ON p.passage = j.value"
                " CROSS JOIN entries e ON e.entry = p.entry",
                [str(list(passages))],
            )
        )

    def _places(self, rest: str, values: Sequence[Value]) -> list[Place]:
        found: list[Place] = self.fetch(f"SELECT {PLACE} {rest}", values)
        return found

    def number(self, locator: str) -> int | None:
        """Return the number of the entry at a place, None for none."""
        found: int | None = self.value(
            "SELECT entry FROM entries WHERE locator = ?", (storable(locator),)
        )
        return found

    def edges_from(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        """Return the edges that leave some entries, in written order, at most `most` of each entry
        (0 for all), without those to the entry itself."""
        return self._edges(_FROM, 0, entries, most)

    def edges_to(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        """Return the edges that lead to some entries, in the order of the entries they leave, at
        most `most` to each entry (0 for all), without those from the entry itself."""
        return self._edges(_TO, 1, entries, most)

    def _edges(self, query: str, here: int, entries: Sequence[int], most: int) -> list[Edge]:
        """Return the edges that a query selects, at most `most` for each entry in column `here`."""
        counts: dict[int, int] = {}
        found = []
        for row in self.fetch(query, (str(list(entries)), most)):
            counts[row[here]] = counts.get(row[here], 0) + 1
            if not most or counts[row[here]] <= most:
                found.append(_edge(row))
        return found

    def figure(self, key: str) -> float | None:
        """Return a figure that `SearchIndex.put_figures` stored, None for none."""
        found: float | None = self.value("SELECT value FROM meta WHERE key = ?", (FIGURE + key,))
        return found

    def edges(self) -> Iterator[Edge]:
        """Yield every edge, in the order of the entries they leave."""
        after = (-1, -1)
        seen: set[tuple[object, ...]] = set()  # of the entry whose links are read
        while rows := self.fetch(
            "SELECT entry, place, entry, end, relation, origin, valid_from, valid_to FROM links"
            f" WHERE (entry, place) > (?, ?) AND end <> entry AND entry NOT IN ({COPIES})"
            " ORDER BY entry, place LIMIT ?",
            (*after, PAGE),
        ):
            for row in rows:
                if row[0] != after[0]:
                    seen.clear()
                after = row[:2]
                if row[2:] not in seen:
                    seen.add(row[2:])
                    yield _edge(row[2:])

    def names(self) -> Iterator[tuple[str, int]]:
        """Yield every name of a live, active entry in links, in order, as (name folded by
        `name_key`, entry)."""
        after = ("", -1)
        while found := self.fetch(
            "SELECT n.key, n.entry FROM names n CROSS JOIN entries e ON e.entry = n.entry"
            " WHERE (n.key, n.entry) > (?, ?) AND e.is_primary = 1 AND e.zone = ? AND e.status = ?"
            " ORDER BY n.key, n.entry LIMIT ?",
            (*after, LIVE, ACTIVE, PAGE),
        ):
            yield from found
            after = found[-1]


def _edge(row: tuple[Any, ...]) -> Edge:
    """Make an edge from its columns."""
    source, target, relation, origin, valid_from, valid_to = row
    return Edge(source, target, relation, ORIGINS[origin], valid_from, valid_to)
