"""What a fact is worth to a query, by what it says and by its age."""

from __future__ import annotations

import pytest

from engrain.engine.recall.profiles import decay
from engrain.engine.recall.tiered.facts import fact_predicates, find_predicates
from engrain.model.facts.fact import Fact, FactEdge


def test_a_week_leaves_what_the_formula_says() -> None:
    assert decay(7, 30) == pytest.approx(0.851, abs=0.001)
    assert decay(30, 30) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("query", "predicate"),
    [
        ("where does Alice work now", "works_at"),
        ("Who is Bob's employer?", "works_at"),
        ("in which town does she live", "lives_in"),
        ("where is the head office of Acme", "headquarters"),
        ("when is Apollo due", "deadline"),
        ("who leads Apollo", "owner"),
    ],
)
def test_a_question_asks_for_a_relation(query: str, predicate: str) -> None:
    assert predicate in find_predicates(query)


def test_a_question_of_no_known_relation_asks_for_its_words_alone() -> None:
    assert find_predicates("which peanuts can she eat") == frozenset()


def test_a_fact_tells_of_a_relation_by_any_of_its_names() -> None:
    assert fact_predicates(Fact("1", "x", edge=FactEdge("a", "employer", "b"))) == {"works_at"}
    assert fact_predicates(Fact("1", "x", edge=FactEdge("a", "admires", "b"))) == {"admires"}
    assert fact_predicates(Fact("1", "x")) == frozenset()
