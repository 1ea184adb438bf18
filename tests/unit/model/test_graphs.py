"""Circles in graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engrain.model.graphs import find_circles

steps = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), max_size=8)


def reach(onward: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    todo = [start]
    while todo:
        for there in onward.get(todo.pop(), ()):
            if there not in found:
                found.add(there)
                todo.append(there)
    return found


@given(steps)
def test_two_are_in_one_group_if_each_leads_to_the_other(onward: dict[int, list[int]]) -> None:
    groups = [frozenset(circle) for circle in find_circles(onward)]
    ahead = {start: reach(onward, start) for start in range(8)}
    for one in range(8):
        for two in range(8):
            together = any(one in group and two in group for group in groups)
            if one != two:
                assert together == (one in ahead[two] and two in ahead[one])


def test_a_chain_may_be_longer_than_the_stack() -> None:
    onward = {n: [n + 1] for n in range(50_000)}
    assert list(find_circles(onward)) == []
    (circle,) = find_circles({**onward, 50_000: [0]})
    assert len(circle) == 50_001
