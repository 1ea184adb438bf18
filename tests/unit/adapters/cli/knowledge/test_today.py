"""today at the command line."""

from __future__ import annotations

import re

from engrain.adapters.present.failures import EXIT_USAGE
from unit.adapters.shell import CommandLine


def test_without_a_text_the_note_of_the_day_is_shown(cli: CommandLine) -> None:
    assert re.fullmatch(r"Nothing is noted for \d{4}-\d\d-\d\d yet\.\n", cli("today").out)
    cli("today", "The tide is low.")
    shown = cli("today")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d\n- \d\d:\d\d The tide is low\.\n", shown.out)
    data = cli("today", "--json").answer["data"]
    assert data["text"] == shown.out.partition("\n")[2]


def test_a_text_comes_from_standard_input_and_is_said_in_a_project(cli: CommandLine) -> None:
    done = cli("today", "-", "--project", "harbour", "--json", stdin=b"One\ntwo\n")
    data = done.answer["data"]
    assert data["line"].endswith(" [harbour] One\n  two")
    assert data["path"] == f"Memory/daily/{data['day']}.md"
    assert (data["outcome"], data["redacted"]) == ("created", [])


def test_what_the_operator_notes_is_theirs(cli: CommandLine) -> None:
    cli("today", "Mine.", "--trust", "operator")
    data = cli("today", "--json").answer["data"]
    assert "operator said" in cli("recall", "Mine", "--kind", "daily").out
    assert "origin     operator" in cli("show", str(data["id"])).out


def test_an_empty_text_is_a_usage_error(cli: CommandLine) -> None:
    assert cli("today", "-", stdin=b"\n").code == EXIT_USAGE
