from __future__ import annotations

import sqlite3

import pytest
from bench.sets.plain_search import PlainSearch
from hypothesis import given
from hypothesis import strategies as st

_TEXTS = [
    ("lock", "The nightly job takes an advisory lock."),
    ("bread", "Rye bread with caraway, baked at night."),
    ("lock", "Locks are released when the job ends."),
    ("plan", "The plan of the year."),
]


def test_texts_that_share_any_word_are_found_by_stem_and_each_id_once() -> None:
    search = PlainSearch(_TEXTS).search
    assert search("locked jobs", 10, True) == ["lock"]
    assert set(search("bread or jobs", 10, True)) == {"bread", "lock"}
    assert search("telescope", 10, True) == []


def test_stop_words_are_looked_for_only_on_request() -> None:
    search = PlainSearch(_TEXTS).search
    assert "plan" in search("the caraway", 10, True)
    assert search("the caraway", 10, False) == ["bread"]
    assert "plan" in search("the of", 10, False), (
        "where there is nothing else they are all there is"
    )


def test_no_more_than_the_limit_come() -> None:
    assert len(PlainSearch(_TEXTS).search("the lock bread plan", 2, True)) == 2


@pytest.mark.parametrize("question", ["", "?!", '" OR (', "a" * 100_000, "NEAR(x y) \ud800"])
def test_any_question_can_be_asked(question: str) -> None:
    assert PlainSearch(_TEXTS).search(question, 5, True) in ([], ["lock"])


@given(st.lists(st.text(st.sampled_from("ab cd\n."), max_size=30), min_size=1, max_size=8))
def test_the_ranking_is_that_of_sqlite_s_own_library(texts: list[str]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO t(x) VALUES (?)", [(text,) for text in texts])
    expected = connection.execute(
        'SELECT rowid FROM t WHERE t MATCH \'"ab" OR "cd"\' ORDER BY bm25(t), rowid'
    ).fetchall()
    connection.close()
    search = PlainSearch([(str(n), text) for n, text in enumerate(texts, 1)]).search
    assert search("ab cd", 100, True) == [str(row) for (row,) in expected]
