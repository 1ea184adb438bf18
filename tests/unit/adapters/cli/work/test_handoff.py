"""handoff: what agents and people type, and what they are told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.shell import CommandLine
from unit.resolution.test_project import git


def create(cli: CommandLine, *more: str, to: str = "qa-001") -> str:
    words = ("--from", "eng-001", "--to", to, "--what", "POST /todos is there.")
    done = cli("handoff", "create", *words, *more, "--json")
    assert done.code == 0, done.out
    return str(data(done.answer)["id"])


def data(answer: dict[str, object]) -> Any:
    return answer["data"]


def test_a_hand_off_goes_from_one_to_the_other(cli: CommandLine) -> None:
    id_ = create(
        cli, "--artifact", "a.ts", "--artifact", "b.ts", "--git-state", "commit abc123",
        "--needs-testing", "validation", "--known-issue", "slow", "--pattern", "sem-001",
    )  # fmt: skip
    (listed,) = data(cli("handoff", "list", "--to", "qa-001", "--json").answer)["handoffs"]
    assert listed["id"] == id_
    assert listed["context"] == {
        "what_was_done": "POST /todos is there.",
        "artifacts": ["a.ts", "b.ts"],
        "git_state": "commit abc123",
        "needs_testing": ["validation"],
        "known_issues": ["slow"],
        "relevant_patterns": ["sem-001"],
    }
    assert (listed["claimed_by"], listed["claimed_at"]) == (None, None)
    taken = data(cli("handoff", "claim", id_, "--agent", "qa-001", "--json").answer)
    assert (taken["outcome"], taken["claimed_by"]) == ("updated", "qa-001")
    assert data(cli("handoff", "list", "--json").answer)["handoffs"] == []
    (listed,) = data(cli("handoff", "list", "--all", "--json").answer)["handoffs"]
    assert listed["claimed_at"] == taken["claimed_at"]


def test_a_person_reads_what_was_done_and_how_to_take_it(cli: CommandLine) -> None:
    id_ = create(cli, "--needs-testing", "validation")
    line = cli("handoff", "list").out.splitlines()[1]
    assert line.split(maxsplit=3) == [id_, "eng-001", "qa-001", "POST /todos is there."]
    shown = cli("handoff", "show", id_).out.splitlines()
    assert "  needs testing  validation" in shown
    assert shown[-1] == f"it waits: engrain handoff claim {id_} --agent NAME"
    told = cli("handoff", "claim", id_, "--agent", "qa-001").out
    assert told.startswith("qa-001 has it.\n")
    assert cli("handoff", "claim", id_, "--agent", "qa-001").out.startswith("qa-001 has it already")
    assert cli("handoff", "list").out == "No hand-off waits.\n"


def test_who_comes_second_is_told_who_has_it_by_exit_code_4(cli: CommandLine) -> None:
    id_ = create(cli, to="any")
    assert cli("handoff", "claim", id_, "--agent", "qa-001").code == 0
    done = cli("handoff", "claim", id_, "--agent", "qa-002", "--json")
    assert done.code == 4
    error = done.answer["error"]
    assert error["code"] == "conflict"
    assert error["message"].startswith("qa-001 has taken it, at 20")
    assert f"engrain history {id_}" in error["remedy"]


def test_what_is_for_another_is_refused_but_by_force(cli: CommandLine) -> None:
    id_ = create(cli)
    done = cli("handoff", "claim", id_, "--agent", "eng-002")
    assert done.code == 2
    assert "it is for qa-001, and not for eng-002" in done.err
    assert cli("handoff", "claim", id_, "--agent", "eng-002", "--force").code == 0


def test_who_acts_hands_over_where_nobody_else_is_named(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_AGENT", "eng-007")
    assert cli("handoff", "create", "--to", "any", "--what", "-", stdin="Häl".encode()).code == 0
    (listed,) = data(cli("handoff", "list", "--json").answer)["handoffs"]
    assert listed["from_agent"] == "eng-007"
    assert listed["context"]["what_was_done"] == "Häl"
    assert cli("handoff", "claim", listed["id"]).out.startswith("eng-007 has it.")


def test_the_state_of_the_repository_is_found_where_that_is_asked(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("handoff", "create", "--from", "a", "--to", "b", "--what", "c",
               "--git-state", "auto").code == 2  # fmt: skip
    git(tmp_path / "repo", "init", "-q", "-b", "ferry")
    git(tmp_path / "repo", "commit", "-q", "--allow-empty", "-m", "first")
    monkeypatch.chdir(tmp_path / "repo")
    id_ = create(cli, "--git-state", "auto")
    shown = data(cli("handoff", "show", id_, "--json").answer)
    found = re.fullmatch(r"commit [0-9a-f]{40}, branch ferry", shown["context"]["git_state"])
    assert found is not None


@pytest.mark.parametrize(
    "words",
    [
        ["create"],
        ["create", "--from", "a", "--what", "x"],
        ["create", "--from", "a", "--to", " ", "--what", "x"],
        ["create", "--to", "b", "--what", "x"],
        ["create", "--from", "a", "--to", "b"],
        ["list", "--open", "--all"],
    ],
)
def test_a_call_that_means_nothing_is_a_usage_error(cli: CommandLine, words: list[str]) -> None:
    done = cli("handoff", *words)
    assert (done.code, done.out) == (2, "")


def test_where_none_waits_here_those_of_other_projects_are_told_of(cli: CommandLine) -> None:
    create(cli, "--project", "billing")
    done = cli("handoff", "list", "--project", "ledger")
    assert "No hand-off waits." in done.out
    assert "In other projects there is 1: add --all-projects." in done.out
    assert data(cli("handoff", "list", "--project", "ledger", "--json").answer)["elsewhere"] == 1
    assert "In other projects" not in cli("handoff", "list", "--project", "billing").out
    told = cli("handoff", "list", "--project", "ledger", "--to", "nobody").out
    assert "In other projects" not in told, "those it may not take are none for it"
