"""Episodes: how one ended, what is kept of a long one, and what it is known by."""

from __future__ import annotations

import pytest

from support.transcripts import FAILING_TEST, PASSING_TEST, ClaudeCode
from unit.learn.transcripts.reading import find, find_one


def begun() -> ClaudeCode:
    return ClaudeCode().request("Do it")


def pending() -> ClaudeCode:
    session = begun()
    session.begin("Bash", command="pytest")
    return session


OUTCOMES = {
    "the last test passed": ("success", begun().run("pytest", PASSING_TEST)),
    "the last test failed": ("failure", begun().edit("a.py", "a", "b").run("pytest", "x", 1)),
    "a failed command after it does not matter": (
        "success",
        begun().run("pytest", PASSING_TEST).run("rm a", "rm: cannot remove 'a'", 1),
    ),
    "it was committed all the same": (
        "partial",
        begun().run("pytest", FAILING_TEST, 1).run("git commit -m x", "[main 1234567] x"),
    ),
    "the last command went well": ("success", begun().run("./deploy", "done")),
    "the last command failed": ("failure", begun().run("./deploy", "no", 1)),
    "another command was not mended": (
        "partial",
        begun().run("./migrate", "no", 1).run("./deploy", "done"),
    ),
    "a file was changed": ("success", begun().edit("a.py", "a", "b")),
    "the change failed": ("failure", begun().call("Edit", "no", failed=True, file_path="a")),
    "nothing was run or changed": ("unknown", begun().call("Read", "x", file_path="a")),
    "a result is still to come": ("unknown", pending()),
    "the user stopped it": ("interrupted", begun().run("pytest", PASSING_TEST).interrupt()),
    "the service failed": (
        "interrupted",
        begun().run("pytest", PASSING_TEST).said("API Error: 500", isApiErrorMessage=True),
    ),
    "the service failed, and it went on": (
        "success",
        begun().said("API Error: 500", isApiErrorMessage=True).run("pytest", PASSING_TEST),
    ),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_the_outcome_is_told_by_the_rule(case: str) -> None:
    outcome, session = OUTCOMES[case]
    assert find_one(session.raw)["outcome"] == outcome


def test_a_call_that_the_user_refused_is_no_error() -> None:
    said = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    session = begun().call("Bash", said, failed=True, command="rm -rf /").interrupt()
    document = find_one(session.raw)
    assert document["action_log"][0]["result"] == "refused"
    assert document["errors_encountered"] == []
    assert document["outcome"] == "interrupted"


def test_a_command_in_the_background_has_no_result_yet() -> None:
    text = "Command running in background with ID: b5798f9. Output is being written to: /tmp/x"
    assert (
        "result" not in find_one(begun().call("Bash", text, command="serve").raw)["action_log"][0]
    )


def test_of_a_very_long_task_the_ends_are_kept_and_the_rest_is_counted() -> None:
    session = begun()
    for n in range(3000):
        session.call("Read", "x", file_path=f"{n}.py")
    (found,) = find(session.raw)
    log = found.document["action_log"]
    assert log[0]["target"] == "0.py"
    assert log[-1]["target"] == "2999.py"
    assert len(log) + found.beside["omitted"]["actions"] == 3000
    assert found.beside["metrics"]["calls"] == 3000


def test_an_id_is_the_same_at_every_reading_and_another_for_each_request() -> None:
    session = begun().run("ls", "a")
    (first,) = find(session.raw)
    session.request("Do it").run("ls", "a")
    again = [found.document["id"] for found in find(session.raw)]
    assert again[0] == first.document["id"]
    assert again[1] != again[0]
    assert again[0].startswith("ep-2026-08-29-")


def test_two_sessions_with_the_same_request_are_two_episodes() -> None:
    ids = {
        find_one(ClaudeCode(name).request("Do it").run("ls", "a").raw)["id"] for name in ("a", "b")
    }
    assert len(ids) == 2


def test_a_goal_is_cut_and_of_one_line() -> None:
    goal = find_one(ClaudeCode().request("many words\n" * 5000).run("ls", "a").raw)["context"][
        "goal"
    ]
    assert 590 < len(goal) <= 600
    assert "\n" not in goal


def test_clocks_that_go_back_make_no_negative_times() -> None:
    session = begun()
    session.at -= 1000
    document = find_one(session.run("ls", "a").raw)
    assert document["duration_seconds"] == 0
    assert document["action_log"][0]["t"] == 0


def test_a_result_of_no_call_and_a_call_before_any_request_are_nothing() -> None:
    session = ClaudeCode().call("Read", "x", file_path="a").request("Do it").end("toolu_x", "?")
    assert find(session.raw) == []
