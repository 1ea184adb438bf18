"""crystallize at the command line."""

from __future__ import annotations

import json
import re
from time import time
from typing import Any

from unit.adapters.shell import CommandLine
from unit.lifecycle.experience import episode


def data(cli: CommandLine, *argv: str) -> dict[str, Any]:
    done = cli(*argv, "--json")
    assert done.code == 0, done.err or done.out
    found = done.answer["data"]
    assert isinstance(found, dict)
    return found


def work(cli: CommandLine, *notes: str) -> None:
    cli("phase", "begin", "work", "--goal", "Make it safe", "--project", "harbour")
    for title in notes:
        cli("save", "It holds.", "--title", title, "--kind", "decision", "--project", "harbour")
    cli("phase", "end", "work", "--project", "harbour")


def test_a_phase_is_shown_made_and_known_again(cli: CommandLine) -> None:
    work(cli, "Wire rope")
    shown = cli("crystallize", "--dry-run", "--project", "harbour")
    assert "would be created of 2 sources\n# Work on harbour, " in shown.out
    assert "- Wire rope – It holds. [[wire-rope]]" in shown.out
    made = cli("crystallize", "--phase", "work", "--project", "harbour")
    assert re.search(r"created of 2 sources\n  \w+  Memory/crystallized/", made.out)
    assert "unchanged: its digest is" in cli("crystallize", "--project", "harbour").out


def test_a_program_gets_what_it_came_to(cli: CommandLine) -> None:
    work(cli, "Wire rope")
    found = data(cli, "crystallize", "--project", "harbour")
    assert (found["outcome"], found["form"], found["scope"]) == ("created", "rules", "phase")
    assert found["lines"]["Findings"] == 1
    assert (cli.vault / found["path"]).is_file()
    shown = data(cli, "show", found["id"])
    assert set(found["derived_from"]) == set(shown["fields"]["derived_from"])


def test_nothing_to_say_is_said(cli: CommandLine) -> None:
    work(cli)
    done = cli("crystallize", "--project", "harbour")
    assert done.code == 0
    assert "nothing to say" in done.out
    assert data(cli, "crystallize", "--project", "harbour")["id"] is None


def test_a_phase_that_is_still_on_is_not_found(cli: CommandLine) -> None:
    cli("phase", "begin", "work", "--project", "harbour")
    still = cli("crystallize", "--phase", "work", "--project", "harbour")
    assert still.code == 3
    assert "engrain phase end work" in still.err
    assert cli("crystallize").code == 2


def test_text_of_an_episode_can_not_drive_the_terminal(cli: CommandLine) -> None:
    cli("phase", "begin", "work", "--project", "harbour")
    path = cli.folder / "ep.json"
    path.write_text(json.dumps(episode("ep-1", "Add \x1b[2J it", time())))
    cli("episode", "save", str(path), "--project", "harbour")
    cli("phase", "end", "work", "--project", "harbour")
    done = cli("crystallize", "--project", "harbour", "--dry-run")
    assert "Add" in done.out
    assert "\x1b" not in done.out
