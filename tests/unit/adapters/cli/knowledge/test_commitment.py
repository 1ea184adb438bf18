"""commitment at the command line."""

from __future__ import annotations

import pytest

from engrain.adapters.present.failures import EXIT_USAGE
from unit.adapters.shell import CommandLine


@pytest.fixture
def promised(cli: CommandLine) -> dict[str, str]:
    return cli.save(
        "I promised.", "--title", "Report", "--kind", "commitment", "--due", "2020-10-01"
    )


def test_list_tells_state_day_and_what_is_late(cli: CommandLine, promised: dict[str, str]) -> None:
    done = cli("commitment", "list")
    assert done.code == 0
    heads, line = map(str.split, done.out.splitlines())
    assert heads == ["state", "due", "overdue", "id", "title"]
    assert line == ["open", "2020-10-01", "yes", promised["id"], "Report"]
    answer = cli("commitment", "list", "--state", "open", "--json").answer
    assert answer["data"] == {
        "commitments": [
            {
                "id": promised["id"],
                "path": promised["path"],
                "title": "Report",
                "state": "open",
                "due": "2020-10-01",
                "overdue": True,
                "project": None,
                "hash": promised["hash"],
            }
        ],
        "elsewhere": 0,
    }


def test_keep_break_and_reopen_settle_it_with_a_note(
    cli: CommandLine, promised: dict[str, str]
) -> None:
    for action, state in (("keep", "kept"), ("break", "broken"), ("reopen", "open")):
        done = cli("commitment", action, "report", "--note", f"to {state}", "--json")
        assert done.code == 0
        data = done.answer["data"]
        assert (data["id"], data["outcome"], data["state"]) == (promised["id"], "updated", state)
        assert f"to {state}" in cli("history", "report").out
    assert cli("commitment", "keep", "report").out.startswith("updated  Report\n")
    assert cli("commitment", "list", "--state", "open").out == "No commitments.\n"
    assert "\nkept " in cli("commitment", "list").out


def test_an_entry_that_is_missing_or_too_many_is_a_usage_error(cli: CommandLine) -> None:
    assert cli("commitment", "keep").code == EXIT_USAGE
    assert cli("commitment", "list", "report").code == EXIT_USAGE
    assert cli("commitment", "keep", "report").code == 3
