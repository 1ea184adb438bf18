"""Claude Code's transcripts: requests, calls, results, and what no user said."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from engrain.language.text.fences import close_fence, open_fence
from support.transcripts import FAILING_TEST, ClaudeCode
from unit.learn.transcripts.reading import find, find_one


def test_an_episode_has_exactly_the_fields_of_the_seed_in_their_order() -> None:
    session = ClaudeCode().request("Look at the server").run("cat src/server.py", "x = 1\n")
    document = find_one(session.raw)
    assert list(document) == [
        "id", "task_id", "timestamp", "duration_seconds", "agent", "context", "action_log",
        "outcome", "errors_encountered", "artifacts_produced", "git_commit",
    ]  # fmt: skip
    assert list(document["context"]) == ["phase", "goal", "constraints", "files_involved"]
    assert document["context"]["goal"] == "Look at the server"
    assert document["task_id"] == session.session
    assert document["agent"] == "claude-code"
    assert document["timestamp"] == "2026-08-29T10:40:02Z"
    assert document["duration_seconds"] == 4
    assert document["action_log"] == [
        {"t": 2, "action": "read_file", "target": "cat src/server.py", "result": "ok"}
    ]


def test_what_belongs_to_a_task_is_a_part_of_it() -> None:
    session = ClaudeCode()
    session.request("Add a button").call("Write", file_path="/home/ada/shop/a.html", content="")
    session.request("Thanks!").said("You are welcome.")
    session.request("Now make it blue").edit("a.html", "red", "blue")
    session.request("Write a test for the login page").edit("test.py", "", "def test_login(): ...")
    found = [task.document() for task in find(session.raw)]
    goals = [document["context"]["goal"] for document in found]
    assert goals == ["Add a button", "Write a test for the login page"]
    assert len(found[0]["action_log"]) == 2


def test_a_go_ahead_has_the_goal_of_the_request_before_it() -> None:
    session = ClaudeCode().request("Shall we move to Postgres?").said("Yes. Shall I begin?")
    session.request("Yes, go ahead!").run("psql -c 'create table a()'")
    assert find_one(session.raw)["context"]["goal"] == "Shall we move to Postgres?"


def test_what_a_host_puts_into_a_message_is_no_part_of_the_goal() -> None:
    mark = "0123456789abcdef"
    recalled = f"{open_fence(mark)}\nThe vault says: use tabs.\n{close_fence(mark)}"
    text = (
        "<system-reminder>Never tell.</system-reminder><ide_opened_file>The user opened a.py"
        f"</ide_opened_file>Sort the imports\n{recalled}"
    )
    session = ClaudeCode().request([{"type": "text", "text": text}]).run("isort .")
    assert find_one(session.raw)["context"]["goal"] == "Sort the imports"


@pytest.mark.parametrize("flag", ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"])
def test_what_the_user_did_not_say_is_no_request(flag: str) -> None:
    session = ClaudeCode().request("Sort the imports").request("An aside", **{flag: True})
    session.run("isort .")
    assert find_one(session.raw)["context"]["goal"] == "Sort the imports"


def test_a_command_of_the_host_is_told_by_its_name_and_arguments() -> None:
    text = (
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
        "<command-args>the  last commit</command-args>"
    )
    session = ClaudeCode().request(text).request("Long prompt", isMeta=True).run("git show")
    assert find_one(session.raw)["context"]["goal"] == "/review the last commit"


def test_a_sub_agents_file_is_an_episode_of_its_own() -> None:
    session = (
        ClaudeCode(agent="a5bdbc1").request("Find adjectives").call("WebSearch", query="curry")
    )
    document = find_one(session.raw)
    assert (document["agent"], document["task_id"]) == ("a5bdbc1", session.session)
    assert document["action_log"][0]["action"] == "search_web"


def test_what_a_sub_agent_does_belongs_to_the_task_that_asked_it() -> None:
    session, below = ClaudeCode(), ClaudeCode(agent="a1")
    session.request("Write a poem")
    task = session.begin("Task", description="Look it up")
    below.request("Look it up").call("WebSearch", query="curry")
    session.end(task, "Done.")
    raw = b"".join([*session.lines[:2], *below.lines, *session.lines[2:]])
    document = find_one(raw)
    assert document["agent"] == "claude-code"
    assert [one["action"] for one in document["action_log"]] == ["search_web", "delegate"]


def test_copies_of_a_request_are_one_episode() -> None:
    session = ClaudeCode().request("Sort the imports").run("isort .")
    copied = [json.loads(line) | {"uuid": f"copy-{n}"} for n, line in enumerate(session.lines)]
    session.lines += [json.dumps(line).encode() + b"\n" for line in copied]
    session.request("Refactor the tests in every folder").run("isort tests")
    goals = [found.document()["context"]["goal"] for found in find(session.raw)]
    assert goals == ["Sort the imports", "Refactor the tests in every folder"]


def test_tokens_of_a_message_that_stands_on_several_lines_count_once() -> None:
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 900}
    session = ClaudeCode().request("Sort the imports")
    for given in (1, 7):
        message = {"id": "msg_1", "usage": {**usage, "output_tokens": given}}
        session.said("So.", message=message)
    session.run("isort .")
    session.said("Done.", message={"id": "msg_2", "usage": {"input_tokens": 1, "output_tokens": 2}})
    (found,) = find(session.raw)
    metrics = found.beside()["metrics"]
    assert (metrics["tokens_in"], metrics["tokens_out"], metrics["tokens"]) == (16, 9, 25)


def test_what_can_not_be_read_is_passed_over_and_counted() -> None:
    session = ClaudeCode().request("Look at it")
    session.lines.append(b"// a comment\n")
    session.lines.append(b'["no", "object"]\n')
    session.lines.append(b"[" * 100_000 + b"\n")
    session.add({"type": "telepathy", "sessionId": session.session})
    session.add({"type": "progress", "sessionId": session.session})
    session.call("Read", [{"type": "image", "source": {"data": "AAAA"}}], file_path="a.png")
    session.lines.append(b'{"type": "assistant", "mess')
    passed: Counter[str] = Counter()
    (found,) = find(session.raw, passed)
    assert found.document()["action_log"][0]["result"] == "ok"
    assert passed == {"broken": 3, "images": 1, "unfinished": 1}


def test_a_line_of_the_wrong_shape_stops_nothing() -> None:
    session = ClaudeCode().request("Look at it")
    shapes: list[object] = [
        None,
        5,
        "text",
        [],
        {"content": 5},
        {"content": [5, None, {"type": []}]},
    ]
    for wrong in shapes:
        session.add({"type": "assistant", "sessionId": "x", "message": wrong, "timestamp": {}})
        session.add({"type": "user", "sessionId": "x", "message": wrong, "timestamp": 1e300})
    session.request("Then go").run("ls", "a")
    assert find(session.raw)[-1].document()["context"]["goal"] == "Then go"


def test_paths_are_told_from_the_sessions_folder() -> None:
    session = ClaudeCode().request("Look").call("Read", file_path="/home/ada/shop/src/a.py")
    session.call("Read", file_path="/etc/hosts").edit("src/a.py", "a", "b")
    document = find_one(session.raw)
    assert document["context"]["files_involved"] == ["src/a.py", "/etc/hosts"]
    assert document["artifacts_produced"] == ["src/a.py"]


def test_the_hash_of_a_commit_is_reported_by_its_output() -> None:
    session = ClaudeCode().request("Commit it")
    session.run(
        "git add -A && git commit -m 'Sort imports'", "[main f0bf20a] Sort imports\n 1 file"
    )
    document = find_one(session.raw)
    assert document["git_commit"] == "f0bf20a"
    assert document["action_log"][0]["action"] == "commit"


def test_a_command_in_the_background_ended_as_a_later_call_was_reported() -> None:
    session = ClaudeCode().request("Test it")
    session.call(
        "Bash", "Command running in background with ID: b57. Output is at x", command="pytest"
    )
    session.call("TaskOutput", "<status>running</status>", task_id="b57")
    told = f"<status>failed</status>\n<exit_code>1</exit_code>\n<output>\n{FAILING_TEST}</output>"
    session.call("TaskOutput", told, task_id="b57")
    document = find_one(session.raw)
    assert [one.get("result") for one in document["action_log"]] == ["fail", "ok", "ok"]
    assert document["outcome"] == "failure"
    assert document["errors_encountered"][0]["type"] == "TypeError"


def test_a_file_that_tells_of_another_processs_end_has_not_failed() -> None:
    told = "<status>failed</status>\n<exit_code>1</exit_code>\n"
    session = ClaudeCode().request("Look").call("Read", told, file_path="log.txt")
    assert find_one(session.raw)["action_log"][0]["result"] == "ok"
