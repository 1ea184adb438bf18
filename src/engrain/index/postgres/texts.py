"""Full text in PostgreSQL, with the same words and scores as FTS5.

A posting says how often a word stands in each part of a passage. Postings are found by their key,
newest first: row-level security prevents the use of a GIN index of `tsvector`, since `@@` is no
leakproof operator. The positions of words come from the stored words of a passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import apsw

from engrain.index import matching
from engrain.index.postgres.session import Rows, Session
from engrain.index.rows import Value, make_conditions
from engrain.index.tables import ADD_TEXTS, DROP_TEXTS
from engrain.index.text import QueryTerm, is_beginning, query_terms, storable
from engrain.seam.rows import Filter, Row
from engrain.seam.view import Matches, Occurrence

TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* M* Co")
_PART = "\x1f"
_LAST = "\U0010ffff"
_LONGEST = 200
"""The most characters kept of a word: an index of PostgreSQL takes no endless keys."""
_AT_ONCE = 20_000
"""The most postings that one statement adds."""


class _Tokenizer:
    """The tokenizer of FTS5, for one call at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection = apsw.Connection(":memory:")
        self._split = self._connection.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))

    def __call__(self, text: str, reason: int = apsw.FTS5_TOKENIZE_DOCUMENT) -> list[str]:
        with self._lock:
            found = self._split(
                storable(text).encode(),
                reason,
                None,
                include_offsets=False,
                include_colocated=False,
            )
        return [str(word)[:_LONGEST] for word in found]


_tokenizers: list[_Tokenizer] = []


def words_of(text: str) -> list[str]:
    """Return the words of a text as FTS5 stores them."""
    if not _tokenizers:
        _tokenizers.append(_Tokenizer())
    return _tokenizers[0](text)


class TextSession(Session):
    """A transaction that also runs the statements for the texts of passages."""

    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> Rows:
        own = {ADD_TEXTS: _add_texts, DROP_TEXTS: _drop_texts}.get(sql)
        if own is None:
            return super().executemany(sql, values)
        own(self, list(values))
        return Rows()


def _add_texts(session: Session, rows: Iterable[Sequence[Any]]) -> None:
    """Insert (passage, title, tags, body) rows."""
    texts, postings, total = [], [], 0
    for passage, *columns in rows:
        parts = [words_of(column) for column in columns]
        size = sum(map(len, parts))
        total += size
        texts.append((passage, _PART.join(f" {' '.join(part)} " for part in parts), size))
        counts: dict[str, list[int]] = {}
        for at, part in enumerate(parts):
            for word in part:
                counts.setdefault(word, [0, 0, 0])[at] += 1
        postings += [(word, passage, *count) for word, count in counts.items()]
    session.insert("texts", texts)
    postings.sort()
    for start in range(0, len(postings), _AT_ONCE):
        session.insert("postings", postings[start : start + _AT_ONCE])
    _count_words(session, total)


def _drop_texts(session: Session, passages: Iterable[Sequence[Any]]) -> None:
    """Remove the texts of some passages."""
    gone = session.run(
        "DELETE FROM texts WHERE passage = ANY(%(p1)s) RETURNING passage, words, size",
        {"p1": [passage for (passage,) in passages]},
    )
    pairs = [
        (word, passage)
        for passage, words, _ in gone
        for word in {*words.replace(_PART, " ").split()}
    ]
    if pairs:
        session.run(
            "DELETE FROM postings p"
            " USING unnest(%(p1)s::text[], %(p2)s::bigint[]) AS g(word, passage)"
            " WHERE p.word = g.word AND p.passage = g.passage",
            {"p1": [word for word, _ in pairs], "p2": [passage for _, passage in pairs]},
        )
    _count_words(session, -sum(size for *_, size in gone))


def _count_words(session: Session, more: int) -> None:
    if more:
        session.insert(
            "meta",
            [("words", more)],
            " ON CONFLICT(namespace, key) DO UPDATE SET value = meta.value + excluded.value",
        )


class _Phrase:
    """The indexed words of one form of a word, which follow each other, or a word's beginning."""

    def __init__(self, form: str) -> None:
        self.words = words_of(form)
        self.begins = is_beginning(form)

    @property
    def is_word(self) -> bool:
        return len(self.words) == 1 and not self.begins


def _phrases(terms: Iterable[QueryTerm]) -> list[_Phrase]:
    found = [_Phrase(form) for term in terms for form in term.forms]
    return [phrase for phrase in found if phrase.words]


def _query(phrases: Sequence[_Phrase]) -> tuple[str, list[Value]]:
    """Return SQL for the passages with one of some phrases, each once."""
    words = [*{phrase.words[0]: None for phrase in phrases if phrase.is_word}]
    arms: list[str] = []
    values: list[Value] = []
    if words:
        distinct = "DISTINCT " if len(words) > 1 else ""
        marks = ", ".join("?" * len(words))
        arms.append(f"SELECT {distinct}passage FROM postings WHERE word IN ({marks})")
        values += words
    for phrase in phrases:
        if phrase.begins:
            arms.append("SELECT DISTINCT passage FROM postings WHERE word >= ? AND word < ?")
            values += [phrase.words[0], phrase.words[0] + _LAST]
        elif len(phrase.words) > 1:
            arms.append(
                "SELECT passage FROM postings JOIN texts USING (passage)"
                " WHERE word = ? AND strpos(words, ?) > 0"
            )
            values += [phrase.words[0], f" {' '.join(phrase.words)} "]
    return " UNION ".join(arms) or "SELECT passage FROM postings WHERE false", values


def select_passages(
    terms: Sequence[QueryTerm],
    also: Sequence[QueryTerm] = (),
    before: int | None = None,
    most: int | None = None,
) -> tuple[str, list[Value]]:
    """Return SQL as `matching.select_passages` does, for postings."""
    query, values = _query(_phrases(terms))
    clauses = []
    if also:
        others, more = _query(_phrases(also))
        clauses.append(f"passage IN ({others})")
        values += more
    if before is not None:
        clauses.append("passage < ?")
        values.append(before)
    if clauses:
        query = f"SELECT passage FROM ({query}) WHERE {' AND '.join(clauses)}"
    if most is not None:
        query = f"SELECT passage FROM ({query}) ORDER BY passage DESC LIMIT ?"
        values.append(most)
    return query, values


def match(connection: apsw.Connection, text: str, only: Filter, most: int, few: int = 0) -> Matches:
    return matching.match(connection, text, only, most, few, select_passages)


_WEIGHTS = (matching.TITLE_WEIGHT, matching.TAG_WEIGHT, matching.BODY_WEIGHT)
_WEIGHED = "{} * title + {} * tags + {} * body".format(*_WEIGHTS)
_TIMES = "(length({0}) - length(replace({0}, ?, ' '))) / (length(?) - 1)"
# BM25 with the formula and the constants of FTS5.
_SCORED = """
WITH hits AS ({hits}),
  known AS (SELECT phrase, count(*)::double precision AS n FROM hits GROUP BY phrase),
  held AS (
    SELECT greatest(1, max(value) FILTER (WHERE key = 'passages')) AS passages,
      greatest(1, max(value) FILTER (WHERE key = 'words')) AS words
    FROM meta WHERE key IN ('passages', 'words')
  ),
  scored AS (
    SELECT h.passage, sum(
      CASE WHEN 2 * k.n < d.passages THEN ln((d.passages - k.n + .5) / (k.n + .5)) ELSE 1e-6 END
      * h.freq * 2.2 / (h.freq + 1.2 * (.25 + .75 * t.size * d.passages / d.words))
    ) AS score
    FROM hits h JOIN known k USING (phrase) CROSS JOIN held d JOIN texts t USING (passage)
    GROUP BY h.passage
  )
SELECT e.entry, s.score FROM scored s JOIN passages p ON p.passage = s.passage
  JOIN entries e ON e.entry = p.entry WHERE {where} ORDER BY s.score DESC, e.id
"""


def search(connection: apsw.Connection, text: str, only: Filter, limit: int) -> list[Row]:
    """Return entries as `matching.search` does."""
    phrases = [phrase for term in query_terms(text) if (phrase := _Phrase(term.text)).words]
    if not phrases or limit <= 0:
        return []
    arms = [_frequencies(at, phrase) for at, phrase in enumerate(phrases)]
    where, conditions = make_conditions(only)
    return matching.give_best(
        connection,
        connection.execute(
            _SCORED.format(hits=" UNION ALL ".join(query for query, _ in arms), where=where),
            [*(value for _, values in arms for value in values), *conditions],
        ),
        limit,
    )


def _frequencies(at: int, phrase: _Phrase) -> tuple[str, list[Value]]:
    """Return SQL for how often a phrase stands in each passage, weighted by the parts."""
    head = f"SELECT {at} AS phrase, passage"
    if phrase.is_word:
        return f"{head}, ({_WEIGHED})::double precision AS freq FROM postings WHERE word = ?", [
            phrase.words[0]
        ]
    if phrase.begins:
        return (
            f"{head}, sum({_WEIGHED})::double precision AS freq FROM postings"
            " WHERE word >= ? AND word < ? GROUP BY passage",
            [phrase.words[0], phrase.words[0] + _LAST],
        )
    line = f" {' '.join(phrase.words)} "
    times = " + ".join(
        f"{weight} * " + _TIMES.format(f"split_part(words, '{_PART}', {part})")
        for part, weight in enumerate(_WEIGHTS, 1)
    )
    return (
        f"{head}, ({times})::double precision AS freq"
        " FROM postings JOIN texts USING (passage) WHERE word = ? AND strpos(words, ?) > 0",
        [*[line, line] * len(_WEIGHTS), phrase.words[0], line],
    )


def occurrences(
    connection: apsw.Connection, words: Sequence[str], passages: Sequence[int]
) -> dict[int, tuple[int, dict[int, Occurrence]]]:
    """Return where words stand in some passages; see `IndexView.occurrences`."""
    asked = [
        (at, phrase) for at, word in enumerate(words) for phrase in _phrases([QueryTerm(word)])
    ]
    located: dict[int, tuple[int, dict[int, Occurrence]]] = {}
    session: Any = connection
    for passage, said in session.run(
        "SELECT passage, words FROM texts WHERE passage = ANY(%(p1)s::bigint[])",
        {"p1": list(passages)},
    ):
        *labels, body = said.split(_PART)
        row = body.split()
        places: dict[str, list[int]] = {}
        for at, word in enumerate(row):
            places.setdefault(word, []).append(at)
        stands: dict[int, Occurrence] = {}
        for number, phrase in asked:
            labelled = any(_is_in(phrase, label) for label in labels)
            found = _find(phrase, row, places)
            if labelled or found:
                before = stands.get(number, (False, []))
                stands[number] = before[0] or labelled, before[1] + found
        if stands:
            located[passage] = len(row), stands
    return located


def _is_in(phrase: _Phrase, part: str) -> bool:
    line = " " + " ".join(phrase.words)
    return (line if phrase.begins else f"{line} ") in part


def _find(phrase: _Phrase, row: Sequence[str], places: dict[str, list[int]]) -> list[int]:
    """Return the positions in a list of words where a phrase begins."""
    first, *more = phrase.words
    if phrase.begins:
        return [at for at, word in enumerate(row) if word.startswith(first)]
    return [at for at in places.get(first, []) if row[at + 1 : at + 1 + len(more)] == more]
