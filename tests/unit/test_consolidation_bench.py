"""The labelled episodes by which clusters are measured, and the measures."""

from __future__ import annotations

from collections import Counter

import pytest
from bench.consolidation import TUNED, UNSEEN, compare, measure_quality
from bench.consolidation_tasks import Labelled, make_tasks


def labelled(**kinds: int | None) -> list[Labelled]:
    return [Labelled({"id": id_}, label) for id_, label in kinds.items()]


def test_the_same_seed_makes_the_same_episodes_and_another_makes_others() -> None:
    assert make_tasks(40, 3) == make_tasks(40, 3)
    assert make_tasks(40, 3) != make_tasks(40, 4)
    assert TUNED not in UNSEEN


def test_four_in_ten_are_of_no_kind_and_each_kind_has_two_members_at_least() -> None:
    tasks = make_tasks(200, 3)
    counts = Counter(one.label for one in tasks)
    assert len({one.document["id"] for one in tasks}) == 200
    assert 60 <= counts.pop(None) <= 80
    assert min(counts.values()) >= 2


def test_perfect_clusters_score_one() -> None:
    tasks = labelled(a=0, b=0, c=1, d=1, e=None)
    assert compare([["a", "b"], ["c", "d"]], tasks) == ((1, 1), (1, 1))


def test_everything_in_one_cluster_finds_all_and_is_seldom_right() -> None:
    (precision, recall), (cubed, cubed_recall) = compare(
        [["a", "b", "c", "d"]], labelled(a=0, b=0, c=1, d=None)
    )
    assert precision == pytest.approx(1 / 6)
    assert cubed == pytest.approx((2 / 4 + 2 / 4 + 1 / 4 + 1 / 4) / 4)
    assert (recall, cubed_recall) == (1, 1)


def test_no_cluster_at_all_is_never_wrong_and_finds_nothing() -> None:
    (_, recall), (precision, _) = compare([], labelled(a=0, b=0))
    assert (recall, precision) == (0, 1)


def test_clusters_are_no_worse_than_what_is_published() -> None:
    quality = measure_quality(300, files=True, seeds=UNSEEN[:2])
    assert min(quality["b_cubed"]) > 0.85
    assert quality["pairwise"][0] > 0.95
