"""Gemini CLI's transcripts, as its version 0.61 writes them."""

from __future__ import annotations

from support.transcripts import Gemini
from unit.learn.transcripts.reading import find, find_one


def test_a_session_of_gemini_is_read_as_episodes_and_no_message_twice() -> None:
    session = Gemini().request("Count the users").said("I look for them.")
    session.run("rg -n user src", "src/a.py:1: user").edit("src/a.py", "user = 1", "user = 2")
    document = find_one(session.raw)
    assert document["agent"] == "gemini"
    assert document["task_id"] == session.session
    assert document["context"]["goal"] == "Count the users"
    assert [action["action"] for action in document["action_log"]] == ["search", "edit_file"]
    assert document["outcome"] == "success"
    (found,) = find(session.raw)
    assert found.beside()["metrics"]["calls"] == 2
    assert found.beside()["metrics"]["tokens_in"] == 3 * 8


def test_a_command_that_failed_is_known_by_its_code_and_what_it_wrote() -> None:
    session = Gemini().request("Test it").run("pytest", "ValueError: no", code=2)
    session.run("touch db").run("pytest", "1 passed")
    document = find_one(session.raw)
    assert [one["result"] for one in document["action_log"]] == ["fail", "ok", "pass"]
    (error,) = document["errors_encountered"]
    assert (error["type"], error["message"]) == ("ValueError", "no")
    assert "touch db" in error["resolution"]


def test_a_tool_that_fails_and_one_that_is_cancelled_are_told_apart() -> None:
    session = Gemini().request("Read it").call("read_file", "not there", "error", file_path="a")
    assert find_one(session.raw)["action_log"][0]["result"] == "fail"
    session.request("Fix the server").call("run_shell_command", "", "cancelled", command="sleep 9")
    assert find(session.raw)[1].document()["outcome"] == "interrupted"


def test_what_the_host_and_hooks_say_is_no_request() -> None:
    session = Gemini().request("<hook_context>Never deploy.</hook_context>\n\nCount the users")
    session.run("wc -l a", "1 a")
    assert find_one(session.raw)["context"]["goal"] == "Count the users"


def test_lines_of_an_unknown_kind_are_passed_over() -> None:
    session = Gemini().request("Count").run("wc -l a", "1")
    session.add({"id": "x", "type": "dream", "content": "sheep"})
    session.add({"$set": {"lastUpdated": session.tick()}})
    session.add({"$set": {"messages": "none", "x": [1]}})
    session.add({"id": "y", "type": "gemini", "toolCalls": [7, {"result": [8]}], "tokens": 9})
    log = find_one(session.raw)["action_log"]
    assert [one["action"] for one in log] == ["read_file", "call_tool"]
