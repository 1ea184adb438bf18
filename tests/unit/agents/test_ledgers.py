"""Ledgers: each agent's own, merged into what is there."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from unit.engine.core.vault_files import put
from unit.model.experience.test_ledger import SEED


def test_a_ledger_is_a_file_with_the_seeds_fields_and_one_key_more(
    memory: Memory, vault: Path
) -> None:
    outcome = memory.handoffs.save_ledger("eng-001-backend", document=SEED)
    assert (outcome.outcome, outcome.locator) == ("created", "Memory/ledgers/eng-001-backend.json")
    whole = json.loads((vault / outcome.locator).read_bytes())
    assert list(whole) == [*SEED, "engrain"]
    del whole["engrain"]
    assert {**whole, "last_checkpoint": SEED["last_checkpoint"]} == SEED
    assert dict(memory.handoffs.show_ledger("eng-001-backend")) == whole


def test_what_is_said_later_comes_to_what_is_there(memory: Memory) -> None:
    first = memory.handoffs.save_ledger("eng", task="t1", files=["a"], added=1)
    again = memory.handoffs.save_ledger("eng", files=["b"], added=1, uncommitted=True)
    assert (again.outcome, again.id) == ("updated", first.id)
    ledger = memory.handoffs.show_ledger("eng")
    assert (ledger["current_task"], ledger["tasks_completed"]) == ("t1", 2)
    assert ledger["state"]["files_modified"] == ["a", "b"]
    assert [change.op for change in memory.history(first.id)] == ["work", "work"]


def test_two_agents_whose_names_fold_to_one_have_two_ledgers(memory: Memory, vault: Path) -> None:
    for number, agent in enumerate(("eng-001", "ENG-001", "Eng-001", "eng/001"), 1):
        memory.handoffs.save_ledger(agent, completed=number)
    files = [path.name.casefold() for path in (vault / "Memory/ledgers").iterdir()]
    assert len(set(files)) == 4
    told = {str(one["agent_id"]): one["tasks_completed"] for one in memory.handoffs.list_ledgers()}
    assert told == {"eng-001": 1, "ENG-001": 2, "Eng-001": 3, "eng/001": 4}


def test_a_ledger_in_a_file_that_another_program_named_is_its_agents(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Memory/ledgers/backend.json", json.dumps(SEED))
    memory.scan()
    assert memory.handoffs.show_ledger("eng-001-backend")["tasks_completed"] == 12
    memory.handoffs.save_ledger("eng-001-backend", added=1)
    assert [path.name for path in (vault / "Memory/ledgers").iterdir()] == ["backend.json"]
    assert memory.handoffs.show_ledger("eng-001-backend")["tasks_completed"] == 13


def test_a_file_that_is_another_agents_is_never_written_over(memory: Memory, vault: Path) -> None:
    path = put(vault, "Memory/ledgers/eng.json", json.dumps(SEED))
    with pytest.raises(ConflictError):
        memory.handoffs.save_ledger("eng", added=1)
    assert json.loads(path.read_bytes()) == SEED


def test_an_agent_without_a_ledger_or_a_name_has_none_to_show(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.handoffs.show_ledger("eng")
    with pytest.raises(UsageError):
        memory.handoffs.show_ledger()


def test_one_that_was_forgotten_is_in_force_again_when_its_agent_goes_on(memory: Memory) -> None:
    outcome = memory.handoffs.save_ledger("eng", added=1)
    memory.forget(outcome.id)
    assert list(memory.handoffs.list_ledgers()) == []
    memory.handoffs.save_ledger("eng", added=1)
    assert [one["tasks_completed"] for one in memory.handoffs.list_ledgers()] == [2]


def test_nothing_that_many_say_at_once_is_lost(memory: Memory) -> None:
    def save(number: int) -> None:
        memory.handoffs.save_ledger("eng", added=1, files=[f"f{number % 3}"])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(save, range(18)))
    assert memory.handoffs.show_ledger("eng")["tasks_completed"] == 18
    assert sorted(memory.handoffs.show_ledger("eng")["state"]["files_modified"]) == [
        "f0",
        "f1",
        "f2",
    ]


def test_recall_is_never_given_a_ledger(memory: Memory) -> None:
    memory.handoffs.save_ledger("eng", goal="paint the walrus")
    assert memory.recall("walrus").results == ()


@pytest.mark.parametrize(
    "said", [float("nan"), "a\0b", "a\ud800", []], ids=["no number", "NUL", "no Unicode", "deep"]
)
def test_what_could_not_be_read_back_spoils_no_ledger(memory: Memory, said: object) -> None:
    memory.handoffs.save_ledger("eng", task="one")
    deep: object = said
    for _ in range(70 if isinstance(said, list) else 0):
        deep = [deep]
    with pytest.raises(UsageError, match="can't be kept"):
        memory.handoffs.save_ledger("eng", document={"context": {"x": deep}})
    with pytest.raises(UsageError, match="can't be kept"):
        memory.handoffs.save_ledger("new", document={"context": {"x": deep}})
    assert memory.handoffs.show_ledger("eng")["current_task"] == "one"
