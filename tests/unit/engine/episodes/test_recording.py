"""Recording an episode as it happens: nothing is lost with the process, nothing filed twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, UsageError
from engrain.engine.episodes.episode import FiledEpisode
from engrain.model.errors import StorageError
from support.vaults import START, FakeClock, make_memory


def only(memory: Memory) -> dict[str, Any]:
    """The one episode there is."""
    (row,) = memory.episodes.list().rows
    return dict(memory.episodes.read(row.id)[1])


def left(tmp_path: Path) -> list[str]:
    """The recordings on this device."""
    return [path.name for path in (tmp_path / "state").rglob("episodes/*")]


def test_what_happened_in_the_block_is_an_episode_with_times_from_the_clock(
    memory: Memory, tmp_path: Path
) -> None:
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
    assert left(tmp_path) == []


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
def test_one_without_a_goal_is_not_begun(memory: Memory, tmp_path: Path, goal: str) -> None:
    with pytest.raises(UsageError, match="needs a goal"):
        memory.episodes.record(goal)
    assert left(tmp_path) == []


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


def test_one_under_way_is_left_alone_by_whoever_looks_for_those_that_were_left(
    memory: Memory,
) -> None:
    with memory.episodes.record("first") as first:
        with memory.episodes.record("second"):
            assert memory.episodes.recover() == []
        assert [row.title for row in memory.episodes.list().rows] == ["second"]
        first.action("still at it")
    assert sorted(row.title for row in memory.episodes.list().rows) == ["first", "second"]


# -- processes that die ----------------------------------------------------------------------------

KILLED = """
import os, sys
from engrain import open_memory
memory = open_memory(
    sys.argv[1], state_dir=sys.argv[2], backend="device-local", project="billing",
    agent="eng-001", trust=sys.argv[3],
)
with memory.episodes.record("Add POST /todos", task="t1", files=["a.ts"]) as episode:
    for n in range(20):
        episode.action("run_test", target=f"t{n}", result="fail", error="boom")
    episode.error("TypeScript", "boom", "mended")
    episode.artifact("a.ts")
    os.kill(os.getpid(), 9)
"""


LEAVE_MANY = """
import os, sys
from engrain import open_memory
memory = open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local")
episodes = [memory.episodes.record(f"goal {n}") for n in range(8)]
for episode in episodes:
    episode.action("x")
os.kill(os.getpid(), 9)
"""


def kill_one(folder: Path, trust: str = "agent") -> None:
    make_memory(folder).close()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder / "vault"), str(folder / "state"), trust],
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def test_of_a_killed_process_the_trace_up_to_the_kill_is_there(tmp_path: Path) -> None:
    kill_one(tmp_path)
    with make_memory(tmp_path, project="billing") as memory:
        episode = only(memory)
        assert episode["outcome"] == "interrupted"
        assert episode["agent"] == "eng-001"
        assert [action["target"] for action in episode["action_log"]] == [
            f"t{n}" for n in range(20)
        ]
        assert episode["errors_encountered"][0]["resolution"] == "mended"
        assert episode["artifacts_produced"] == ["a.ts"]
        (row,) = memory.episodes.list("interrupted").rows
        assert (row.project, row.source) == ("billing", "agent")
    assert left(tmp_path) == []


def test_who_begins_the_next_episode_files_what_was_left(tmp_path: Path) -> None:
    kill_one(tmp_path)
    with make_memory(tmp_path, project="billing") as memory, memory.episodes.record("next"):
        rows = memory.list().rows
        assert [row.title for row in rows] == ["Add POST /todos"]


def test_what_an_outsider_left_is_trusted_no_more_by_who_files_it(tmp_path: Path) -> None:
    kill_one(tmp_path, "external")
    with make_memory(tmp_path, project="billing", trust="operator") as memory:
        (filed,) = memory.episodes.recover()
        assert memory.show(filed.id).origin == "external"


def test_several_who_look_at_once_file_it_once(tmp_path: Path) -> None:
    make_memory(tmp_path).close()
    place = [str(tmp_path / "vault"), str(tmp_path / "state")]
    subprocess.run([sys.executable, "-c", LEAVE_MANY, *place], check=False)
    found: list[FiledEpisode] = []
    with make_memory(tmp_path) as memory:
        threads = [
            threading.Thread(target=lambda: found.extend(memory.episodes.recover()))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [filed.outcome for filed in found] == ["created"] * 8
        assert memory.episodes.recover() == []
        assert len(memory.list().rows) == 8


def test_what_can_not_be_filed_now_is_filed_later_with_its_outcome(tmp_path: Path) -> None:
    memory = make_memory(tmp_path)
    episode = memory.episodes.record("g")
    episode.action("x")
    vault = tmp_path / "vault"
    vault.rename(tmp_path / "away")
    with pytest.raises(Exception, match="vault"):
        episode.end("partial")
    (tmp_path / "away").rename(vault)
    assert only(memory)["outcome"] == "partial"
    assert left(tmp_path) == []
    memory.close()


def test_an_exception_is_not_hidden_by_a_vault_that_is_gone(tmp_path: Path) -> None:
    memory = make_memory(tmp_path)
    vault = tmp_path / "vault"
    with pytest.raises(ValueError, match="mine") as caught, memory.episodes.record("g"):
        vault.rename(tmp_path / "away")
        raise ValueError("mine")
    assert any("not filed yet" in note for note in caught.value.__notes__)
    (tmp_path / "away").rename(vault)
    assert only(memory)["outcome"] == "failure"
    memory.close()


def test_a_recording_whose_beginning_can_not_be_read_is_filed_all_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    memory.list()
    recordings = next((tmp_path / "state").rglob("index")).parent / "episodes"
    recordings.mkdir()
    torn = f'\x00\x00\n{{"event": "action", "at": {START}, "action": "x"}}\n'
    (recordings / "01m80fd09je3sr9yzgmx6nyn10.jsonl").write_text(torn)
    (recordings / "01m80fd09je3sr9yzgmx6nyn11.jsonl").write_text("\n\n")
    assert only(memory)["context"]["goal"] == "an episode whose beginning was lost"
    assert list(recordings.iterdir()) == []


def test_a_state_folder_that_can_not_be_written_is_told_at_once(
    memory: Memory, tmp_path: Path
) -> None:
    memory.list()
    recordings = next((tmp_path / "state").rglob("index")).parent / "episodes"
    recordings.write_text("a file")
    with pytest.raises(StorageError):
        memory.episodes.record("g")


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


def test_no_secret_gets_even_into_the_journal(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    with memory.episodes.record(f"Rotate {token}") as episode:
        episode.action("run_command", target=f"curl -H 'Authorization: Bearer {token}'")
        kept = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
        assert [path.name for path in kept if token.encode() in path.read_bytes()] == []
        assert left(tmp_path)
