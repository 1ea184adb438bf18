"""Checkpoints: a snapshot of short-term memory, by name."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.agents.handoffs import MOST_GIVEN
from engrain.engine.history.history import bytes_after
from support.examples import SHARED_FIXTURE
from support.vaults import make_memory
from unit.engine.core.vault_files import put
from unit.lifecycle.sessions.living import leave_recalls, store_of
from unit.model.experience.test_ledger import SEED

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcé"), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
@given(value=values.filter(lambda value: value is not None))
def test_what_was_given_is_loaded_as_it_was(memory: Memory, value: object) -> None:
    memory.handoffs.save_checkpoint("noon", value, bare=True)
    assert dict(memory.handoffs.load_checkpoint("noon").snapshot) == {"given": value}


def test_a_checkpoint_is_a_file_with_its_fields(memory: Memory, vault: Path) -> None:
    outcome = memory.handoffs.save_checkpoint("noon", "Half way.", bare=True)
    whole = json.loads((vault / "Memory/checkpoints/noon.json").read_bytes())
    assert list(whole) == ["id", "name", "timestamp", "agent", "project", "snapshot", "engrain"]
    assert (whole["id"], whole["name"], whole["project"]) == (outcome.id, "noon", memory.project)
    assert whole["snapshot"] == {"given": "Half way."}


def test_around_what_is_given_stand_references_and_the_agents_ledger(
    memory: Memory, vault: Path
) -> None:
    place = f"projects/{memory.project}/_harness/CONTINUITY.md"
    put(vault, place, "# Continuity\nAt the lock.\n")
    waits = memory.handoffs.create("qa", "Done.", agent="eng").id
    leave_recalls(memory, "s1", ["e1", "e2"])
    memory.handoffs.save_checkpoint("noon", session="s1", git={"branch": "main", "commit": "abc"})
    snapshot = memory.handoffs.load_checkpoint("noon").snapshot
    assert snapshot["session"] == {"id": "s1", "recalled": ["e1", "e2"]}
    assert snapshot["continuity"]["path"] == place
    assert "At the lock" not in json.dumps(snapshot)
    assert [one["id"] for one in snapshot["handoffs"]] == [waits]
    assert snapshot["git"] == {"branch": "main", "commit": "abc"}
    assert "given" not in snapshot


def test_the_ledger_of_who_saves_it_is_in_it(tmp_path: Path, memory: Memory) -> None:
    memory.close()
    from engrain import open_memory

    with open_memory(tmp_path / "vault", state_dir=tmp_path / "state", agent="eng") as mine:
        mine.handoffs.save_ledger(goal="the lock")
        mine.handoffs.save_checkpoint("noon")
        loaded = mine.handoffs.load_checkpoint("noon")
    assert loaded.agent == "eng"
    assert loaded.snapshot["ledger"]["context"]["current_goal"] == "the lock"


def test_loading_tells_whether_the_working_notes_are_others_by_now(
    memory: Memory, vault: Path
) -> None:
    memory.handoffs.save_checkpoint("before", "x")
    assert memory.handoffs.load_checkpoint("before").moved is None
    place = f"projects/{memory.project}/_harness/CONTINUITY.md"
    put(vault, place, "# Continuity\nAt the lock.\n")
    memory.handoffs.save_checkpoint("noon", "x")
    assert memory.handoffs.load_checkpoint("noon").moved is False
    put(vault, place, "# Continuity\nBehind the lock.\n")
    assert memory.handoffs.load_checkpoint("noon").moved is True
    (vault / place).unlink()
    assert memory.handoffs.load_checkpoint("noon").moved is True


def test_of_one_saved_again_the_history_keeps_the_older(memory: Memory) -> None:
    first = memory.handoffs.save_checkpoint("noon", "first", bare=True)
    second = memory.handoffs.save_checkpoint("noon", "second", bare=True)
    assert (second.outcome, second.id) == ("updated", first.id)
    assert memory.handoffs.load_checkpoint("noon").snapshot == {"given": "second"}
    changes = memory.history(first.id)
    assert [change.op for change in changes] == ["work", "work"]
    assert b'"first"' in bytes_after(store_of(memory), changes[1])
    memory.undo()
    assert memory.handoffs.load_checkpoint("noon").snapshot == {"given": "first"}


def test_without_a_name_the_latest_of_the_project_is_loaded(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no checkpoint yet"):
        memory.handoffs.load_checkpoint()
    for name in ("a", "b"):
        memory.handoffs.save_checkpoint(name, name)
    with make_memory(tmp_path, device="other", project="elsewhere", seed=8) as other:
        other.handoffs.save_checkpoint("c", "c")
    assert memory.handoffs.load_checkpoint().name == "b"
    memory.handoffs.save_checkpoint("a", "again")
    assert memory.handoffs.load_checkpoint().name == "a"
    assert [one.name for one in memory.handoffs.list_checkpoints()] == ["a", "b"]
    assert {one.name for one in memory.handoffs.list_checkpoints(all_projects=True)} == {
        "a",
        "b",
        "c",
    }


def test_names_that_fold_to_one_are_two_checkpoints(memory: Memory) -> None:
    for name in ("Noon", "noon", "no/on", "index"):
        memory.handoffs.save_checkpoint(name, name, bare=True)
    for name in ("Noon", "noon", "no/on", "index"):
        assert memory.handoffs.load_checkpoint(name).snapshot == {"given": name}


def test_one_that_was_forgotten_is_not_loaded_until_it_is_saved_again(memory: Memory) -> None:
    memory.forget(memory.handoffs.save_checkpoint("noon", "x").id)
    with pytest.raises(NotFoundError):
        memory.handoffs.load_checkpoint("noon")
    memory.handoffs.save_checkpoint("noon", "y", bare=True)
    assert memory.handoffs.load_checkpoint("noon").snapshot == {"given": "y"}


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "given",
    ["x" * MOST_GIVEN, deep(33), deep(5000), [float("nan")], "a\0b", "a\ud800", {1: {2}}],
    ids=["too much", "too deep", "far too deep", "no number", "no text", "no Unicode", "no JSON"],
)  # fmt: skip
def test_what_could_not_be_read_back_is_refused(memory: Memory, vault: Path, given: object) -> None:
    with pytest.raises(UsageError):
        memory.handoffs.save_checkpoint("noon", given)
    assert not (vault / "Memory/checkpoints").exists()


def test_nothing_is_no_checkpoint(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.handoffs.save_checkpoint("noon", bare=True)
    with pytest.raises(UsageError):
        memory.handoffs.save_checkpoint(" ", "x")


def test_a_secret_in_it_reaches_no_file(memory: Memory, vault: Path) -> None:
    token = "ghp_" + "x7Kq2LmZ9vRt4WbN8sYp3HdF6jGcA1eUoTi5"
    memory.handoffs.save_checkpoint("noon", {"deploy": {"token": token}})
    assert token not in (vault / "Memory/checkpoints/noon.json").read_text()


def test_a_ledger_is_a_file_with_the_seeds_fields_and_one_key_more(
    memory: Memory, vault: Path
) -> None:
    state, context = SEED["state"], SEED["context"]
    outcome = memory.handoffs.save_ledger(
        "eng-001-backend",
        task=SEED["current_task"],
        completed=SEED["tasks_completed"],
        files=state["files_modified"],
        uncommitted=state["uncommitted_changes"],
        commit=state["last_git_commit"],
        tech=context["tech_stack"],
        patterns=context["patterns_learned"],
        goal=context["current_goal"],
    )
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
