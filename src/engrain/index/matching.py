"""What recall asks of the index: which passages the words, names, tags and keys of a query meet."""

from __future__ import annotations

import json

from engrain.index.rows import ROW, make_conditions, make_row
from engrain.seam.view import Found, Matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from engrain.index.rows import Value
    from engrain.index.text import QueryTerm
    from engrain.seam.rows import Filter, Row
    from engrain.seam.view import Place

_TITLE_WEIGHT = 4.0
"""A word in the title says what the entry is about; in the text it may only be mentioned."""
_TAG_WEIGHT = 2.0
"""A tag was chosen, but for a group of entries and not for this one."""
_BODY_WEIGHT = 1.0
_LEAST_SCORE = 1e-9
"""A match is a match, however common its words."""


def search(
    connection: apsw.Connection, expression: str | None, only: Filter, limit: int
) -> list[Row]:
    """Entries that an FTS5 expression matches, by their best passage; none for no expression."""
    if expression is None or limit <= 0:
        return []
    where, values = make_conditions(only)
    # Ordered by bm25() after the filter, not by FTS5's `rank`: entries filtered out are never
    # scored, and ties are broken within one sort. Half the time on words that most entries have.
    best: dict[int, float] = {}
    for entry, score in connection.execute(
        f"SELECT e.entry, -bm25(texts, {_TITLE_WEIGHT}, {_TAG_WEIGHT}, {_BODY_WEIGHT}) AS score"
        f" {_MATCHING} AND {where} ORDER BY score DESC, e.id",
        [expression, *values],
    ):
        if entry not in best:
            if len(best) == limit:
                break
            best[entry] = score
    found = rows(connection, list(best))
    for entry, row in found.items():
        row.score = max(best[entry], _LEAST_SCORE)
    return [found[entry] for entry in best]


_MATCHING = (
    "FROM texts CROSS JOIN passages p ON p.passage = texts.rowid"
    " CROSS JOIN entries e ON e.entry = p.entry WHERE texts MATCH ?"
)
_PLACE = "p.passage, p.entry, p.thread, p.place, p.asks"


def match(connection: apsw.Connection, terms: list[QueryTerm], only: Filter, most: int) -> Matches:
    """Where each of some words occurs; of a word that is everywhere, its `most` newest passages
    and those that have a rarer word too."""
    where, values = make_conditions(only)
    found = f"SELECT {_PLACE} {_MATCHING} AND {where} ORDER BY texts.rowid DESC LIMIT {most}"
    postings: list[list[Place]] = []
    for term in terms:
        postings.append(connection.execute(found, [term.expression, *values]).fetchall())  # type: ignore[arg-type]  # of the columns' types
    passages, wholes = connection.execute(
        "SELECT (SELECT ifnull(max(passage), 0) FROM passages),"
        " (SELECT ifnull(max(entry), 0) FROM entries) - ifnull(sum(members), 0) + count(*)"
        " FROM threads"
    ).get
    frequencies = [len(places) for places in postings]
    common = [i for i, places in enumerate(postings) if len(places) >= most]
    rare = [term.expression for i, term in enumerate(terms) if i not in common]
    for i in common:
        oldest = postings[i][-1][0]
        # Numbers go up with time, so the oldest that was read tells how dense the word is.
        span = max(1, passages - oldest + 1)
        frequencies[i] = max(most, int(passages * len(postings[i]) / span))
        if rare:
            both = f"({terms[i].expression}) AND ({' OR '.join(rare)})"
            seen = {place[0] for place in postings[i]}
            more = connection.execute(found, [both, *values])
            postings[i] += [place for place in more if place[0] not in seen]
    titled = [
        set() if i in common else _in_titles(connection, term, most) for i, term in enumerate(terms)
    ]
    words = [term.text for term in terms]
    return Matches(words, postings, frequencies, titled, passages, max(wholes, 1))


def _in_titles(connection: apsw.Connection, term: QueryTerm, most: int) -> set[int]:
    """The passages that have a word in their title, heading, slug or tags."""
    found = connection.execute(
        "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?",
        (f"{{title tags}} : ({term.expression})", most),
    )
    return {passage for (passage,) in found}


def at_places(
    connection: apsw.Connection, places: Sequence[tuple[int, int]], only: Filter
) -> list[Place]:
    """The passages at (thread, place) pairs that stand there and pass the filter."""
    where, values = make_conditions(only)
    return _places(
        connection,
        "FROM json_each(?) j CROSS JOIN passages p INDEXED BY passages_by_place"
        " ON p.thread = j.value ->> 0 AND p.place = j.value ->> 1"
        f" CROSS JOIN entries e ON e.entry = p.entry WHERE {where}",
        [json.dumps(places), *values],
    )


def with_keys(connection: apsw.Connection, keys: Sequence[int], only: Filter) -> list[Place]:
    """The passages of some keys that pass the filter."""
    where, values = make_conditions(only)
    return _places(
        connection,
        "FROM json_each(?) j CROSS JOIN passages p INDEXED BY passages_by_key ON p.key = j.value"
        f" CROSS JOIN entries e ON e.entry = p.entry WHERE {where}",
        [json.dumps(keys), *values],
    )


def newest(connection: apsw.Connection, only: Filter, limit: int) -> list[Place]:
    """The first passage of the newest entries that pass the filter."""
    where, values = make_conditions(only)
    return _places(
        connection,
        "FROM entries e CROSS JOIN passages p INDEXED BY passages_by_entry ON p.entry = e.entry"
        f" AND p.start = 0 WHERE {where} ORDER BY e.created DESC, e.id DESC LIMIT ?",
        [*values, limit],
    )


def named(
    connection: apsw.Connection, keys: Sequence[str], only: Filter, limit: int
) -> list[Place]:
    """The first passage of entries that go by one of some names, see `model.links.link_key`, but
    for names by which more than `limit` go."""
    where, values = make_conditions(only)
    return _places(
        connection,
        "FROM json_each(?) j CROSS JOIN names n ON n.key = j.value"
        " CROSS JOIN entries e ON e.entry = n.entry"
        " CROSS JOIN passages p INDEXED BY passages_by_entry ON p.entry = e.entry AND p.start = 0"
        " WHERE (SELECT count(*) FROM (SELECT 1 FROM names m WHERE m.key = j.value LIMIT ?)) <= ?"
        f" AND {where} ORDER BY e.entry DESC",
        [json.dumps(keys), limit + 1, limit, *values],
    )


def tagged(
    connection: apsw.Connection, tags: Sequence[str], only: Filter, limit: int
) -> list[Place]:
    """The first passage of entries that have one of some tags, those that share most first."""
    where, values = make_conditions(only)
    return _places(
        connection,
        "FROM json_each(?) j CROSS JOIN tags t ON t.tag = j.value"
        " CROSS JOIN entries e ON e.entry = t.entry"
        " CROSS JOIN passages p INDEXED BY passages_by_entry ON p.entry = e.entry AND p.start = 0"
        f" WHERE {where} GROUP BY e.entry ORDER BY count(*) DESC, e.entry DESC LIMIT ?",
        [json.dumps(tags), *values, limit],
    )


def speakers(connection: apsw.Connection, names: Sequence[str]) -> list[str]:
    """Those of some casefolded names that are a speaker's."""
    return [
        name
        for (name,) in connection.execute(
            "SELECT value FROM json_each(?) WHERE EXISTS"
            " (SELECT 1 FROM passages WHERE speaker = value AND speaker <> '')",
            [json.dumps(names)],
        )
    ]


def details(connection: apsw.Connection, passages: Sequence[int]) -> dict[int, Found]:
    """Passages by number, with the keys of those before and behind them in their thread."""
    found: dict[int, Found] = {}
    for row in connection.execute(
        "SELECT p.passage, p.entry, p.thread, p.place, p.asks, p.key, p.speaker, p.start, p.end,"
        " p.heading, a.passage, a.key, b.passage, b.key"
        " FROM json_each(?) j CROSS JOIN passages p ON p.passage = j.value"
        " LEFT JOIN passages a ON a.thread = p.thread AND a.place = p.place - 1"
        " LEFT JOIN passages b ON b.thread = p.thread AND b.place = p.place + 1",
        [json.dumps(passages)],
    ):
        found[row[0]] = Found(*row)
    return found


def newest_passages(connection: apsw.Connection, before: int | None, limit: int) -> list[int]:
    """The numbers of the passages indexed last."""
    found = connection.execute(
        "SELECT p.passage FROM passages p CROSS JOIN entries e ON e.entry = p.entry"
        " WHERE p.passage < ifnull(?, 9e18) AND e.is_primary AND e.status <> 'deleted'"
        " ORDER BY p.passage DESC LIMIT ?",
        [before, limit],
    )
    return [passage for (passage,) in found]


def locators(connection: apsw.Connection, passages: Sequence[int]) -> dict[int, str]:
    """The locator of each of some passages."""
    return dict(
        connection.execute(
            "SELECT p.passage, e.locator FROM json_each(?) j"
            " CROSS JOIN passages p ON p.passage = j.value"
            " CROSS JOIN entries e ON e.entry = p.entry",
            [json.dumps(passages)],
        )
    )


def rows(connection: apsw.Connection, entries: Sequence[int]) -> dict[int, Row]:
    """Entries by number."""
    found = connection.execute(
        f"SELECT e.entry, {ROW} FROM json_each(?) j CROSS JOIN entries e ON e.entry = j.value",
        [json.dumps(entries)],
    )
    return {row[0]: make_row(row[1:]) for row in found}


def _places(connection: apsw.Connection, rest: str, values: Sequence[Value]) -> list[Place]:
    found: list[Place] = connection.execute(f"SELECT {_PLACE} {rest}", values).fetchall()  # type: ignore[assignment]  # of the columns' types
    return found
