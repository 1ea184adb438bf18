"""The job consolidate at the command line: a mistake that is met twice is one to avoid."""

from __future__ import annotations

import json
from typing import Any

from support.transcripts import ClaudeCode, Codex, fix_the_port
from support.vaults import START
from unit.adapters.shell import CommandLine
from unit.adapters.shell import ask as data
from unit.lifecycle.experience import FIX, episode, met


def file(cli: CommandLine, document: dict[str, Any]) -> None:
    path = cli.folder / f"{document['id']}.json"
    path.write_text(json.dumps(document))
    assert cli("episode", "save", str(path)).code == 0


def consolidate(cli: CommandLine, *argv: str) -> dict[str, int]:
    """Run the job, and return its counts."""
    [job] = data(cli, "jobs", "run", "consolidate", *argv)["jobs"]
    found: dict[str, int] = job["counts"]
    return found


def listed(cli: CommandLine, kind: str) -> list[str]:
    found = data(cli, "list", "--kind", kind, "--all-projects")
    return [entry["id"] for entry in found["results"]]


def file_two(cli: CommandLine) -> None:
    file(cli, episode("ep-1", "Add the login route", START, errors=(met(12),)))
    later = episode("ep-2", "Describe the release", START + 60, errors=(met(7, name="x"),))
    file(cli, later)


def test_one_mistake_and_one_learning_name_both_and_undo_takes_both_back_for_good(
    cli: CommandLine,
) -> None:
    file_two(cli)
    counts = consolidate(cli)
    assert (counts["anti-patterns"], counts["patterns"]) == (1, 0)
    [anti] = listed(cli, "anti-pattern")
    [learning] = listed(cli, "learning")
    for id_ in (anti, learning):
        shown = data(cli, "show", id_)
        assert FIX in shown["text"]
        path = cli.vault / shown["path"]
        assert "ep-1" in path.read_text()
        assert "ep-2" in path.read_text()
    changes = data(cli, "history", anti)["changes"]
    assert [change["op"] for change in changes] == ["consolidate"]
    undone = data(cli, "undo", changes[0]["change"])
    assert set(undone["entries"]) == {anti, learning}
    assert consolidate(cli)["anti-patterns"] == 0
    assert listed(cli, "anti-pattern") == []
    assert listed(cli, "learning") == []


def test_the_answer_tells_what_was_made_and_a_dry_run_makes_nothing(cli: CommandLine) -> None:
    file_two(cli)
    assert consolidate(cli, "--dry-run")["anti-patterns"] == 1
    assert listed(cli, "anti-pattern") == []
    done = cli("jobs", "run", "consolidate")
    assert "met in 2 episodes, confidence 0.8" in done.out
    assert consolidate(cli)["anti-patterns"] == 0


def test_text_of_an_episode_reaches_no_terminal_as_it_is(cli: CommandLine) -> None:
    wrong = ("E\x1b[2J", "boom \x1b]0;x\x07 failed", "fix \x1b[31m")
    for number in (1, 2):
        file(cli, episode(f"ep-{number}", "Add \x1b[2J it", START + number, errors=(wrong,)))
    done = cli("jobs", "run", "consolidate")
    assert done.code == 0
    assert "\x1b" not in done.out


def test_two_transcripts_with_one_failure_and_fix_are_one_mistake_and_undo_takes_it_back(
    cli: CommandLine,
) -> None:
    folder = cli.folder / "sessions"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(fix_the_port(ClaudeCode()))
    (folder / "rollout-b.jsonl").write_bytes(fix_the_port(Codex()))
    data(cli, "import", "transcripts", str(folder))
    consolidate(cli)
    [anti] = listed(cli, "anti-pattern")
    [learning] = listed(cli, "learning")
    episodes = set(listed(cli, "episode"))
    assert len(episodes) == 2
    for id_ in (anti, learning):
        assert episodes == set(data(cli, "show", id_)["fields"]["derived_from"])
    [change] = data(cli, "history", anti)["changes"]
    data(cli, "undo", change["change"])
    consolidate(cli)
    assert listed(cli, "anti-pattern") == []
    assert listed(cli, "learning") == []
