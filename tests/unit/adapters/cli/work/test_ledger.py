"""ledger and checkpoint: what agents and people type, and what they are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.cli.work.test_handoff import data
from unit.adapters.shell import CommandLine
from unit.resolution.test_project import git


def ledger(cli: CommandLine, agent: str = "eng-001") -> Any:
    return data(cli("agent", "ledger", "--agent", agent, "--json").answer)["ledger"]


def test_a_ledger_grows_by_what_is_said(cli: CommandLine) -> None:
    first = (
        "--task", "task-042", "--goal", "CRUD", "--completed", "12", "--file", "a.ts",
        "--commit", "abc123", "--uncommitted", "--tech", "ts", "--pattern", "sem-001",
    )  # fmt: skip
    done = cli("agent", "ledger", "--agent", "eng-001", *first, "--json")
    assert (done.code, data(done.answer)["outcome"]) == (0, "created")
    done = cli("agent", "ledger", "--agent", "eng-001", "--completed", "+1", "--file", "b.ts",
               "--no-uncommitted", "--json")  # fmt: skip
    assert data(done.answer)["outcome"] == "updated"
    found = ledger(cli)
    assert found == data(done.answer)["ledger"]
    assert (found["agent_id"], found["tasks_completed"]) == ("eng-001", 13)
    assert found["state"] == {
        "files_modified": ["a.ts", "b.ts"], "uncommitted_changes": False,
        "last_git_commit": "abc123",
    }  # fmt: skip
    assert found["context"] == {
        "tech_stack": ["ts"], "patterns_learned": ["sem-001"], "current_goal": "CRUD",
    }  # fmt: skip


def test_the_commit_that_is_checked_out_is_found_where_that_is_asked(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path / "repo", "init", "-q")
    git(tmp_path / "repo", "commit", "-q", "--allow-empty", "-m", "first")
    monkeypatch.chdir(tmp_path / "repo")
    assert cli("agent", "ledger", "--agent", "eng-001", "--commit", "auto").code == 0
    assert len(ledger(cli)["state"]["last_git_commit"]) == 40


def test_a_person_reads_a_ledger_as_an_outline(cli: CommandLine) -> None:
    assert cli("agent", "ledgers").out == "No ledgers.\n"
    cli("agent", "ledger", "--agent", "eng-001", "--task", "task-042", "--tech", "ts")
    assert cli("agent", "ledgers").out.endswith("  task-042\n")
    lines = cli("agent", "ledger", "--agent", "eng-001").out.splitlines()
    assert lines[0].split() == ["agent", "id", "eng-001"]
    assert "  tech stack  ts" in lines


@pytest.mark.parametrize(
    "words",
    [
        ["ledger"],
        ["ledger", "--task", "t"],
        ["ledger", "--agent", "a", "--completed", "many"],
        ["ledger", "--agent", "a", "--completed", "-1"],
        ["ledger", "--agent", "a", "--completed", "9" * 5000],
        ["ledger", "--agent", "a", "--commit", "auto"],
    ],
)
def test_a_ledger_call_that_means_nothing_is_a_usage_error(
    cli: CommandLine, words: list[str]
) -> None:
    done = cli("agent", *words)
    assert (done.code, done.out) == (2, "")


def test_a_checkpoint_is_saved_and_loaded(cli: CommandLine) -> None:
    notes = cli.folder / "notes.md"
    notes.write_text("At the lock.\nThen the queue.\n")
    assert cli("agent", "checkpoint", "before-the-merge", str(notes)).code == 0
    raw = b'{"next": ["queue", {"after": "lock"}]}'
    assert cli("agent", "checkpoint", "noon", "-", "--bare", stdin=raw).code == 0
    loaded = data(cli("agent", "load", "--json").answer)
    assert (loaded["name"], loaded["snapshot"]) == ("noon", {"given": json.loads(raw)})
    loaded = data(cli("agent", "load", "before-the-merge", "--json").answer)
    assert loaded["snapshot"]["given"] == "At the lock.\nThen the queue.\n"
    listed = data(cli("agent", "checkpoints", "--json").answer)["checkpoints"]
    assert [one["name"] for one in listed] == ["noon", "before-the-merge"]
    assert "snapshot" not in listed[0]


def test_a_person_reads_a_checkpoint(cli: CommandLine) -> None:
    assert cli("agent", "checkpoints").out == "No checkpoints.\n"
    cli("agent", "checkpoint", "noon", "-", "--bare", stdin=b"At the lock.\n{and} so on\x1b[2J\n")
    lines = cli("agent", "load").out.splitlines()
    assert lines[-2:] == ["    At the lock.", "    {and} so on[2J"]
    assert cli("agent", "checkpoints").out.endswith("noon\n")


def test_a_text_that_begins_like_json_is_a_text(cli: CommandLine) -> None:
    cli("agent", "checkpoint", "noon", "-", "--bare", stdin=b"[x] lock\n[ ] queue\n")
    loaded = data(cli("agent", "load", "--json").answer)
    assert loaded["snapshot"]["given"] == "[x] lock\n[ ] queue\n"


def test_the_session_that_was_begun_is_in_it(cli: CommandLine) -> None:
    cli("agent", "begin", "s-1")
    cli("agent", "checkpoint", "noon", "--from-session", "s-1")
    loaded = data(cli("agent", "load", "noon", "--json").answer)
    assert loaded["snapshot"]["session"] == {"id": "s-1", "recalled": []}


@pytest.mark.parametrize("words", [["checkpoint", "noon", "--bare"], ["checkpoint", "no\non"]])
def test_a_checkpoint_call_that_means_nothing_is_a_usage_error(
    cli: CommandLine, words: list[str]
) -> None:
    done = cli("agent", *words)
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"x" * 600_000])
def test_a_file_that_is_no_text_or_too_large_is_refused(cli: CommandLine, raw: bytes) -> None:
    (cli.folder / "notes").write_bytes(raw)
    assert cli("agent", "checkpoint", "noon", str(cli.folder / "notes")).code == 2


def test_a_file_that_is_not_there_is_reported(cli: CommandLine) -> None:
    done = cli("agent", "checkpoint", "noon", "no-such-file")
    assert (done.code, done.out) == (3, "")


def test_what_is_not_there_is_not_loaded(cli: CommandLine) -> None:
    assert cli("agent", "load").code == 3
    assert cli("agent", "load", "noon").code == 3


def test_what_is_too_much_is_refused_with_a_remedy(cli: CommandLine) -> None:
    done = cli("agent", "checkpoint", "noon", "-", stdin=b"x" * 300_000)
    assert done.code == 2
    assert "over the limit of 262144; keep what the next session has to know" in done.err
