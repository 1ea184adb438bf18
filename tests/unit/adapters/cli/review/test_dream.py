"""dream at the command line, and review of what it proposed."""

from __future__ import annotations

import pytest

from engrain.lifecycle.dreaming.run import KINDS
from unit.adapters.cli.review.test_review import data_of, open_ids
from unit.adapters.shell import CommandLine

TEXT = "Restart the queue worker after every deploy, else it keeps the old code loaded."


def save_copies(cli: CommandLine, title: str = "Worker") -> None:
    cli.save(TEXT, "--title", title, "--kind", "fix")
    cli.save(TEXT, "--title", title, "--kind", "workflow")


def test_what_was_found_is_told_and_waits_for_review(cli: CommandLine) -> None:
    save_copies(cli)
    assert "1 would be proposed. Nothing was written." in cli("dream", "--dry-run").out
    assert open_ids(cli) == []
    out = cli("dream").out
    assert "Notes that say the same (1)\n- merge: Worker and Worker: the same text\n" in out
    assert "[[" not in out
    (id_,) = open_ids(cli)
    assert "superseded" in cli("review", "show", id_).out


def test_a_program_gets_what_was_counted(cli: CommandLine) -> None:
    save_copies(cli)
    data = data_of(cli, "dream")
    assert data["found"] == data["proposed"] == {"duplicate": 1}
    assert (data["skipped"], data["capped"]) == ({}, {})
    assert (data["dry_run"], data["unfinished"], data["errors"]) == (False, False, {})
    stages = data["stages"]
    assert isinstance(stages, dict) and tuple(stages) == KINDS
    assert data["proposals"] == open_ids(cli)
    again = data_of(cli, "dream")
    assert (again["proposed"], again["skipped"]) == ({}, {"duplicate": 1})


def test_proposals_of_one_run_are_listed_shown_and_accepted(cli: CommandLine) -> None:
    save_copies(cli)
    first = data_of(cli, "dream")["run"]
    save_copies(cli, "Other")
    second = data_of(cli, "dream", "--only", "duplicate")["run"]
    assert isinstance(first, str) and isinstance(second, str)
    listed = data_of(cli, "review", "list", "--run", first)["proposals"]
    assert isinstance(listed, list)
    (one,) = listed
    assert (one["run"], one["finder"], len(one["entries"])) == (first, "duplicate", 2)
    decided = data_of(cli, "review", "accept", "--all", "--run", first)["decisions"]
    assert isinstance(decided, list)
    assert [each["decision"] for each in decided] == ["accepted"]
    assert data_of(cli, "review", "list", "--run", first)["proposals"] == []
    done = cli("review", "accept", "--run", second, "x")
    assert (done.code, "--run belongs to --all" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("argv", "code", "told"),
    [(["--limit", "-1"], 2, "--limit"), (["--only", "nothing"], 2, "invalid choice")],
)
def test_what_makes_no_sense_is_refused(
    cli: CommandLine, argv: list[str], code: int, told: str
) -> None:
    done = cli("dream", *argv)
    assert (done.code, told in done.err) == (code, True), done.err


def test_a_title_can_not_drive_the_terminal(cli: CommandLine) -> None:
    save_copies(cli, "Wor\x1b[31mker | [[x]]")
    assert "\x1b" not in cli("dream").out
