from __future__ import annotations

import statistics
from math import log2

import pytest
from bench.sets.metrics import (
    METRICS,
    hit_at,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
    score,
)
from hypothesis import given
from hypothesis import strategies as st

from support.check_script import load_check, needs_check

_IDS = st.sampled_from([f"D{number}" for number in range(20)])
_RANKED = st.lists(_IDS, max_size=15)
_GOLD = st.frozensets(_IDS, min_size=1, max_size=12)


def test_recall_is_the_share_of_the_gold_that_is_found() -> None:
    assert recall_at(["a", "x", "b"], {"a", "b", "c"}, 3) == pytest.approx(2 / 3)
    assert recall_at(["a", "x", "b"], {"a", "b", "c"}, 2) == pytest.approx(1 / 3)


def test_a_hit_is_any_gold_among_the_first() -> None:
    assert hit_at(["x", "a"], {"a", "b"}, 1) == 0
    assert hit_at(["x", "a"], {"a", "b"}, 2) == 1


def test_a_find_further_down_is_discounted() -> None:
    assert ndcg_at(["x", "a"], {"a"}, 10) == pytest.approx(1 / log2(3))


def test_the_reciprocal_rank_is_that_of_the_first_find() -> None:
    assert reciprocal_rank(["x", "a", "b"], {"a", "b"}) == pytest.approx(1 / 2)
    assert reciprocal_rank(["x"] * 10 + ["a"], {"a"}) == 0


def test_a_repeated_id_counts_once_and_keeps_its_slot() -> None:
    assert score(["a", "a", "b"], {"a", "b"}) == score(["a", "x", "b"], {"a", "b"})


def test_nothing_found_is_worth_nothing() -> None:
    assert set(score([], {"a"}).values()) == {0.0}


@given(_RANKED, _GOLD)
def test_every_metric_lies_between_nothing_and_all(ranked: list[str], gold: frozenset[str]) -> None:
    scores = score(ranked, gold)
    assert tuple(scores) == METRICS
    assert all(0 <= value <= 1 + 1e-12 for value in scores.values())


@given(st.frozensets(_IDS, min_size=1, max_size=5))
def test_gold_alone_in_front_is_perfect(gold: frozenset[str]) -> None:
    scores = score([*gold, "x"], gold)
    assert scores["recall@5"] == scores["hit@1"] == scores["mrr"] == 1
    assert scores["ndcg@10"] == pytest.approx(1)


@given(_RANKED, _GOLD)
def test_looking_further_never_finds_less(ranked: list[str], gold: frozenset[str]) -> None:
    scores = score(ranked, gold)
    assert scores["recall@1"] <= scores["recall@5"] <= scores["recall@10"]
    assert scores["hit@1"] <= scores["hit@5"] <= scores["hit@10"]


@given(_RANKED, _GOLD)
def test_what_stands_behind_the_tenth_does_not_count(
    ranked: list[str], gold: frozenset[str]
) -> None:
    assert score(ranked, gold) == score(ranked[:10], gold)


@needs_check
@given(_RANKED, _GOLD)
def test_an_independent_scorer_gives_the_same_figures(
    ranked: list[str], gold: frozenset[str]
) -> None:
    theirs = load_check().score(ranked, gold)
    ours = score(ranked, gold)
    for k in (1, 5, 10):
        assert ours[f"recall@{k}"] == pytest.approx(theirs[f"recall@{k}"])
        assert ours[f"hit@{k}"] == theirs[f"R_any@{k}"]
    assert ours["ndcg@10"] == pytest.approx(theirs["NDCG@10"])
    assert ours["mrr"] == theirs["MRR@10"]


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_the_middle_percentile_is_the_median(values: list[float]) -> None:
    assert percentile(values, 0.5) == pytest.approx(statistics.median(values))


@given(st.lists(st.integers(0, 99), min_size=1), st.floats(0, 1))
def test_a_percentile_has_its_share_below_it(values: list[int], share: float) -> None:
    found = percentile(values, share)
    below = sum(value < found for value in values)
    assert below <= share * (len(values) - 1) + (share == 0.5)
