"""`forget` on the command line: by name and by filter, counted and confirmed, as one change."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import Any

from unit.adapters.shell import CommandLine, Shell


def save(cli: CommandLine, title: str, *more: str) -> str:
    done = cli("save", "--json", "--kind", "fix", "--title", title, *more, f"About {title}.")
    data: Any = done.answer["data"]
    return str(data["id"])


def titles(cli: CommandLine) -> list[str]:
    data: Any = cli("list", "--json", "--all-projects").answer["data"]
    return sorted(row["title"] for row in data["results"])


def test_all_of_a_tag_are_forgotten_in_one_change_that_one_undo_takes_back(
    cli: CommandLine,
) -> None:
    for number in range(3):
        save(cli, f"Scratch {number}", "--tag", "scratch")
    save(cli, "Kiln")
    done = cli("forget", "--tag", "scratch", "--yes")
    assert (done.code, "deleted 3 entries" in done.out) == (0, True)
    assert titles(cli) == ["Kiln"]
    assert cli("undo").code == 0
    assert titles(cli) == ["Kiln", "Scratch 0", "Scratch 1", "Scratch 2"]


def test_more_than_a_batch_is_still_one_change(cli: CommandLine) -> None:
    rows = "\n".join(f"entry {n}" for n in range(70))
    for number, _ in enumerate(rows.splitlines()):
        save(cli, f"Scratch {number}", "--tag", "scratch")
    save(cli, "Kiln")
    assert "deleted 70 entries" in cli("forget", "--tag", "scratch", "--yes").out
    assert titles(cli) == ["Kiln"]
    cli("undo")
    assert len(titles(cli)) == 71


def test_filters_are_combined_as_by_list(cli: CommandLine) -> None:
    save(cli, "Old lamp", "--tag", "lamp", "--created", "2020-01-01")
    save(cli, "New lamp", "--tag", "lamp")
    save(cli, "Old mill", "--created", "2020-01-01")
    assert cli("forget", "--tag", "lamp", "--until", "90d", "--yes").code == 0
    assert titles(cli) == ["New lamp", "Old mill"]
    assert cli("forget", "--query", "MILL old", "--kind", "fix", "--yes").code == 0
    assert titles(cli) == ["New lamp"]


def test_a_tag_means_the_tags_below_it_too(cli: CommandLine) -> None:
    save(cli, "Rake", "--tag", "chores/garden")
    save(cli, "Kiln", "--tag", "chores-of-others")
    assert cli("forget", "--tag", "chores", "--yes").code == 0
    assert titles(cli) == ["Kiln"]


def test_a_project_that_is_named_means_its_own_entries_alone(cli: CommandLine) -> None:
    save(cli, "Of the shop", "--project", "shop")
    save(cli, "Of another", "--project", "other")
    save(cli, "Of none")
    assert cli("forget", "--project", "shop", "--yes").code == 0
    assert titles(cli) == ["Of another", "Of none"]


def test_nothing_is_forgotten_without_a_confirmation(cli: CommandLine) -> None:
    save(cli, "Lamp", "--tag", "lamp")
    save(cli, "Kiln")
    done = cli("forget", "--tag", "lamp")
    assert done.code == 2
    assert "this would forget 1 entry, and there is no terminal" in done.err
    assert titles(cli) == ["Kiln", "Lamp"]


def test_a_dry_run_lists_and_changes_nothing(cli: CommandLine) -> None:
    entry = save(cli, "Lamp", "--tag", "lamp")
    save(cli, "Kiln")
    done = cli("forget", "--tag", "lamp", "--dry-run")
    assert (done.code, entry in done.out, "would forget 1 entry" in done.out) == (0, True, True)
    data: Any = cli("forget", "--tag", "lamp", "--dry-run", "--json").answer["data"]
    assert (data["total"], data["all"]) == (1, False)
    assert titles(cli) == ["Kiln", "Lamp"]


def test_what_matches_nothing_is_reported_with_its_exit_code(cli: CommandLine) -> None:
    save(cli, "Lamp", "--tag", "lamp", "--project", "shop")
    for more in ((), ("--yes",), ("--dry-run",)):
        done = cli("forget", "--tag", "absent", *more)
        assert (done.code, "no entry matches" in done.err) == (3, True)
    done = cli("forget", "--tag", "lamp", "--yes")
    assert (done.code, "in other projects 1 entry would match" in done.err) == (3, True)


def test_everything_is_named_as_such_and_needs_yes(cli: CommandLine) -> None:
    save(cli, "Lamp")
    save(cli, "Kiln")
    done = cli("forget", "--kind", "fix")
    assert (done.code, "all 2 entries of this vault" in done.err) == (2, True)
    done = cli("forget", "--kind", "fix", "--yes")
    assert "deleted all 2 entries of this vault" in done.out
    assert titles(cli) == []
    cli("undo")
    assert titles(cli) == ["Kiln", "Lamp"]


def test_several_names_are_one_change_and_one_that_is_missing_stops_all(cli: CommandLine) -> None:
    lamp = save(cli, "Lamp of the north")
    save(cli, "Kiln of the south")
    save(cli, "Mill")
    done = cli("forget", lamp, "no such thing", "Mill")
    assert (done.code, titles(cli)) == (3, ["Kiln of the south", "Lamp of the north", "Mill"])
    assert cli("forget", lamp, "kiln of").code == 0
    assert titles(cli) == ["Mill"]
    cli("undo")
    assert titles(cli) == ["Kiln of the south", "Lamp of the north", "Mill"]


def test_forget_needs_names_or_a_filter_and_not_both(cli: CommandLine) -> None:
    save(cli, "Lamp")
    assert cli("forget").code == 2
    assert cli("forget", "Lamp", "--tag", "x").code == 2
    assert cli("forget", "--all-projects", "--yes").code == 2
    assert titles(cli) == ["Lamp"]


def test_a_person_is_asked_with_the_count_and_may_decline(shell: Shell) -> None:
    for title in ("Lamp", "Lantern"):
        shell.run("save", "--kind", "fix", "--tag", "light", "--title", title, "Bright.")
    shell.run("save", "--kind", "fix", "--title", "Kiln", "Hot.")
    for answer, left in ((b"n\n", 3), (b"y\n", 1)):
        master, slave = pty.openpty()
        os.write(master, answer)
        done = subprocess.run(
            [sys.executable, "-m", "engrain", "forget", "--tag", "light"],
            stdin=slave,
            capture_output=True,
            check=False,
            cwd=shell.here,
            env=shell.environ,
            timeout=60,
        )
        os.close(slave)
        os.close(master)
        assert "2 entries: forget them? [y/N]" in done.stderr.decode()
        data: Any = shell.run("list", "--json").answer["data"]
        assert data["total"] == left
