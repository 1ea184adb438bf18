"""What went wrong, told from an output."""

from __future__ import annotations

import pytest

from engrain.learn.transcripts.actions import read_call
from engrain.learn.transcripts.tasks import describe_failure, has_failed
from engrain.model.experience.traces import error_signature
from support.transcripts import FAILING_TEST, PASSING_TEST, ClaudeCode, Codex, Gemini, fix_the_port
from unit.learn.transcripts.reading import find, find_one


@pytest.mark.parametrize(
    ("command", "output", "type_", "message"),
    [
        ("pytest", FAILING_TEST, "TypeError", 'can only concatenate str (not "int") to str'),
        ("pytest", "E       assert 344 == 345\n", "test failure", "assert 344 == 345"),
        ("python a.py", "Traceback (most recent call last):\n  File \"a.py\", line 1\n"
         "requests.exceptions.ConnectionError: refused\n", "ConnectionError", "refused"),
        ("python a.py", "KeyError: 'x'\n\nDuring handling of the above exception\n\n"
         "ValueError: no x\n", "ValueError", "no x"),
        ("node a.js", "Uncaught TypeError: x is not a function\n", "TypeError",
         "x is not a function"),
        ("npx tsc", "Compiling\nsrc/a.ts(3,5): error TS2322: Type 'string' is not assignable.\n",
         "exit code 3", "src/a.ts(3,5): error TS2322: Type 'string' is not assignable."),
        ("go test", "--- FAIL: TestShop (0.00s)\n", "test failure", "--- FAIL: TestShop (0.00s)"),
        ("ls x", "ls: cannot access 'x': No such file or directory\n", "exit code 3",
         "ls: cannot access 'x': No such file or directory"),
        ("git push", "fatal: no upstream branch\n", "exit code 3", "fatal: no upstream branch"),
        ("x", "\x1b[31mError:\x1b[0m session info not available\n", "exit code 3",
         "Error: session info not available"),
        ("x", "something odd\n", "exit code 3", "something odd"),
        ("x", "", "exit code 3", ""),
    ],
)  # fmt: skip
def test_type_and_message_are_those_of_the_telling_line(
    command: str, output: str, type_: str, message: str
) -> None:
    action = read_call("Bash", {"command": command})
    assert describe_failure(action, output, 3, "") == (type_, message)


def test_a_failing_tool_that_is_no_command_is_reported_by_its_action() -> None:
    action = read_call("Skill", {"skill": "commit"})
    text = "<tool_use_error>Unknown skill: commit</tool_use_error>"
    assert describe_failure(action, text, None, "") == ("use_skill failed", "Unknown skill: commit")


def test_a_message_does_not_name_the_sessions_folder() -> None:
    action = read_call("Bash", {"command": "cat a"})
    found = describe_failure(
        action, "cat: /home/ada/shop/a: No such file or directory", 1, "/home/ada/shop"
    )
    assert found[1] == "cat: a: No such file or directory"


def test_a_test_whose_output_says_so_has_failed_whatever_the_pipe_returned() -> None:
    action = read_call("Bash", {"command": "pytest | tail -3"})
    assert has_failed(action, FAILING_TEST, False)
    assert not has_failed(action, PASSING_TEST, None)
    assert not has_failed(read_call("Bash", {"command": "cat log"}), FAILING_TEST, False)


def test_a_huge_output_is_reported_at_once() -> None:
    action = read_call("Bash", {"command": "x"})
    for text in ("=" * 3_000_000, "E " * 1_000_000, "1 failed" * 500_000, "a.b." * 500_000 + "\n"):
        describe_failure(action, text, 1, "")
        has_failed(action, text, None)


RESOLUTION = (
    'edited src/server.py: return "http://" + host + ":" + port → '
    'return "http://" + host + ":" + str(port)'
)


@pytest.mark.parametrize("other", [Codex, Gemini])
def test_two_hosts_tell_the_same_failure_and_fix_alike(other: type[Codex | Gemini]) -> None:
    claude = find_one(fix_the_port(ClaudeCode()))
    another = find_one(fix_the_port(other(), "The url lacks its port"))
    assert claude["outcome"] == another["outcome"] == "success"
    (ours,), (theirs,) = claude["errors_encountered"], another["errors_encountered"]
    assert (
        ours
        == theirs
        == {
            "type": "TypeError",
            "message": 'can only concatenate str (not "int") to str',
            "resolution": RESOLUTION,
        }
    )
    assert error_signature(ours["type"], ours["message"])
    named = [[one["action"] for one in document["action_log"]] for document in (claude, another)]
    assert named[0] == named[1] == ["read_file", "run_test", "edit_file", "run_test"]


def test_a_failure_that_was_never_mended_has_no_resolution() -> None:
    session = ClaudeCode().request("Test it").run("pytest", FAILING_TEST, 1)
    session.edit("a.py", "a", "b").run("pytest", FAILING_TEST, 1)
    document = find_one(session.raw)
    assert [error["resolution"] for error in document["errors_encountered"]] == [""]
    assert document["outcome"] == "failure"


def test_only_what_was_done_after_the_last_try_that_failed_is_the_fix() -> None:
    session = ClaudeCode().request("Test it").run("pytest", FAILING_TEST, 1)
    session.edit("a.py", "wrong = 1", "wrong = 2").run("pytest", FAILING_TEST, 1)
    session.edit("a.py", "right = 1", "right = 2").run("pytest", PASSING_TEST)
    (error,) = find_one(session.raw)["errors_encountered"]
    assert error["resolution"] == "edited a.py: right = 1 → right = 2"


def test_an_error_that_gave_way_to_another_was_mended_by_what_was_done_till_then() -> None:
    session = ClaudeCode().request("Run it").run("python a.py", "NameError: name 'x'", 1)
    session.edit("a.py", "x", "y").run("python a.py", "ValueError: y", 1)
    session.edit("a.py", "y", "z").run("python a.py", "fine")
    errors = find_one(session.raw)["errors_encountered"]
    assert [(error["type"], error["resolution"]) for error in errors] == [
        ("NameError", "edited a.py: x → y"),
        ("ValueError", "edited a.py: y → z"),
    ]


def test_two_errors_one_after_the_other_are_mended_by_what_came_behind_both() -> None:
    session = ClaudeCode().request("Run it").run("python a.py", "NameError: name 'x'", 1)
    session.run("python a.py", "ValueError: y", 1).edit("a.py", "x", "y").run("python a.py", "ok")
    errors = find_one(session.raw)["errors_encountered"]
    assert [error["resolution"] for error in errors] == ["edited a.py: x → y"] * 2


def test_a_try_of_a_part_of_the_tests_mends_a_failure_of_all() -> None:
    session = ClaudeCode().request("Test it").run("pytest", FAILING_TEST, 1)
    session.edit("a.py", "a", "b").run("pytest tests/test_server.py -x", PASSING_TEST)
    assert find_one(session.raw)["errors_encountered"][0]["resolution"]


def test_tests_of_another_file_mend_nothing() -> None:
    session = ClaudeCode().request("Test it").run("pytest tests/a.py", FAILING_TEST, 1)
    session.edit("a.py", "a", "b").run("pytest tests/b.py", PASSING_TEST)
    assert find_one(session.raw)["errors_encountered"][0]["resolution"] == ""


def test_a_command_that_worked_in_another_form_is_its_own_fix() -> None:
    session = ClaudeCode().request("Push it").run("git push", "fatal: no upstream branch", 128)
    session.run("git push -u origin main", "done")
    (error,) = find_one(session.raw)["errors_encountered"]
    assert error["resolution"] == "ran git push -u origin main instead of git push"


def test_an_install_between_is_reported() -> None:
    session = ClaudeCode().request("Run it")
    session.run("python a.py", "ModuleNotFoundError: No module named 'requests'", 1)
    session.run("pip install requests", "Successfully installed").run("python a.py", "ok")
    (error,) = find_one(session.raw)["errors_encountered"]
    assert error["resolution"] == "ran pip install requests"


def test_an_edit_that_worked_once_the_file_was_read_is_no_fix() -> None:
    session = ClaudeCode().request("Edit it")
    path = f"{session.cwd}/a.py"
    said = "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>"
    session.call("Edit", said, failed=True, file_path=path, old_string="a", new_string="b")
    session.call("Read", "a", file_path=path).edit("a.py", "a", "b")
    (error,) = find_one(session.raw)["errors_encountered"]
    assert error == {
        "type": "edit_file failed",
        "message": "File has not been read yet. Read it first.",
        "resolution": "",
    }


def test_results_that_come_in_another_order_than_their_calls_belong_to_them() -> None:
    session = ClaudeCode().request("Both")
    first, second = session.begin("Bash", command="pytest"), session.begin("Bash", command="make")
    session.end(second, "built").end(first, "Exit code 1\n" + FAILING_TEST, failed=True)
    log = {one["target"]: one["result"] for one in find_one(session.raw)["action_log"]}
    assert log == {"pytest": "fail", "make": "pass"}


def test_further_tries_are_counted() -> None:
    session = ClaudeCode().request("Test it")
    for _ in range(3):
        session.run("pytest", FAILING_TEST, 1)
    session.run("pytest", PASSING_TEST)
    (found,) = find(session.raw)
    metrics = found.beside()["metrics"]
    assert (metrics["calls"], metrics["failures"], metrics["retries"]) == (4, 3, 3)
    assert len(found.document()["errors_encountered"]) == 1


def test_an_error_that_comes_again_is_reported_once() -> None:
    session = ClaudeCode().request("Test it")
    for n in range(200):
        session.run("pytest", FAILING_TEST, 1).edit("a.py", f"a{n}", f"b{n}")
        session.run("pytest", PASSING_TEST)
    (error,) = find_one(session.raw)["errors_encountered"]
    assert error["resolution"] == "edited a.py: a199 → b199"


def test_recalled_memories_are_not_learned_as_the_agents_words() -> None:
    from engrain.language.text.fences import close_fence, open_fence

    mark = "0123456789abcdef"
    session = ClaudeCode().request("Test it").run("pytest", FAILING_TEST, 1)
    session.said(f"{open_fence(mark)}\nThe vault says so.\n{close_fence(mark)}")
    session.edit("a.py", "a", "b").run("pytest", PASSING_TEST)
    assert "vault" not in str(find_one(session.raw))
