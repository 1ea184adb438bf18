"""Clusters of what is alike (S2.4)."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.clustering import ClusterItem, central, find_clusters

WEIGHTS = {"goal": 1.0, "files": 1.0}


def item(id_: str, goal: str, files: str = "") -> ClusterItem:
    return ClusterItem(id_, {"goal": goal.split(), "files": files.split()})


def test_alike_things_are_a_cluster_and_others_stay_single() -> None:
    items = [
        item("a", "add login endpoint", "login.ts"),
        item("b", "build login route", "login.ts"),
        item("c", "paint the shed", "shed.md"),
    ]
    assert find_clusters(items, WEIGHTS) == [["a", "b"]]


def test_things_without_features_are_like_nothing() -> None:
    assert find_clusters([item("a", ""), item("b", "")], WEIGHTS) == []


def test_a_chain_of_pairs_does_not_draw_everything_together() -> None:
    words = [f"w{number}" for number in range(40)]
    chain = [item(f"{n:02}", f"{one} {other}") for n, (one, other) in enumerate(pairwise(words))]
    assert max(map(len, find_clusters(chain, {"goal": 1.0})), default=0) <= 3


def test_where_little_is_known_more_has_to_agree() -> None:
    goals = ("add login page today", "add login form tests")
    bare = [item(str(number), goal) for number, goal in enumerate(goals)]
    known = [item(str(number), goal, "login.ts") for number, goal in enumerate(goals)]
    assert find_clusters(bare, WEIGHTS) == []
    assert find_clusters(known, WEIGHTS) == [["0", "1"]]


goals = st.lists(
    st.sampled_from(["add", "fix", "login", "search", "page", "tests", "cache", "date"]), max_size=4
)


@given(st.lists(goals, max_size=14), st.randoms())
def test_the_order_of_things_makes_no_difference(
    given_: list[list[str]], rng: random.Random
) -> None:
    items = [ClusterItem(f"{number:02}", {"goal": words}) for number, words in enumerate(given_)]
    shuffled = rng.sample(items, len(items))
    assert find_clusters(items, WEIGHTS) == find_clusters(shuffled, WEIGHTS)


@given(st.lists(goals, max_size=14))
def test_each_thing_is_in_one_cluster_at_most(given_: list[list[str]]) -> None:
    items = [ClusterItem(f"{number:02}", {"goal": words}) for number, words in enumerate(given_)]
    found = [id_ for cluster in find_clusters(items, WEIGHTS) for id_ in cluster]
    assert len(found) == len(set(found))


def test_many_of_one_sort_are_one_cluster_though_their_postings_are_long() -> None:
    items = [item(f"{n:04}", f"rotate the keys run{n}", "keys.ts") for n in range(400)]
    items += [item(f"x{n:03}", f"other{n} thing{n}", f"f{n}.ts") for n in range(100)]
    clusters = find_clusters(items, WEIGHTS)
    assert sum(map(len, clusters)) == 400
    assert len(clusters) <= 4


def test_the_central_one_is_most_like_the_others() -> None:
    items = {
        one.id: one
        for one in (
            item("a", "add login endpoint now"),
            item("b", "add login endpoint"),
            item("c", "login endpoint tests"),
        )
    }
    assert central(["a", "b", "c"], items, WEIGHTS) == "b"
