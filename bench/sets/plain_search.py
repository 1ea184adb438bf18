"""Plain full-text search of SQLite: one FTS5 table in memory, Porter's stemmer, BM25.

It is the baseline that recall is measured against, so it has nothing of recall's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import apsw

from bench.sets.measurement import Search
from engrain.index.text import STOP_WORDS, storable

_WORD = re.compile(r"\w+")


class PlainSearch:
    """A table of texts, each under an id; several texts may share an id."""

    __slots__ = ("_connection", "_ids")

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._connection = apsw.Connection(":memory:")
        self._connection.execute(
            "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')"
        )
        self._ids: list[str] = []
        with self._connection:
            for id_, text in texts:
                self._ids.append(id_)
                self._connection.execute(
                    "INSERT INTO t(rowid, x) VALUES (?, ?)", (len(self._ids), storable(text))
                )

    def search(self, question: str, limit: int, stop_words: bool) -> list[str]:
        """Return at most `limit` ids of texts with any word of `question`, by their best text;
        without `stop_words`, English stop words are ignored unless there are only such."""
        words = dict.fromkeys(_WORD.findall(storable(question).lower()))
        if not stop_words:
            words = dict.fromkeys(word for word in words if word not in STOP_WORDS) or words
        found: dict[str, None] = {}
        if not words:
            return []
        expression = " OR ".join(f'"{word}"' for word in words)
        for (row,) in self._connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid", (expression,)
        ):
            found[self._ids[row - 1]] = None
            if len(found) == limit:
                break
        return list(found)


def make_plain_search(texts: Iterable[tuple[str, str]]) -> Search:
    """Make a plain full-text search over (id, text) pairs as a baseline for measuring recall."""
    return PlainSearch(texts).search
