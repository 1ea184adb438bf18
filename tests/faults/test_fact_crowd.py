"""Many processes add facts at once: one item of what is the same, one that holds of two that can't
both be so (S4.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from support.forked import run_well_at_once
from support.vaults import make_memory

SAME = """
import sys
from engrain import open_memory

with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    print(memory.facts.add("Bob", sys.argv[3], type="person").outcome)
"""
EACH = """
import sys
from engrain import open_memory

with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    for number in range(5):
        memory.facts.add("Bob", f"{sys.argv[3]}{'abcde'[number]}.", ref=sys.argv[3])
"""


def run(tmp_path: Path, script: str, texts: list[str]) -> list[str]:
    """Run a process for each text at once; what they wrote."""
    where = (tmp_path / "vault", tmp_path / "state")
    return run_well_at_once(script, [(*where, text) for text in texts], tmp_path)


def check_history(memory: Memory) -> None:
    (report,) = memory.trust.survey().chains
    assert report.wrong is None


@pytest.mark.parametrize("writers", [16, pytest.param(64, marks=pytest.mark.long)])
def test_many_processes_add_one_fact_and_it_is_one_item(tmp_path: Path, writers: int) -> None:
    with make_memory(tmp_path) as memory:
        outcomes = run(tmp_path, SAME, ["Bob sings."] * writers)
        assert sorted(outcomes) == ["created"] + ["reinforced"] * (writers - 1)
        (fact,) = memory.facts.entity("bob").entity.facts
        assert fact.seen == writers - 1
        assert len(memory.facts.entities()) == 1
        check_history(memory)


@pytest.mark.parametrize("writers", [16, pytest.param(64, marks=pytest.mark.long)])
def test_of_two_that_contradict_each_other_exactly_one_holds(tmp_path: Path, writers: int) -> None:
    texts = ["Bob lives in Rome.", "Bob lives in Oslo."]
    with make_memory(tmp_path) as memory:
        outcomes = run(tmp_path, SAME, texts * (writers // 2))
        assert len(outcomes) == writers
        entity = memory.facts.entity("bob").entity
        assert len(entity.active) == 1
        assert {fact.content for fact in entity.facts} == set(texts)
        assert not memory.facts.entities(disputed=True)
        check_history(memory)


def test_nothing_that_was_acknowledged_is_lost(tmp_path: Path) -> None:
    texts = ["Sing", "Row", "Paint", "Weld", "Bake", "Knit"]
    with make_memory(tmp_path) as memory:
        run(tmp_path, EACH, texts)
        contents = {fact.content for fact in memory.facts.entity("bob").entity.facts}
        assert contents == {f"{text}{letter}." for text in texts for letter in "abcde"}
        check_history(memory)
