"""Chains are put together of steps, whatever order and circles these are in."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import pytest

from engrain.language.copies.successors import Step, find_chains, read_version


def chains(
    *steps: tuple[str, str], created: Mapping[str, float] | None = None
) -> list[tuple[str, bool]]:
    found = find_chains([Step(a, b, 1.0, b) for a, b in steps], created or {})
    return [("".join(chain.members), chain.circular) for chain in found]


def test_steps_make_one_chain_from_the_oldest_to_the_newest() -> None:
    assert chains(("b", "c"), ("a", "b"), ("c", "d")) == [("abcd", False)]


def test_chains_without_a_member_in_common_are_apart() -> None:
    assert chains(("a", "b"), ("x", "y")) == [("ab", False), ("xy", False)]


def test_one_that_several_replaced_goes_with_the_latest() -> None:
    assert chains(("a", "b"), ("a", "c"), created={"b": 1.0, "c": 2.0}) == [("ac", False)]


def test_one_that_replaced_several_ends_one_chain() -> None:
    assert chains(("b", "c"), ("a", "c"), created={"a": 1.0, "b": 2.0}) == [("abc", False)]


def test_in_a_circle_only_the_dates_order() -> None:
    assert chains(("a", "b"), ("b", "a"), created={"a": 2.0, "b": 1.0}) == [("ba", True)]


def test_one_does_not_replace_itself() -> None:
    assert chains(("a", "a")) == []


def test_of_two_that_say_the_contrary_the_surer_counts() -> None:
    steps = [Step("a", "b", 0.9, "b"), Step("b", "a", 1.0, "a")]
    assert [chain.members for chain in find_chains(steps, {})] == [("b", "a")]


def test_a_long_chain_takes_no_recursion() -> None:
    names = [f"{n:05}" for n in range(20_000)]
    (chain,) = find_chains([Step(a, b, 1.0, b) for a, b in pairwise(names)], {})
    assert chain.members == tuple(names)


@pytest.mark.parametrize(
    ("title", "number"),
    [("Deploy procedure", 0), ("Deploy procedure v2", 2), ("Deploy procedure (v3)", 3),
     ("Deploy procedure, second edition", 2), ("Old deploy procedure", -1)],
)  # fmt: skip
def test_versions_of_one_title_have_one_base(title: str, number: int) -> None:
    version = read_version(title)
    assert (version.base, version.number, version.plain) == ("deploy procedure", (number,), True)


def test_a_version_of_what_a_note_is_about_is_no_version_of_the_note() -> None:
    assert not read_version("Client API v2").plain
