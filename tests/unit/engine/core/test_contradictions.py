"""Contradictions are told wherever an entry is, until somebody settles them (S2.9)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.contradictions import list_contradictions
from unit.engine.core.vault_files import put

SETTLED: dict[str, Callable[[Memory, str, str], object]] = {
    "forgotten": lambda memory, _, two: memory.forget(two),
    "archived": lambda memory, one, _: memory.archive(one),
    "superseded": lambda memory, _, two: memory.evolve(two, "The crane is blue, we agreed."),
    "replaced by the other": lambda memory, one, two: memory.link(one, two, "supersedes"),
    "unlinked": lambda memory, one, two: memory.link(two, one, "contradicts", remove=True),
}


@pytest.fixture
def pair(memory: Memory) -> tuple[str, str]:
    one = memory.save("The harbour crane is red.", title="Red crane", kind="fix").id
    two = memory.save("The harbour crane is blue.", title="Blue crane", kind="fix").id
    memory.link(two, one, "contradicts")
    return one, two


def told(memory: Memory) -> dict[str, tuple[str, ...]]:
    found = memory.recall("which colour has the harbour crane?").results
    return {recalled.row.id: recalled.contradicts for recalled in found}


def test_each_of_the_two_names_the_other(memory: Memory, pair: tuple[str, str]) -> None:
    one, two = pair
    assert told(memory) == {one: (two,), two: (one,)}
    assert [row.id for row in memory.show(one).contradicts] == [two]
    assert [row.id for row in memory.show(two).contradicts] == [one]
    found = list_contradictions(memory._open_store())
    assert [(row.id, other.id) for row, other in found] == [(two, one)]


@pytest.mark.parametrize("how", SETTLED)
def test_it_is_reported_until_it_is_settled(
    memory: Memory, pair: tuple[str, str], how: str
) -> None:
    one, two = pair
    SETTLED[how](memory, one, two)
    assert set(told(memory).values()) == {()}
    assert not memory.show(one).contradicts
    assert list_contradictions(memory._open_store()) == []


def test_undoing_what_settled_it_has_it_told_again(memory: Memory, pair: tuple[str, str]) -> None:
    one, two = pair
    memory.forget(two)
    memory.undo()
    assert told(memory) == {one: (two,), two: (one,)}


def test_one_end_that_says_so_is_enough(memory: Memory, vault: Path) -> None:
    one = memory.save("The harbour crane is red.", title="Red crane", kind="fix").id
    put(
        vault,
        "Memory/fix/blue.md",
        "---\nid: 01blue\n---\n# Blue crane\nThe harbour crane is blue: [[contradicts:: Red crane]]"
        " and [[contradicts:: Nobody]] and [[contradicts:: personal:Work/x.md]].\n",
    )
    assert told(memory) == {one: ("01blue",), "01blue": (one,)}


def test_an_entry_that_no_other_contradicts_names_none(memory: Memory) -> None:
    one = memory.save("The harbour crane is red.", title="Red crane", kind="fix").id
    assert told(memory) == {one: ()}
