"""Recording an episode as it happens."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, UsageError
from support.vaults import FakeClock, make_memory


def only(memory: Memory) -> dict[str, Any]:
    """The one episode there is."""
    (row,) = memory.episodes.list().rows
    return dict(memory.episodes.read(row.id)[1])


def test_what_happened_in_the_block_is_an_episode_with_times_from_the_clock(memory: Memory) -> None:
    with memory.episodes.record(
        "Add POST /todos",
        task="task-042",
        phase="work",
        constraints=["no new deps"],
        files=["src/todos.ts"],
        agent="eng-001",
    ) as episode:
        episode.action("run_test", target="todos", result="fail", error="no return type")
        episode.error("TypeScript", "no return type", "added `: void`")
        episode.action("run_test", target="todos", result="pass")
        episode.artifact("src/todos.ts")
        episode.commit = "abc123"
    assert episode.filed is not None
    assert only(memory) == {
        "id": episode.id,
        "task_id": "task-042",
        "timestamp": only(memory)["timestamp"],
        "duration_seconds": 5.0,
        "agent": "eng-001",
        "context": {
            "phase": "work",
            "goal": "Add POST /todos",
            "constraints": ["no new deps"],
            "files_involved": ["src/todos.ts"],
        },
        "action_log": [
            {
                "t": 1.0, "action": "run_test", "target": "todos", "result": "fail",
                "error": "no return type",
            },
            {"t": 3.0, "action": "run_test", "target": "todos", "result": "pass"},
        ],
        "outcome": "success",
        "errors_encountered": [
            {"type": "TypeScript", "message": "no return type", "resolution": "added `: void`"}
        ],
        "artifacts_produced": ["src/todos.ts"],
        "git_commit": "abc123",
    }  # fmt: skip


def test_the_outcome_that_was_said_is_that_of_the_episode(memory: Memory) -> None:
    with memory.episodes.record("g") as episode:
        episode.outcome = "partial"
        with pytest.raises(UsageError, match="no outcome"):
            episode.outcome = "splendid"
    assert only(memory)["outcome"] == "partial"


def test_an_exception_makes_it_a_failure_and_goes_on_its_way(memory: Memory) -> None:
    with pytest.raises(ValueError, match="no good"), memory.episodes.record("g") as episode:
        episode.action("try")
        raise ValueError("no good")
    assert only(memory)["outcome"] == "failure"
    assert only(memory)["errors_encountered"] == [
        {"type": "ValueError", "message": "no good", "resolution": ""}
    ]


def test_who_is_interrupted_by_hand_was_interrupted(memory: Memory) -> None:
    with pytest.raises(KeyboardInterrupt), memory.episodes.record("g"):
        raise KeyboardInterrupt
    assert only(memory)["outcome"] == "interrupted"
    assert only(memory)["errors_encountered"] == []


def test_nothing_is_recorded_once_it_has_ended(memory: Memory) -> None:
    with memory.episodes.record("g") as episode:
        episode.end("failure")
    with pytest.raises(UsageError, match="has ended"):
        episode.action("late")
    assert only(memory)["outcome"] == "failure"


@pytest.mark.parametrize("goal", ["", " \n"])
def test_one_without_a_goal_is_not_begun(memory: Memory, goal: str) -> None:
    with pytest.raises(UsageError, match="needs a goal"):
        memory.episodes.record(goal)


def test_an_action_without_a_name_is_refused_at_once(memory: Memory) -> None:
    with memory.episodes.record("g") as episode, pytest.raises(UsageError, match="without a name"):
        episode.action(" ")


def test_actions_of_several_threads_are_all_kept(memory: Memory) -> None:
    with memory.episodes.record("g") as episode:

        def act(who: int) -> None:
            for n in range(40):
                episode.action(f"{who}-{n}")

        threads = [threading.Thread(target=act, args=(who,)) for who in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    names = {action["action"] for action in only(memory)["action_log"]}
    assert names == {f"{who}-{n}" for who in range(5) for n in range(40)}


def test_an_exception_is_not_hidden_by_a_vault_that_is_gone(tmp_path: Path) -> None:
    memory = make_memory(tmp_path)
    vault = tmp_path / "vault"
    with pytest.raises(ValueError, match="mine") as caught, memory.episodes.record("g"):
        vault.rename(tmp_path / "away")
        raise ValueError("mine")
    assert any("not filed" in note for note in caught.value.__notes__)
    memory.close()


def test_a_clock_that_goes_back_makes_no_time_negative(tmp_path: Path) -> None:
    clock = FakeClock(step=0.0)
    with make_memory(tmp_path, clock=clock) as memory:
        with memory.episodes.record("g") as episode:
            clock.at -= 500
            episode.action("x")
            clock.at += 507
            episode.action("y")
        assert [action["t"] for action in only(memory)["action_log"]] == [0, 7]
        assert only(memory)["duration_seconds"] == 7
    assert os.listdir(tmp_path / "vault") != []


def test_no_secret_gets_into_the_vault(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    with memory.episodes.record(f"Rotate {token}") as episode:
        episode.action("run_command", target=f"curl -H 'Authorization: Bearer {token}'")
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in kept if token.encode() in path.read_bytes()] == []
