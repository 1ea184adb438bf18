"""A host's client as a model: what it is run with, and what becomes of clients that do not answer.
The clients here are scripts; `tests/hosts/test_judging.py` runs the real ones."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from engrain.inference.agent import CLIENTS, AgentModel
from engrain.model.errors import ModelError
from engrain.seam.llm import Completion

ANSWERS = {
    "claude-code": json.dumps(
        {"type": "result", "is_error": False, "result": "yes",
         "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}}
    ),
    "codex": '{"type":"thread.started"}\n'
    '{"type":"item.completed","item":{"type":"agent_message","text":"yes"}}\n'
    '{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":5}}',
    "gemini": "Loaded.\n" + json.dumps(
        {"response": "yes", "stats": {"models": {
            "a": {"tokens": {"prompt": 3, "candidates": 2}},
            "b": {"tokens": {"prompt": 4, "candidates": 1, "thoughts": 2}},
        }}}
    ),
    "opencode": '{"type":"text","part":{"text":"yes"}}\n'
    '{"type":"step_finish","part":{"tokens":{"input":6,"output":4,"reasoning":1,'
    '"cache":{"read":1}}}}',
}  # fmt: skip
FAILURES = {
    "claude-code": '{"type":"result","is_error":true,"result":"Not logged in - run /login"}',
    "codex": '{"type":"turn.failed","error":{"message":"Not logged in: 401"}}',
    "gemini": '{\n  "error": {\n    "message": "Invalid auth method: log in"\n  }\n}',
    "opencode": '{"type":"error","error":{"name":"x","data":{"message":"Not logged in"}}}',
}


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is all of the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


def write(clients: Path, host: str, code: str) -> None:
    path = clients / CLIENTS[host].program
    path.write_text(f"#!{sys.executable} -S\nimport os, sys, time\n{code}\n")
    path.chmod(0o755)


def ask(tmp_path: Path, host: str = "claude-code", timeout: float = 20.0) -> Completion:
    model = AgentModel(host, str(tmp_path / "state"), timeout)
    return model.complete("Be a judge.", "the data", schema={"type": "object"}, most_tokens=9)


def fail(tmp_path: Path, host: str = "claude-code", timeout: float = 20.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(tmp_path, host, timeout)
    return caught.value


@pytest.mark.parametrize("host", CLIENTS)
def test_the_answer_is_read_with_its_tokens_whatever_the_colours(
    host: str, clients: Path, tmp_path: Path
) -> None:
    write(clients, host, f"print('\\x1b[31m\\x1b]0;title\\x07' + {ANSWERS[host]!r} + '\\x1b[0m')")
    done = ask(tmp_path, host)
    assert (done.text, done.taken, done.given) == ("yes", 7, 5)


@pytest.mark.parametrize("host", CLIENTS)
def test_it_runs_apart_with_the_data_on_its_input_and_memory_off(
    host: str, clients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    told = tmp_path / "told"
    names = ("ENGRAIN_MEMORY", "CLAUDECODE", "PATH", *CLIENTS[host].variables)
    write(
        clients, host,
        f"""seen = [os.getcwd(), os.listdir("."), sys.stdin.read(), sys.argv[1:],
        {{name: os.environ.get(name) for name in {names!r}}}, os.getpgid(0) == os.getpid()]
open({str(told)!r}, "w").write(repr(seen))""",
    )  # fmt: skip
    ask(tmp_path, host)
    cwd, listed, data, argv, environ, apart = eval(told.read_text())  # noqa: S307
    assert cwd.startswith(str(tmp_path / "state" / "judge-"))
    assert listed in ([], [".gemini"])
    assert data == "the data"
    assert (environ["ENGRAIN_MEMORY"], environ["CLAUDECODE"], apart) == ("off", None, True)
    assert environ["PATH"] == str(clients)
    said = "".join([*argv, *(value or "" for value in environ.values())])
    assert "{folder}" not in said and "{plain}" not in said and "{system}" not in said
    assert not os.listdir(tmp_path / "state")


def test_codex_has_each_server_of_its_configuration_off(clients: Path, tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(
        '[mcp_servers.engrain]\ncommand = "engrain"\n[mcp_servers.other-one]\ncommand = "x"\n'
    )
    write(clients, "codex", "print(' '.join(sys.argv))")
    said = ask(tmp_path, "codex").text
    assert "-c mcp_servers.engrain.enabled=false -c mcp_servers.other-one.enabled=false" in said


def test_what_prints_no_json_is_taken_as_it_is_and_estimated(clients: Path, tmp_path: Path) -> None:
    write(clients, "claude-code", "print('Which one do you mean?')")
    done = ask(tmp_path)
    assert done.text == "Which one do you mean?"
    assert done.taken > 10 and done.given > 3


def test_a_client_that_is_missing_is_named_and_costs_nothing(clients: Path, tmp_path: Path) -> None:
    error = fail(tmp_path)
    assert error.message == "claude is not on the path of jobs"
    assert error.spent == (0, 0)


@pytest.mark.parametrize("host", CLIENTS)
@pytest.mark.parametrize(("out", "code"), [("stdout", 0), ("stdout", 1), ("stderr", 1)])
def test_a_client_that_is_not_logged_in_says_so(
    host: str, out: str, code: int, clients: Path, tmp_path: Path
) -> None:
    write(clients, host, f"sys.{out}.write({FAILURES[host]!r}); sys.exit({code})")
    error = fail(tmp_path, host)
    program = CLIENTS[host].program
    assert error.message.startswith(f"{program} says: ")
    assert error.remedy == f"run `{program}` once by hand and log in"


def test_the_last_line_of_a_failure_is_told_without_secrets(clients: Path, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    write(
        clients, "claude-code",
        f"sys.stderr.write('\\x1b[1mwarning\\x1b[0m\\nunknown option {token} ' + 'x' * 900);"
        " sys.exit(2)",
    )  # fmt: skip
    error = fail(tmp_path)
    assert "unknown option" in error.message and "warning" not in error.message
    assert token not in error.message and len(error.message) < 250


def test_a_client_that_hangs_is_ended_with_what_it_started(clients: Path, tmp_path: Path) -> None:
    write(
        clients, "claude-code",
        f"""if os.fork() == 0:
    open({str(tmp_path / "child")!r}, "w").write(str(os.getpid()))
    time.sleep(60)
time.sleep(60)""",
    )  # fmt: skip
    began = time.monotonic()
    error = fail(tmp_path, timeout=1.0)
    assert error.message == "claude gave no answer in 1 seconds"
    assert time.monotonic() - began < 10
    child = int((tmp_path / "child").read_text())
    until = time.monotonic() + 5
    while _lives(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _lives(child)
    assert not os.listdir(tmp_path / "state")


def _lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("forever", [False, True])
def test_of_a_client_that_prints_megabytes_nothing_is_believed(
    forever: bool, clients: Path, tmp_path: Path
) -> None:
    rounds = "while True" if forever else "for _ in range(10)"
    write(
        clients, "claude-code",
        f"{rounds}: sys.stdout.write('x' * 1048576); sys.stderr.write('y' * 1048576)",
    )  # fmt: skip
    assert fail(tmp_path).message == "claude printed more than an answer"


def test_a_client_that_waits_for_an_answer_finds_the_end_of_its_input(
    clients: Path, tmp_path: Path
) -> None:
    write(clients, "claude-code", "sys.stdin.read(); print('Sure?'); input(); print('yes')")
    assert "claude says:" in fail(tmp_path).message
