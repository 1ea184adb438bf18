"""Codex's transcripts, in the forms that its versions wrote."""

from __future__ import annotations

import json

import pytest

from support.transcripts import FAILING_TEST, Codex
from unit.learn.transcripts.reading import find, find_one


def test_a_session_of_codex_is_read_as_episodes() -> None:
    session = Codex().request("Count the users")
    session.run("rg -n user src", "src/a.py:1: user\n").edit("src/a.py", "user = 1", "user = 2")
    document = find_one(session.raw)
    assert document["agent"] == "codex"
    assert document["task_id"] == session.session
    assert document["context"]["goal"] == "Count the users"
    assert [action["action"] for action in document["action_log"]] == ["search", "edit_file"]
    assert document["artifacts_produced"] == ["src/a.py"]
    assert document["outcome"] == "success"


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("exec_command", {"cmd": "pytest"}, "Chunk ID: 1\nWall time: 1 seconds\nProcess exited with"
         " code 2\nOriginal token count: 1\nOutput:\nValueError: no"),
        ("shell_command", {"command": "pytest"},
         "Exit code: 2\nWall time: 0.1 seconds\nTotal output lines: 9\nOutput:\nValueError: no"),
        ("shell", {"command": ["bash", "-lc", "pytest"]},
         json.dumps({"output": "ValueError: no", "metadata": {"exit_code": 2}})),
    ],
)  # fmt: skip
def test_a_command_that_failed_is_known_in_every_form_of_output(
    tool: str, arguments: dict[str, object], result: str
) -> None:
    document = find_one(Codex().request("Test it").call(tool, result, **arguments).raw)
    assert document["action_log"][0]["result"] == "fail"
    assert document["errors_encountered"] == [
        {"type": "ValueError", "message": "no", "resolution": ""}
    ]
    assert document["outcome"] == "failure"


def test_a_local_shell_call_and_a_search_are_actions() -> None:
    session = Codex().request("Look it up")
    session.item(type="web_search_call", action={"type": "search", "query": "weather"})
    action = {"type": "exec", "command": ["ls", "-l", "src"]}
    session.item(type="local_shell_call", call_id="c1", action=action)
    session.item(type="function_call_output", call_id="c1", output="Exit code: 0\nOutput:\na")
    log = find_one(session.raw)["action_log"]
    assert [(one["action"], one["target"]) for one in log] == [
        ("search_web", "weather"), ("search", "ls -l src"),
    ]  # fmt: skip


def test_a_patch_that_does_not_apply_is_an_error() -> None:
    session = Codex().request("Edit it")
    session.patch("*** Update File: a.py\n@@\n-x\n+y", "apply_patch verification failed: no x", 1)
    (error,) = find_one(session.raw)["errors_encountered"]
    assert error["type"] == "exit code 1"
    assert error["message"] == "apply_patch verification failed: no x"


def test_instructions_and_contexts_are_no_requests() -> None:
    session = Codex()
    session.message(
        "user", "# AGENTS.md instructions for /home/ada\n<INSTRUCTIONS>\nBe good.\n</INSTRUCTIONS>"
    )
    session.message("developer", "Be terse.").request("Count the users").run("wc -l a", "1")
    (found,) = find(session.raw)
    assert found.document()["context"]["goal"] == "Count the users"


def test_an_aborted_turn_is_interrupted() -> None:
    session = Codex().request("Count").run("wc -l a", "1")
    session.event(type="turn_aborted", reason="interrupted")
    assert find_one(session.raw)["outcome"] == "interrupted"


def test_tokens_are_what_the_totals_grew_by() -> None:
    def total(taken: int, cached: int, given: int) -> dict[str, object]:
        used = {"input_tokens": taken, "cached_input_tokens": cached, "output_tokens": given}
        return {"total_token_usage": used}

    session = Codex().request("Count").run("wc -l a", "1")
    session.event(type="token_count", info=total(100, 40, 10))
    session.event(type="token_count", info=None)
    session.request("Create a table of the users").run("wc -l b", "1")
    session.event(type="token_count", info=total(150, 60, 15))
    metrics = [found.beside()["metrics"] for found in find(session.raw)]
    assert [(one["tokens_in"], one["tokens_out"]) for one in metrics] == [(60, 10), (30, 5)]


def test_a_session_of_a_sub_agent_is_by_its_id() -> None:
    session = Codex("019b", source={"subagent": "review"}).request("Review").run("git diff", "a")
    assert find_one(session.raw)["agent"] == "019b"


def test_what_is_unknown_is_passed_over() -> None:
    session = Codex().request("Count").item(type="dream", text="sheep").run("wc -l a", "1")
    session.add({"timestamp": session.tick(), "type": "new_envelope", "payload": {}})
    session.item(type="reasoning", summary=[])
    log = find_one(session.raw)["action_log"]
    assert [one["action"] for one in log] == ["read_file"]


def test_a_process_that_ran_on_ended_as_it_was_told_later() -> None:
    header = "Chunk ID: 1\nWall time: 10.0 seconds\n"
    running = f"{header}Process running with session ID 41\nOutput:\ncollecting"
    ended = f"{header}Process exited with code 1\nOriginal token count: 9\nOutput:\n{FAILING_TEST}"
    session = Codex().request("Test it").call("exec_command", running, cmd="pytest")
    session.call("write_stdin", running, session_id=41, chars="")
    session.call("write_stdin", ended, session_id=41, chars="")
    document = find_one(session.raw)
    assert [(one["action"], one.get("result")) for one in document["action_log"]] == [
        ("run_test", "fail"), ("read_output", None), ("read_output", "ok"),
    ]  # fmt: skip
    assert document["errors_encountered"][0]["type"] == "TypeError"
    assert document["outcome"] == "failure"


def test_a_request_about_a_call_that_was_aborted_stops_nothing() -> None:
    session = Codex().request("Why was it aborted by user ada?").run("wc -l a", "1")
    document = find_one(session.raw)
    assert document["context"]["goal"] == "Why was it aborted by user ada?"
    assert document["outcome"] != "interrupted"


def test_a_call_that_the_user_broke_off_is_interrupted() -> None:
    session = Codex().request("Count").call("exec_command", "aborted by user after 3.2s", cmd="wc")
    assert find_one(session.raw)["outcome"] == "interrupted"
