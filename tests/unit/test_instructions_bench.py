"""The labelled pairs of instructions: a change replaces, an addition does not, and nothing is taken
for known that says something new."""

from __future__ import annotations

from collections import Counter

import pytest
from bench.instructions import AGAIN, BOTH, CHANGE, HELD, TUNE, Pair, judge, load_pairs, score


@pytest.fixture(scope="module")
def halves() -> dict[str, list[Pair]]:
    return load_pairs()


def test_there_are_enough_pairs_and_none_twice(halves: dict[str, list[Pair]]) -> None:
    pairs = [*halves[TUNE], *halves[HELD]]
    counts = Counter(pair.label for pair in pairs)
    assert counts[BOTH] >= 200 and counts[CHANGE] >= 100 and counts[AGAIN] >= 10
    assert len({(pair.older, pair.newer) for pair in pairs}) == len(pairs)
    assert len({pair.category for pair in pairs if pair.label == BOTH}) >= 15


@pytest.mark.parametrize("half", [TUNE, HELD])
def test_what_stands_beside_another_is_hardly_ever_replaced_or_lost(
    halves: dict[str, list[Pair]], half: str
) -> None:
    told = score(halves[half])
    assert told["replaced falsely"] <= 0.02
    assert told["lost"] <= 0.01
    assert told["met"] >= 0.9
    assert told["found"] >= (0.9 if half == TUNE else 0.75)


def test_what_is_said_in_the_other_order_stands_beside_it_too(
    halves: dict[str, list[Pair]],
) -> None:
    pairs = [pair for half in halves.values() for pair in half if pair.label == BOTH]
    swapped = [Pair(BOTH, pair.category, pair.newer, pair.older) for pair in pairs]
    assert [pair.older for pair in swapped if judge(pair) != BOTH] == []
