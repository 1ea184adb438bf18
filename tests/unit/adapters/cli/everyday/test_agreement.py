"""`setup` asks once whether it may learn from sessions; nobody there means no."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from unit.adapters.shell import CommandLine, Shell, read_data, read_part

LINES = (
    "Learning reads transcripts of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI,",
    "It keeps tasks with their errors and fixes, what you state, facts and a line per session",
    "rules: only what is certain, and nothing leaves this device. agent: your own client reads",
    "`engrain config set learn no` ends it.",
)


def learning(cli: CommandLine) -> dict[str, object]:
    return read_part(read_data(cli("status", "--json")), "learning")


def ask(shell: Shell, answer: str, edits: str = "") -> str:
    """What `setup` writes where a person is there who answers so."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answer}\n{edits}\n".encode())
        done = subprocess.run(
            [sys.executable, "-m", "engrain", "setup", "claude-code"],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=shell.here,
            env=shell.environ,
            check=True,
            text=True,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    return done.stdout


@pytest.mark.parametrize(
    ("answer", "value"), [("rules", "rules"), ("agent", "agent"), ("", "no"), ("yes", "no")]
)
def test_a_person_is_told_in_four_lines_and_asked_once(
    shell: Shell, answer: str, value: str
) -> None:
    said = ask(shell, answer)
    told, _, after = said.partition("Learn from sessions? [rules, agent, model, no; else no]")
    assert [line.startswith(LINES) for line in told.splitlines()] == [True] * 4
    assert f"learn is {value}, by {shell.home}" in after
    assert "Learn from sessions?" not in ask(shell, "rules")


@pytest.mark.parametrize(("answer", "value"), [("", "mine"), ("y", "ask")])
def test_a_person_is_asked_once_whose_an_edit_in_an_editor_is(
    shell: Shell, answer: str, value: str
) -> None:
    assert f"edits is {value}, by {shell.home}" in ask(shell, "n", answer)
    assert "Hold them" not in ask(shell, "n")


def test_an_option_says_whose_an_edit_is_and_without_a_person_it_stays_mine(
    cli: CommandLine,
) -> None:
    assert read_data(cli("setup", "codex", "--json"))["edits"] == "mine"
    assert "edits is external" in cli("setup", "codex", "--edits", "external").out
    line = cli("config", "get", "edits").out.splitlines()[1]
    assert line.split()[:2] == ["edits", "external"]


def test_without_a_terminal_the_answer_is_no_and_status_says_so(cli: CommandLine) -> None:
    done = cli("setup", "claude-code")
    assert all(line in done.out for line in LINES)
    assert (
        "not asked: Engrain does not learn from sessions until `--learn rules` is given" in done.out
    )
    told = learning(cli)
    assert read_part(told, "judge")["by"] == "no"
    assert {name: told[name] for name in ("on", "asked", "parts", "waiting", "learned")} == {
        "on": False, "asked": False, "parts": [], "waiting": False, "learned": {}
    }  # fmt: skip
    assert (
        "you were not asked yet: `engrain setup HOST --learn rules` turns it on"
        in cli("status").out
    )


def test_the_option_answers_and_one_setting_takes_it_back(cli: CommandLine) -> None:
    data = read_data(cli("setup", "codex", "--learn", "rules", "--json"))
    assert data["learning"] == {"by": "rules", "asked": True}
    assert learning(cli)["parts"] == ["daily", "episodes", "facts", "statements"]
    assert "learning 0 sessions, 0 episodes, 0 statements, 0 facts\n" in cli("status").out
    assert cli("config", "set", "transcripts.facts", "off").code == 0
    assert learning(cli)["parts"] == ["daily", "episodes", "statements"]
    assert "learn is no" in cli("setup", "codex", "--learn", "no").out
    assert (learning(cli)["on"], learning(cli)["asked"]) == (False, True)
    assert "off, from user configuration" in cli("status").out
    assert "Learning reads" not in cli("setup", "codex").out


def test_a_dry_run_asks_nothing_and_sets_nothing(cli: CommandLine) -> None:
    assert "learn would be agent" in cli(
        "setup", "codex", "--learn", "agent", "--dry-run"
    ).out  # fmt: skip
    assert learning(cli)["asked"] is False


def test_a_host_whose_transcripts_nobody_reads_is_no_reason_to_ask(cli: CommandLine) -> None:
    assert "Learning reads" not in cli("setup", "cursor").out


def test_a_value_that_is_none_is_reported(cli: CommandLine) -> None:
    assert cli("setup", "codex", "--learn", "maybe").code == 2
    done = cli("config", "set", "learn", "perhaps")
    assert done.code == 1
    assert "learn is 'perhaps', not rules, agent, model or no" in done.err


def test_the_client_of_each_session_judges_it(cli: CommandLine) -> None:
    for host in ("opencode", "codex", "cursor"):
        assert "judge.client" not in cli("setup", host, "--learn", "agent").out
    assert "judge    agent; 0 sessions judged, 0 tokens" in cli("status").out


def test_a_model_that_is_not_set_yet_is_reported(cli: CommandLine) -> None:
    assert "no model is set yet" in cli("setup", "codex", "--learn", "model").out
    assert cli("config", "set", "llm_url", "http://127.0.0.1:9").code == 0
    assert "no model is set yet" not in cli("setup", "codex", "--learn", "model").out
