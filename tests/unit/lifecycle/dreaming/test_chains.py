"""Stale chains: notes that were replaced and still stand, or are pointed at as if they did."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.lifecycle.dreaming.finders import find_chains, join_steps
from engrain.lifecycle.dreaming.run import CHAIN, DreamFinding
from engrain.lifecycle.reviewing.table import ACTIONS
from support.vaults import write_as


def find(memory: Memory) -> list[DreamFinding]:
    store = memory._ready(scan=True)
    return list(find_chains(store, ActiveNotes(store), 0.0))


def chains(memory: Memory) -> list[tuple[str, ...]]:
    return [found.entries for found in find(memory)]


def put(memory: Memory, name: str, text: str = "How it is done.", **fields: Any) -> str:
    fields = {"id": name, "kind": "workflow", "title": name, "created": "2026-01-01", **fields}
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return write_as(memory, "agent", f"Memory/workflow/{name}.md", f"---\n{head}---\n{text}\n")


def test_an_older_version_that_is_active_is_stale(memory: Memory) -> None:
    put(memory, "one")
    put(memory, "two", supersedes="one")
    put(memory, "three", supersedes="two")
    (found,) = find(memory)
    assert (found.kind, found.entries, found.score) == (CHAIN, ("one", "two", "three"), 1.0)
    assert found.action in ACTIONS


def test_a_chain_that_was_kept_well_is_not(memory: Memory) -> None:
    put(memory, "one", status="superseded")
    put(memory, "two", "It goes on from [[one]].", supersedes="one")
    assert find(memory) == []


def test_one_that_was_replaced_and_is_pointed_at_makes_it_stale(memory: Memory) -> None:
    put(memory, "one", status="superseded")
    put(memory, "two", supersedes="one")
    pointer = put(memory, "pointer", "The steps are in [[one]].")
    (found,) = find(memory)
    assert found.entries == ("one", "two")
    assert found.evidence == ((pointer, "[[one]]"),)


def test_a_text_that_says_what_it_replaces_is_not_read(memory: Memory) -> None:
    put(memory, "old", title="How we deploy")
    put(memory, "new", "Replaces [[How we deploy]], which no longer holds.", title="Deploying")
    assert find(memory) == []


def test_a_circle_is_no_chain(memory: Memory) -> None:
    put(memory, "one", supersedes="two")
    put(memory, "two", supersedes="one", created="2026-02-01")
    assert find(memory) == []


def test_where_the_newest_is_gone_nothing_is_told(memory: Memory) -> None:
    put(memory, "one")
    put(memory, "two", supersedes="one", status="archived")
    put(memory, "three", supersedes="nobody")
    assert find(memory) == []


def joined(*steps: tuple[str, str], created: Mapping[str, float] | None = None) -> list[str]:
    found = join_steps(steps, created or {})
    return ["".join(members) for members in found]


def test_steps_make_one_chain_from_the_oldest_to_the_newest() -> None:
    assert joined(("b", "c"), ("a", "b"), ("c", "d")) == ["abcd"]


def test_chains_without_a_member_in_common_are_apart() -> None:
    assert joined(("a", "b"), ("x", "y")) == ["ab", "xy"]


def test_one_that_several_replaced_goes_with_the_latest() -> None:
    assert joined(("a", "b"), ("a", "c"), created={"b": 1.0, "c": 2.0}) == ["ac"]


def test_one_that_replaced_several_ends_one_chain() -> None:
    assert joined(("b", "c"), ("a", "c"), created={"a": 1.0, "b": 2.0}) == ["abc"]


def test_what_leads_into_a_circle_is_no_chain() -> None:
    assert joined(("a", "b"), ("b", "a")) == []
    assert joined(("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("p", "q")) == ["pq"]


def test_one_does_not_replace_itself() -> None:
    assert joined(("a", "a")) == []


def test_a_long_chain_takes_linear_time() -> None:
    names = [f"{n:05}" for n in range(20_000)]
    (members,) = join_steps(pairwise(names), {})
    assert members == tuple(names)
