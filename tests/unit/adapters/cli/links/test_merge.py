"""`merge` on the command line."""

from __future__ import annotations

from typing import Any

from unit.adapters.shell import CommandLine


def save(cli: CommandLine, title: str, text: str, kind: str = "fix") -> str:
    done = cli("save", "--json", "--kind", kind, "--title", title, text)
    data: Any = done.answer["data"]
    return str(data["id"])


def test_a_merge_says_what_leads_and_where_the_other_went(cli: CommandLine) -> None:
    old, new = save(cli, "Kiln", "On Fridays."), save(cli, "Kiln schedule", "On Mondays.")
    done = cli("merge", "Kiln", "kiln sched")
    assert done.code == 0
    assert "merged Kiln into Kiln schedule" in done.out
    assert f"superseded  {old}\n" in done.out
    shown = cli("show", old).out
    assert "superseded" in shown
    assert f"successor {new} Kiln schedule" in " ".join(shown.split())
    assert cli("undo").out.startswith("undid: merge of 'Kiln")
    assert "active" in cli("show", old).out


def test_entries_of_two_kinds_are_merged_only_after_it_was_said(cli: CommandLine) -> None:
    save(cli, "Kiln", "On Fridays.")
    new = save(cli, "Kiln schedule", "On Mondays.", "decision")
    done = cli("merge", "Kiln", new)
    assert (done.code, "of different kinds, decision and fix" in done.err) == (2, True)
    data: Any = cli("merge", "Kiln", new, "--yes", "--json").answer["data"]
    assert (data["kind"], data["kinds"]) == ("decision", ["decision", "fix"])


def test_a_dry_run_changes_nothing(cli: CommandLine) -> None:
    old, new = save(cli, "Kiln", "On Fridays."), save(cli, "Kiln schedule", "On Mondays.")
    data: Any = cli("merge", old, new, "--dry-run", "--json").answer["data"]
    assert (data["id"], data["superseded"]) == (new, old)
    assert "would merge" in cli("merge", old, new, "--dry-run").out
    assert "2 in all" in cli("list").out


def test_a_note_is_not_merged_with_itself(cli: CommandLine) -> None:
    old = save(cli, "Kiln", "On Fridays.")
    done = cli("merge", old, "Kiln", "--yes")
    assert (done.code, "the same entry" in done.err) == (2, True)
