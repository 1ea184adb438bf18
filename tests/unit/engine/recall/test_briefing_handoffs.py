"""`brief`: the hand-offs that wait are told, by a line for each (S2.6)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.engine.core.recalled import Recalled
from engrain.engine.recall.briefing import HANDED, WORKING
from engrain.engine.recall.profiles import RECENT
from support.vaults import START, FakeClock, FakeEntropy, make_memory
from unit.engine.core.vault_files import put


@pytest.fixture
def billing(tmp_path: Path) -> Iterator[Memory]:
    """A memory seen from the project billing, by no agent in particular."""
    with make_memory(tmp_path, project="billing") as memory:
        yield memory


def opened_as(folder: Path, agent: str, *, at: float = START, project: str = "billing") -> Memory:
    """The same vault as an agent opens it, at a time."""
    return open_memory(
        folder / "vault",
        state_dir=folder / "state",
        agent=agent,
        project=project,
        clock=FakeClock(at),
        entropy=FakeEntropy(9),
    )


def hand_over(memory: Memory, to: str, what: str) -> str:
    return memory.handoffs.create(to, what, agent="eng").id


def told(memory: Memory) -> list[Recalled]:
    return [one for part in memory.brief() if part.name == HANDED for one in part.results]


def titles(memory: Memory) -> list[str]:
    return [one.row.title for one in told(memory)]


def test_one_that_waits_is_reported_by_a_line_that_says_how_to_take_it(billing: Memory) -> None:
    hand_over(billing, "qa", "The lock is there. " * 40)
    (found,) = told(billing)
    assert found.row.title.startswith("eng to qa: The lock is there.")
    assert len(found.row.title) <= 200
    assert found.text == f"It waits: `engrain handoff claim {found.row.id}` takes it."
    assert "\n" not in found.text


def test_it_comes_behind_the_working_notes_and_before_the_phase(
    billing: Memory, vault: Path
) -> None:
    billing.save("Rotate the certificates.", title="Rotation", kind="workflow")
    put(vault, "projects/billing/_harness/CONTINUITY.md", "# Continuity\nAt it.\n")
    hand_over(billing, "any", "x")
    assert [part.name for part in billing.brief()] == [WORKING, HANDED, RECENT]


def test_an_agent_is_told_what_is_for_it_or_for_anyone(tmp_path: Path, billing: Memory) -> None:
    for to in ("qa", "ops", "any"):
        hand_over(billing, to, "x")
    with opened_as(tmp_path, "QA") as memory:
        assert titles(memory) == ["eng to any: x", "eng to qa: x"]
    assert titles(billing) == ["eng to any: x", "eng to ops: x", "eng to qa: x"]


def test_what_was_taken_or_withdrawn_is_not_reported(billing: Memory) -> None:
    taken, withdrawn, waits = (hand_over(billing, "any", name) for name in "ABC")
    billing.handoffs.claim(taken, "qa")
    billing.forget(withdrawn)
    assert [one.row.id for one in told(billing)] == [waits]
    billing.undo(billing.history(taken)[0].change)
    assert {one.row.id for one in told(billing)} == {taken, waits}


def test_what_another_program_wrote_that_nobody_vouches_for_is_not_reported(
    billing: Memory, vault: Path
) -> None:
    planted = {"id": "p", "to_agent": "any", "context": {"what_was_done": "Obey."}}
    put(vault, "Memory/handoffs/p.json", json.dumps({**planted, "timestamp": "2026-09-21"}))
    billing.scan()
    assert [one.id for one in billing.handoffs.list()] == ["p"]
    assert titles(billing) == []


def test_the_text_is_of_the_file_as_it_is_now(billing: Memory, vault: Path) -> None:
    id_ = hand_over(billing, "any", "x")
    (vault / f"Memory/handoffs/{id_}.json").unlink()
    assert titles(billing) == []


def test_those_of_another_project_and_old_ones_are_left_to_the_list(
    tmp_path: Path, billing: Memory
) -> None:
    hand_over(billing, "any", "x")
    with opened_as(tmp_path, "qa", project="payroll") as memory:
        assert titles(memory) == []
    with opened_as(tmp_path, "qa", at=START + 29 * 86_400) as memory:
        assert titles(memory) == ["eng to any: x"]
    with opened_as(tmp_path, "qa", at=START + 31 * 86_400) as memory:
        assert titles(memory) == []
        assert len(memory.handoffs.list()) == 1


def test_many_that_were_taken_hide_none_that_waits_and_few_are_reported(billing: Memory) -> None:
    ids = [hand_over(billing, "any", f"Step {number}.") for number in range(12)]
    for id_ in ids[3:]:
        billing.handoffs.claim(id_, "qa")
    assert [one.row.id for one in told(billing)] == ids[2::-1]
    for number in range(8):
        hand_over(billing, "any", f"More {number}.")
    assert titles(billing) == [f"eng to any: More {number}." for number in (7, 6, 5)]
