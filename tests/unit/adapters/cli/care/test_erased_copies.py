"""Erasing an entry takes along what Engrain itself copied of it, whatever made the copy."""

from __future__ import annotations

from typing import Any

import pytest

from support.canary import WORD, findings
from support.transcripts import ClaudeCode, fix_the_port
from unit.adapters.shell import CommandLine
from unit.adapters.shell import ask as data_of

SAID = f"The tenant of the third floor is called {WORD}, as the lease says."


def save(cli: CommandLine) -> str:
    return str(data_of(cli, "save", "--title", "The lease", "--kind", "fix", SAID)["id"])


def erase(cli: CommandLine, id_: str) -> Any:
    told = data_of(cli, "erase", id_, "--yes")
    assert cli("check", "history").code == 0
    return told


def test_the_trace_of_a_request_that_said_the_same_goes_too(cli: CommandLine) -> None:
    folder = cli.folder / "sessions"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(fix_the_port(ClaudeCode(), f"Please note: {SAID} Thanks!"))
    (folder / "b.jsonl").write_bytes(fix_the_port(ClaudeCode("0ccf1a05"), "Fix the port."))
    data_of(cli, "import", "transcripts", str(folder))
    id_ = save(cli)
    erase(cli, id_)
    assert findings(cli.vault, cli.state) == []
    kept = data_of(cli, "episode", "list", "--all-projects")["results"]
    assert [row["title"] for row in kept] == ["Fix the port."]


def test_a_trace_that_only_shares_a_word_stays_and_is_told_of(cli: CommandLine) -> None:
    folder = cli.folder / "sessions"
    folder.mkdir()
    goal = f"Ring at {WORD}, then fix the port."
    (folder / "a.jsonl").write_bytes(fix_the_port(ClaudeCode(), goal))
    data_of(cli, "import", "transcripts", str(folder))
    erase(cli, save(cli))
    assert findings(cli.vault)


@pytest.mark.parametrize(
    "copying",
    [
        ["jobs", "run", "map"],
        ["jobs", "run", "dream"],
        ["jobs", "run"],
        ["jobs", "run", "consolidate"],
        ["digest"],
        ["agent", "checkpoint", "before"],
    ],
    ids=" ".join,
)
def test_no_copy_of_it_is_left_after(cli: CommandLine, copying: list[str]) -> None:
    id_ = save(cli)
    save_again = data_of(
        cli, "save", "--title", "The lease again", "--kind", "fix", f"{SAID} Since May."
    )
    for words in (copying, ["recall", "lease"]):
        assert cli(*words).code == 0
    erase(cli, id_)
    erase(cli, str(save_again["id"]))
    assert findings(cli.vault, cli.state) == []


def test_lines_of_memory_pages_that_told_its_facts_go_too(cli: CommandLine) -> None:
    data_of(cli, "fact", "add", "--entity", "Ada Moreau", f"Ada Moreau lives in {WORD}.")
    assert cli("jobs", "run", "synthesize").code == 0
    cli("jobs", "run", "map")
    (entity,) = data_of(cli, "entity", "list")["entities"]
    assert findings(cli.vault)
    erase(cli, str(entity["id"]))
    assert findings(cli.vault, cli.state) == []
