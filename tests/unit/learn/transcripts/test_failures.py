"""What went wrong, told from an output by one table."""

from __future__ import annotations

import pytest

from engrain.learn.transcripts.actions import read_call
from engrain.learn.transcripts.failures import describe_failure, has_failed
from support.transcripts import FAILING_TEST, PASSING_TEST


@pytest.mark.parametrize(
    ("command", "output", "type_", "message"),
    [
        ("pytest", FAILING_TEST, "TypeError", 'can only concatenate str (not "int") to str'),
        ("pytest", "E       assert 344 == 345\n", "AssertionError", "assert 344 == 345"),
        ("python a.py", "Traceback (most recent call last):\n  File \"a.py\", line 1\n"
         "requests.exceptions.ConnectionError: refused\n", "ConnectionError", "refused"),
        ("python a.py", "KeyError: 'x'\n\nDuring handling of the above exception\n\n"
         "ValueError: no x\n", "ValueError", "no x"),
        ("npx tsc", "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.\n",
         "TypeScript compilation", "Type 'string' is not assignable."),
        ("cargo build", "error[E0308]: mismatched types\n --> src/a.rs:1:1\n",
         "Rust compilation", "mismatched types"),
        ("gcc a.c", "a.c:3:5: error: expected ';' before '}'\n", "C compilation",
         "expected ';' before '}'"),
        ("go build", "./a.go:3:5: undefined: x\n", "Go compilation", "undefined: x"),
        ("mypy src", "src/a.py:3: error: Missing return  [no-untyped-def]\n", "type check",
         "Missing return [no-untyped-def]"),
        ("ruff check", "src/a.py:1:1: F401 `os` imported but unused\n", "lint",
         "F401 `os` imported but unused"),
        ("node a.js", "Uncaught TypeError: x is not a function\n", "TypeError",
         "x is not a function"),
        ("go test", "--- FAIL: TestShop (0.00s)\n", "test failure", "TestShop (0.00s)"),
        ("foo", "bash: line 1: foo: command not found\n", "command not found", "foo"),
        ("ls x", "ls: cannot access 'x': No such file or directory\n", "missing file",
         "ls: cannot access 'x': No such file or directory"),
        ("git push", "fatal: no upstream branch\n", "git", "no upstream branch"),
        ("npm i", "npm ERR! code ERESOLVE\nnpm ERR! could not resolve\n", "npm",
         "could not resolve"),
        ("curl x", "The requested URL returned error: HTTP 404 Not Found\n", "HTTP 404",
         "Not Found"),
        ("x", "\x1b[31mError:\x1b[0m session info not available\n", "error",
         "session info not available"),
        ("x", "something odd\n", "exit code 3", "something odd"),
        ("x", "", "exit code 3", ""),
    ],
)  # fmt: skip
def test_type_and_message_are_those_of_the_telling_line(
    command: str, output: str, type_: str, message: str
) -> None:
    action = read_call("Bash", {"command": command})
    assert describe_failure(action, output, 3, "") == (type_, message)


def test_a_failing_tool_that_is_no_command_is_told_by_its_action() -> None:
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
    assert has_failed(action, FAILING_TEST, False, None)
    assert not has_failed(action, PASSING_TEST, False, None)
    assert not has_failed(read_call("Bash", {"command": "cat log"}), FAILING_TEST, False, None)


def test_a_huge_output_is_told_at_once() -> None:
    action = read_call("Bash", {"command": "x"})
    for text in ("=" * 3_000_000, "E " * 1_000_000, "1 failed" * 500_000, "a.b." * 500_000 + "\n"):
        describe_failure(action, text, 1, "")
        has_failed(action, text, None, None)
