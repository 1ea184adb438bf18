"""What comes of three sessions of a real client by itself, once its person agreed to learning: no
command is given between them or behind them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from hosts.clients import CLIENTS, Home
from hosts.model import Call, serving

STATED = "From now on run sh check.sh before you commit. I work at Harbor House."
GOALS = (f"Add POST /todos to the API. {STATED}", "Add DELETE /todos to the API.")
CHECK = """#!/bin/sh
test -e db && echo "12 passed" && exit 0
echo "Error: connect ECONNREFUSED 127.0.0.1:5432" >&2
exit 1
"""
PATIENCE = 8
"""Seconds that the last session lasts, which is little for one of a person."""


@dataclass
class Left:
    """A home, and what the sessions left in its vault."""

    home: Home

    def read(self, pattern: str) -> list[str]:
        return [path.read_text() for path in sorted(self.home.vault.glob(f"Memory/{pattern}"))]


@pytest.mark.parametrize("host", ["claude-code", "codex", "opencode", "gemini", "qwen", "copilot"])
def test_what_is_learned_from_three_sessions_of(host: str, tmp_path: Path) -> None:
    client = CLIENTS[host]
    tool, argument = client.shell

    def run(command: str) -> Call:
        return Call(tool, {argument: command, "description": "run it"})

    with serving() as model:
        home = Home(tmp_path, client, model)
        home.engrain("setup", client.host, "--learn", "rules")
        (home.project / "check.sh").write_text(CHECK)
        for goal in GOALS:
            (home.project / "db").unlink(missing_ok=True)
            mended = [run("sh check.sh"), run("touch db"), run("sh check.sh")]
            done = home.ask(goal, *mended, "It is done.")
            assert (done.code, done.missing) == (0, []), done.err
        done = home.ask("What is left to do?", run(f"sleep {PATIENCE}"), "Nothing is left.")
        assert done.code == 0, done.err
        left = Left(home)
        nothing_outlives_the_sessions(left)
        each_task_is_an_episode_with_its_error_and_what_mended_it(left)
        what_failed_twice_is_a_mistake_to_avoid(left)
        what_was_stated_is_kept_as_a_statement_and_as_a_fact(left)
        the_days_note_names_what_the_sessions_left(left)
        the_digest_and_the_status_name_it(left)
        no_transcript_is_in_the_vault(left)


def each_task_is_an_episode_with_its_error_and_what_mended_it(left: Left) -> None:
    episodes = [json.loads(text) for text in left.read("episodic/*/ep-*.json")]
    goals = {episode["context"]["goal"]: episode for episode in episodes}
    assert goals.keys() >= set(GOALS)
    for goal in GOALS:
        (error,) = goals[goal]["errors_encountered"]
        assert "ECONNREFUSED" in error["message"]
        assert "touch db" in error["resolution"]
        assert goals[goal]["engrain"]["source"]["trust"] == "tool"


def what_failed_twice_is_a_mistake_to_avoid(left: Left) -> None:
    (mistake,) = left.read("anti-pattern/*.md")
    assert "ECONNREFUSED" in mistake
    assert "touch db" in mistake


def what_was_stated_is_kept_as_a_statement_and_as_a_fact(left: Left) -> None:
    assert any("run sh check.sh before you commit" in text for text in left.read("*/*.md"))
    (facts,) = left.read("entities/operator/items.json")
    assert "Harbor House" in facts


def the_days_note_names_what_the_sessions_left(left: Left) -> None:
    wired = [path.read_text() for path in left.home.path.glob(".*/**/*.json")]
    if left.home.client.host == "qwen" or not any("SessionEnd" in text for text in wired):
        return  # its client names no end of a session, which then counts as left in 12 hours
    lines = [line for text in left.read("daily/*.md") for line in text.splitlines()]
    assert any("sh check.sh before you commit" in line for line in lines)
    assert any("Harbor House" in line for line in lines)


def the_digest_and_the_status_name_it(left: Left) -> None:
    digest = left.home.engrain("digest", "--peek")
    assert "Learned from what agents did" in digest
    assert GOALS[1] in digest
    assert "ECONNREFUSED" in digest
    status = left.home.engrain("status")
    # A client may kill its bridge between the writing of a fact and its count.
    found = re.search(
        "learning [23] sessions, [23] episodes, [01] statements?, [01] facts?", status
    )
    assert found, status


def no_transcript_is_in_the_vault(left: Left) -> None:
    for path in left.home.vault.rglob("*"):
        assert not path.is_file() or b"12 passed" not in path.read_bytes()


def nothing_outlives_the_sessions(left: Left) -> None:
    assert left.home.wait_for_end(6) == []
