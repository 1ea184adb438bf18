"""Words that are misspelt, unfinished, or another word for the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.index.text import QueryTerm, is_near, query_terms
from support.vaults import make_memory


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("kuberntes rollout", "Kubernetes"),
        ("kube rollout", "Kubernetes"),
        ("k8s rollout", "Kubernetes"),
        ("postgers vacuum", "Postgres"),
        ("statuses of an order", "Status"),
        ("db password rotation", "Database"),
        ("request timeout", "Time out"),
    ],
)
def test_a_word_finds_what_it_means(typed: str, meant: str, tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        for title, text in {
            "Kubernetes": "A rollout on Kubernetes waits for the probes.",
            "Postgres": "Run vacuum on Postgres before the migration.",
            "Status": "The status of an order is set by the courier alone.",
            "Database": "The database password is rotated on the first of the month.",
            "Time out": "A request times out after nine seconds; see the time out of the gateway.",
        }.items():
            memory.save(text, title=title, kind="fix")
        found = memory.recall(typed)
        assert next(one.row.title for one in (*found.results, *found.nearest)) == meant


def test_a_word_of_english_is_not_taken_for_a_misspelt_one(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.save("The cookie of the session lasts a day.", title="Cookies", kind="fix")
        found = memory.recall("what should I cook tonight")
        assert not found.results


@pytest.mark.parametrize(
    ("first", "second"),
    [("kubernets", "kubernetes"), ("postgers", "postgres"), ("redsi", "redis"), ("cat", "car")],
)
def test_words_are_near_that_differ_by_one_letter(first: str, second: str) -> None:
    assert is_near(first, second) and is_near(second, first)


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_words_that_differ_by_more_are_not(first: str, second: str) -> None:
    edits = {
        *(first[:at] + first[at + 1 :] for at in range(len(first))),
        *(first[:at] + one + first[at:] for at in range(len(first) + 1) for one in "abc"),
        *(first[:at] + one + first[at + 1 :] for at in range(len(first)) for one in "abc"),
        *(first[:at] + first[at + 1] + first[at] + first[at + 2 :] for at in range(len(first) - 1)),
    }
    assert is_near(first, second) == (second in edits and first != second)


def test_a_group_of_synonyms_is_one_term() -> None:
    assert {"k8s", "kubernetes"} <= {*QueryTerm("k8s").forms}
    assert "time out" in QueryTerm("timeout").forms


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("the migration times out again", ["migration", "timeout"]),
        ("the job timed out", ["job", "timeout"]),
        ("how do we back up orders", ["backup", "orders"]),
        ("users get logged out", ["users", "get", "logout"]),
        ("signing in fails", ["login", "fails"]),
        ("log the error in red", ["log", "error", "red"]),
    ],
)
def test_a_phrasal_verb_is_the_one_word_that_it_means(asked: str, meant: list[str]) -> None:
    assert [term.text for term in query_terms(asked)] == meant
