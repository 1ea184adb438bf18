"""The queries of recall: the passages that the words, names, tags and keys of a question match."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from math import inf, log
from typing import TYPE_CHECKING, Any, TypeAlias

import apsw

from engrain.index.connection import LOCATE
from engrain.index.english import find_surprises
from engrain.index.rows import Matches, Occurrence, make_conditions, read_rows
from engrain.index.text import (
    QueryTerm,
    find_function_words,
    find_spelled,
    match_expression,
    query_terms,
)

if TYPE_CHECKING:
    from engrain.index.rows import Value
    from engrain.index.snapshot import Snapshot
    from engrain.seam.rows import Filter, Row


_Row: TypeAlias = "tuple[int, int, int | None, int, int, int, int, int, int]"
"""A place with the bits of its words and the hash of its text."""
_Head: TypeAlias = "tuple[int, int, str]"
"""The count, the oldest and the list of a word's passages, from `_read_newest`."""

TITLE_WEIGHT = 4.0
"""A word in the title says what the entry is about; in the text it may only be mentioned."""
TAG_WEIGHT = 2.0
"""A tag is chosen by somebody, but for a group of entries rather than for this one."""
BODY_WEIGHT = 1.0
_LEAST_SCORE = 1e-9
"""The least score of an entry that matches, however common its words."""


def search(connection: apsw.Connection, text: str, only: Filter, limit: int) -> list[Row]:
    """Return entries with words of `text`, by their best passage; none if it has no word."""
    expression = match_expression(text)
    if expression is None or limit <= 0:
        return []
    where, values = make_conditions(only)
    # Sorted by bm25() after the filter, not by FTS5's `rank`: excluded entries are not scored, and
    # one sort also breaks ties. This takes half the time for words that most entries have.
    scored = connection.execute(
        f"SELECT e.entry, -bm25(texts, {TITLE_WEIGHT}, {TAG_WEIGHT}, {BODY_WEIGHT}) AS score"
        f" {_MATCHING} AND {where} ORDER BY score DESC, e.id",
        [expression, *values],
    )
    return _give_best(connection, scored, limit)


def _give_best(
    connection: apsw.Connection, scored: Iterable[tuple[Any, ...]], limit: int
) -> list[Row]:
    """Return the first `limit` entries of (entry, score) pairs, each with its first score."""
    best: dict[int, float] = {}
    for entry, score in scored:
        if entry not in best:
            if len(best) == limit:
                break
            best[entry] = score
    found = read_rows(connection, list(best))
    for entry, row in found.items():
        row.score = max(best[entry], _LEAST_SCORE)
    return [found[entry] for entry in best]


_MATCHING = (
    "FROM texts CROSS JOIN passages p ON p.passage = texts.rowid"
    " CROSS JOIN entries e ON e.entry = p.entry WHERE texts MATCH ?"
)
IS_FIRST = "p.passage = (SELECT min(passage) FROM passages WHERE entry = e.entry)"
PLACE = "p.passage, p.entry, p.thread, p.place, p.asks, p.end - p.start, p.whole"


def _select_passages(
    terms: Sequence[QueryTerm],
    also: Sequence[QueryTerm] = (),
    before: int | None = None,
    most: int | None = None,
) -> tuple[str, list[Value]]:
    """Return SQL for the passages with one of `terms`, and with one of `also` if given: only those
    with numbers below `before`, and only the newest `most`."""
    expression = _any_of(terms)
    values: list[Value] = [f"({expression}) AND ({_any_of(also)})" if also else expression]
    query = "SELECT rowid AS passage FROM texts WHERE texts MATCH ?"
    for clause, value in ((" AND rowid < ?", before), (" ORDER BY rowid DESC LIMIT ?", most)):
        if value is not None:
            query += clause
            values.append(value)
    return query, values


def _any_of(terms: Sequence[QueryTerm]) -> str:
    return " OR ".join(term.expression for term in terms)


def match(
    connection: apsw.Connection,
    text: str,
    only: Filter,
    most: int,
    few: int = 0,
    snapshot: Snapshot | None = None,
) -> Matches:
    """Return where each word of `text` occurs, in the `most` passages whose words are the rarest
    together, or in all passages if the words occur at most `few` times.

    The words of each passage number are added up first, which costs a sixth of reading passages.
    A word that is everywhere counts for passages that a rarer word found, but finds none itself:
    two such words cost more than all others together. Passages with the same words count as one,
    and at most `_COPIES` are returned: copying a note makes its words no more common. A `snapshot`
    of this state of the index saves reading the same places again.
    """
    terms = query_terms(text)
    passages, newest = _totals(connection)
    heads = _read_newest(connection, terms)
    terms, heads = _respell(connection, terms, heads)
    frequencies = [
        # Numbers rise with time, so the oldest counted passage shows how frequent the word is.
        count if count < _COUNTED else int(passages * count / max(1, newest - oldest + 1))
        for count, oldest, _ in heads
    ]
    counts = [count for count, _, _ in heads]
    most = max(most, few) if sum(counts) <= few else most
    leading = _choose_leading(counts, frequencies)
    signs = [
        # The upper digits say how rare the word is, the lower which word: one sum adds both.
        (int(_RARITY_UNIT * log(1 + passages / max(1, frequency))) << _WORDS) + (1 << i)
        for i, frequency in enumerate(frequencies)
    ]

    def read(leading: Sequence[int]) -> Sequence[_Row]:
        sums = _add_signs(connection, terms, signs, heads, leading)
        return _richest(connection, sums, only, most, snapshot)

    rows = read(leading)
    if not rows and (others := _least(set(range(len(terms))) - set(leading), counts, frequencies)):
        # The filter excludes every passage with a rare word, so the frequent ones have to do.
        rows = read(others)
    met = _count_words(rows, len(terms))
    if len(rows) < most:
        frequencies = [
            found if count < _COUNTED else max(found, frequency)
            for found, frequency, count in zip(met, frequencies, counts, strict=True)
        ]
    if copies := _find_copies(rows):
        more = _count_copies(rows, copies, len(terms))
        frequencies = [
            round(frequency * (found - copied) / max(1, found))
            for found, copied, frequency in zip(met, more, frequencies, strict=True)
        ]
        rows = _drop_copies(rows, copies)
    words = [term.text for term in terms]
    surprises = find_surprises(words)
    foreign = False
    if not all(counts):
        surprises, foreign = _weigh_foreign(text, words, surprises, counts, passages)
    return Matches(words, rows, frequencies, surprises, passages, foreign)


_FOREIGN = 0.6
"""The most surprise of a word that the vault lacks, in a query in another language than the vault:
that it is lacking does not say that what is meant is."""
_PLAIN = 0.05
"""The surprise of a function word, as of the plainest English ones."""
_WRITTEN = 0.05
"""The share of passages of a vault in a language that have one of its function words at least."""
_BEYOND_LATIN = "\u0370"


def _weigh_foreign(
    text: str, words: Sequence[str], surprises: list[float], counts: Sequence[int], passages: int
) -> tuple[list[float], bool]:
    """Return the surprises of a query's words, and whether the vault is in another language than
    the query: then what it lacks counts little. Function words other than English ones are plain.
    """
    functions = find_function_words(text)
    plain = [word.casefold() in functions for word in words]
    spoken = [count for count, one in zip(counts, plain, strict=True) if one]
    others = [count for word, count in zip(words, counts, strict=True) if word > _BEYOND_LATIN]
    foreign = max(spoken) < _WRITTEN * passages if spoken else len(others) > 1 and not any(others)
    most = [_PLAIN if one else _FOREIGN if foreign and not count else inf
            for one, count in zip(plain, counts, strict=True)]  # fmt: skip
    return list(map(min, surprises, most)), foreign


_COUNTED = 2000
"""A word in this many passages is everywhere: their number is estimated, not counted."""
_LED = 4000
"""The most further passages examined for such a word, each with another word as well."""
_WORDS = 24
_RARITY_UNIT = 1000
_COPIES = 3
"""The most passages with the same words in a result."""


_RESPELT = 3
"""The most words of a query that are looked for in another spelling."""
_UNKNOWN = 2.0
"""The surprise from which a word is none of English, and so may be misspelt."""


def _respell(
    connection: apsw.Connection, terms: list[QueryTerm], heads: Sequence[_Head]
) -> tuple[list[QueryTerm], Sequence[_Head]]:
    """Replace words that neither the vault nor English has by the nearest of the vault."""
    absent = [i for i, head in enumerate(heads) if not head[0]]
    if not absent:
        return terms, heads
    surprises = zip(absent, find_surprises([terms[i].text for i in absent]), strict=True)
    lacking = [i for i, surprise in surprises if surprise >= _UNKNOWN]
    found = {i: find_spelled(connection, terms[i].text) for i in lacking[:_RESPELT]}
    meant = {i: QueryTerm(word) for i, word in found.items() if word}
    if not meant:
        return terms, heads
    read = dict(zip(meant, _read_newest(connection, list(meant.values())), strict=True))
    return (
        [meant.get(i, term) for i, term in enumerate(terms)],
        [read.get(i, head) for i, head in enumerate(heads)],
    )


def _add_signs(
    connection: apsw.Connection,
    terms: Sequence[QueryTerm],
    signs: Sequence[int],
    heads: Sequence[_Head],
    leading: Sequence[int],
) -> dict[int, int]:
    """Return the passages with a word of `leading`, each with the sum of its words' signs."""
    led = [terms[i] for i in leading]
    # FTS5 walks a list forwards in half the time, if it need not find the newest `_LED`.
    found_by = [heads[i][0] for i in leading]
    most = _LED if max(found_by, default=0) == _COUNTED or sum(found_by) > _LED else None
    lists: list[tuple[int, str]] = []
    further = []  # queries for passages that are not in `heads`
    for i, (term, (count, oldest, listed)) in enumerate(zip(terms, heads, strict=True)):
        if i in leading:
            lists.append((i, listed))
            others = [one for one in terms if one.expression != term.expression]
            if count >= _COUNTED and others:
                further.append((i, _select_passages([term], others, oldest, _LED)))
        elif count:
            further.append((i, _select_passages([term], led, None, most)))
    if further:
        query = " UNION ALL ".join([_LIST.format("", query) for _, (query, _) in further])
        values = [value for _, (_, given) in further for value in given]
        found = connection.execute(query, values)
        lists += [(i, listed) for (i, _), (listed,) in zip(further, found, strict=True)]
    # Adding up in Python takes half the time of grouping and sorting in SQLite.
    sums: dict[int, int] = {}
    for i, listed in lists:
        sign = signs[i]
        for passage in json.loads(listed):
            sums[passage] = sums.get(passage, 0) + sign
    return sums


def _count_words(rows: Sequence[_Row], words: int) -> list[int]:
    """Count the passages with each word."""
    alike: dict[int, int] = {}  # a few words have few combinations
    for row in rows:
        alike[row[7]] = alike.get(row[7], 0) + 1
    return [sum(n for bits, n in alike.items() if bits >> i & 1) for i in range(words)]


def _find_copies(rows: Sequence[_Row]) -> dict[int, int]:
    """Return the number of passages of each text that several share, by its hash."""
    met: dict[int, int] = {}
    for row in rows:
        if twin := row[8]:
            met[twin] = met.get(twin, 0) + 1
    return {twin: count for twin, count in met.items() if count > 1}


def _count_copies(rows: Sequence[_Row], copies: Collection[int], words: int) -> list[int]:
    """Count, for each word, the passages with it that are copies of another."""
    copied = [(row[7], row[8]) for row in rows if row[8] in copies]
    alike = [[twin for bits, twin in copied if bits >> i & 1] for i in range(words)]
    return [len(twins) - len(set(twins)) for twins in alike]


def _drop_copies(rows: Sequence[_Row], copies: Mapping[int, int]) -> Sequence[_Row]:
    """Return the passages with only the oldest `_COPIES` of each text."""
    crowds = {twin: count - _COPIES for twin, count in copies.items() if count > _COPIES}
    dropped = set()
    for passage, twin in sorted([(r[0], r[8]) for r in rows if r[8] in crowds], reverse=True):
        if crowds[twin] > 0:
            crowds[twin] -= 1
            dropped.add(passage)
    return [row for row in rows if row[0] not in dropped] if dropped else rows


def _count_kept(texts: Iterable[int]) -> int:
    """Count the passages with these texts that `_drop_copies` would leave."""
    met: dict[int, int] = {}
    for text in texts:
        met[text] = met.get(text, 0) + 1
    return met.pop(0, 0) + sum([min(count, _COPIES) for count in met.values()])


def _choose_leading(counts: Sequence[int], frequencies: Sequence[int]) -> list[int]:
    """Return the words whose passages are candidates, while the others only add to their scores:
    those that are not everywhere, else the two least frequent."""
    rare = [i for i, count in enumerate(counts) if 0 < count < _COUNTED]
    return rare or _least(range(len(counts)), counts, frequencies)


def _least(among: Iterable[int], counts: Sequence[int], frequencies: Sequence[int]) -> list[int]:
    """Return the two least frequent words of those that occur at all."""
    return sorted((i for i in among if counts[i]), key=lambda i: frequencies[i])[:2]


def _totals(connection: apsw.Connection) -> tuple[int, int]:
    """Return the number of passages, and the number of the newest one."""
    passages, newest = connection.execute(
        "SELECT (SELECT value FROM meta WHERE key = 'passages'),"
        " (SELECT max(passage) FROM passages)"
    ).get
    return max(1, int(passages or 0)), newest or 0


def _read_newest(connection: apsw.Connection, terms: Sequence[QueryTerm]) -> Sequence[_Head]:
    """Return for each term the number of its newest passages, at most `_COUNTED`, the oldest of
    these, and all of these as JSON."""
    if not terms:
        return []
    asked = [_select_passages([term], (), None, _COUNTED) for term in terms]
    query = " UNION ALL ".join(
        [_LIST.format("count(*), ifnull(min(passage), 0), ", query) for query, _ in asked]
    )
    values = [value for _, given in asked for value in given]
    return connection.execute(query, values).fetchall()  # type: ignore[return-value]  # of the columns' types


_LIST = "SELECT {}json_group_array(passage) FROM ({})"


def _richest(
    connection: apsw.Connection,
    sums: Mapping[int, int],
    only: Filter,
    most: int,
    snapshot: Snapshot | None,
) -> Sequence[_Row]:
    """Return the places with the greatest sums of signs that pass the filter."""
    order = _order(sums, most)
    if len(sums) <= most:
        return _read_places(connection, order, sums, only, snapshot)
    # The filter can only leave fewer texts, so if these are few, no place needs to be read.
    texts: dict[int, int] = dict(connection.execute(_TEXTS, (str(sorted(order)),)))
    if _count_kept(texts.values()) > most // 2:
        rows = _read_places(connection, order, sums, only, snapshot)
        if len(rows) == most:
            return rows
    # The filter leaves too few of the best, or most are copies: take one for each text.
    return _read_oldest(connection, sums, only, most, texts)


def _order(sums: Mapping[int, int], most: int) -> list[int]:
    """Return the `most` passages with the greatest sums, the newest of equal ones first."""
    least = 0
    if len(sums) > most:
        least = nlargest(most, sums.values())[-1]
    order = sorted([passage for passage, sum_ in sums.items() if sum_ >= least], reverse=True)
    order.sort(key=sums.__getitem__, reverse=True)
    return order[:most]


_READ_PLACES = (
    f"SELECT {PLACE}, p.twin FROM json_each(?) j CROSS JOIN passages p ON p.passage = j.value"
    " CROSS JOIN entries e ON e.entry = p.entry WHERE {}"
)


def _read_places(
    connection: apsw.Connection,
    order: Sequence[int],
    sums: Mapping[int, int],
    only: Filter,
    snapshot: Snapshot | None = None,
) -> list[_Row]:
    """Return the places of the passages that pass the filter, with their words, in that order."""
    bits = (1 << _WORDS) - 1
    if snapshot and (admitted := snapshot.admitted(connection, only)) is not None:
        heads = snapshot.heads(connection, order)
        now = -inf if only.lasting is None else only.lasting
        return [
            (passage, *head[:6], sums[passage] & bits, head[6])
            for passage in order
            if (head := heads.get(passage)) and admitted.get(head[0], -inf) > now
        ]
    where, conditions = make_conditions(only)
    numbers = str(sorted(order))  # neighbours lie on one page
    rows = connection.execute(_READ_PLACES.format(where), (numbers, *conditions))
    found: dict[int, _Row] = {
        passage: (passage, entry, thread, place, asks, size, whole, sums[passage] & bits, twin)
        for passage, entry, thread, place, asks, size, whole, twin in rows
    }
    return [found[passage] for passage in order if passage in found]


def _read_oldest(
    connection: apsw.Connection,
    sums: Mapping[int, int],
    only: Filter,
    most: int,
    texts: dict[int, int],
) -> list[_Row]:
    """Return the places of the `most` texts with the greatest sums: for each, the oldest passage
    that passes the filter. `texts` has the texts of passages that were read, and gets more.

    Entries lie on many pages, so only entries whose text may be among the best are read.
    """
    order = _order(sums, len(sums))
    known: set[int] = set()  # texts
    kept: list[_Row] = []

    def rank(passage: int) -> tuple[int, int]:
        return sums[passage], passage

    for start in range(0, len(order), most):
        if len(kept) >= most and rank(kept[most - 1][0]) > rank(order[start]):
            break
        members = _read_texts(connection, order[start : start + most], known, sums, texts)
        known.update(members)
        firsts = list(map(min, members.values()))
        text_of = {passage: text for text, passages in members.items() for passage in passages}
        rows = _read_places(connection, firsts, sums, only)
        met = {text_of[row[0]] for row in rows}
        others = [one for text, passages in members.items() if text not in met for one in passages]
        if others:
            newest_first = sorted(_read_places(connection, others, sums, only), reverse=True)
            rows += {text_of[row[0]]: row for row in newest_first}.values()
        kept += rows
        kept.sort(key=lambda row: rank(row[0]), reverse=True)
    return kept[:most]


def _read_texts(
    connection: apsw.Connection,
    passages: Sequence[int],
    known: Collection[int],
    sums: Mapping[int, int],
    texts: dict[int, int],
) -> dict[int, list[int]]:
    """Return the texts of some passages except `known` ones, each with all its passages that are in
    `sums`; note in `texts` which text each of these has."""
    if unread := [passage for passage in passages if passage not in texts]:
        texts.update(connection.execute(_TEXTS, (str(sorted(unread)),)))
    members = {-passage: [passage] for passage in passages if texts.get(passage) == 0}
    new = {texts.get(passage, 0) for passage in passages}.difference(known, (0,))
    for passage, text in connection.execute(_TWINS, (str(list(new)),)):
        if passage in sums:
            texts[passage] = text
            members.setdefault(text, []).append(passage)
    return members


_TEXTS = "SELECT p.passage, p.twin FROM json_each(?) j CROSS JOIN passages p ON p.passage = j.value"
_TWINS = (
    "SELECT p.passage, p.twin FROM json_each(?) j CROSS JOIN passages p INDEXED BY passages_by_twin"
    " ON p.twin = j.value AND p.twin <> 0"
)


def occurrences(
    connection: apsw.Connection, words: Sequence[str], passages: Sequence[int]
) -> dict[int, tuple[int, dict[int, Occurrence]]]:
    """Return where words stand in some passages; see `IndexView.occurrences`."""
    if not words:
        return {}
    terms = [QueryTerm(word) for word in words]
    phrases = [i for i, term in enumerate(terms) for _ in term.forms]
    expression = " OR ".join(term.expression for term in terms)
    located: dict[int, tuple[int, dict[int, Occurrence]]] = {}
    # The + keeps SQLite from starting the search anew for each passage.
    connection.execute(
        f"SELECT {LOCATE}(texts, ?) FROM texts"
        " WHERE texts MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
        (apsw.pyobject((phrases, located)), expression, str(list(passages))),
    ).fetchall()
    return located
