"""`undo` and `redo` on the command line: told in titles, and never further back than was meant."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import Any

from unit.adapters.shell import CommandLine, Shell


def save(cli: CommandLine, title: str) -> str:
    done = cli("save", "--json", "--kind", "fix", "--title", title, f"About {title}.")
    data: Any = done.answer["data"]
    return str(data["id"])


def titles(cli: CommandLine) -> list[str]:
    data: Any = cli("list", "--json").answer["data"]
    return sorted(row["title"] for row in data["results"])


def test_an_undo_says_in_titles_what_it_takes_back(cli: CommandLine) -> None:
    entry = save(cli, "Kiln")
    done = cli("undo")
    assert done.out.splitlines()[0] == "undid: save of 'Kiln' (just now)"
    assert entry in done.out
    save(cli, "Mill")
    cli("evolve", "Mill", "It stands.")
    assert "undid: evolve of 'Mill' (just now)" in cli("undo").out


def test_many_entries_are_counted(cli: CommandLine) -> None:
    for number in range(5):
        save(cli, f"Lamp {number}")
    cli("forget", "--kind", "fix", "--yes")
    assert "undid: forget of 5 entries: 'Lamp " in cli("undo").out


def test_a_second_undo_says_what_is_next_and_needs_yes(cli: CommandLine) -> None:
    save(cli, "Kiln")
    save(cli, "Mill")
    assert cli("undo").code == 0
    done = cli("undo")
    assert done.code == 2
    assert "the last change is undone already; the next would be save of 'Kiln'" in done.err
    assert titles(cli) == ["Kiln"]
    assert cli("undo", "--json").code == 2
    assert cli("undo", "--yes").code == 0
    assert titles(cli) == []


def test_a_change_between_two_undos_needs_no_yes(cli: CommandLine) -> None:
    save(cli, "Kiln")
    cli("undo")
    save(cli, "Mill")
    assert cli("undo").code == 0
    assert titles(cli) == []


def test_a_redo_takes_the_last_undo_back_one_by_one(cli: CommandLine) -> None:
    save(cli, "Kiln")
    save(cli, "Mill")
    cli("undo")
    cli("undo", "--yes")
    assert titles(cli) == []
    assert cli("undo", "--redo").out.splitlines()[0] == "redid: save of 'Kiln' (just now)"
    assert titles(cli) == ["Kiln"]
    assert "redid: save of 'Mill'" in cli("undo", "--redo").out
    assert titles(cli) == ["Kiln", "Mill"]
    assert cli("undo", "--redo").code == 3
    assert cli("undo").code == 0  # what was redone is the last change again
    assert titles(cli) == ["Kiln"]


def test_a_redo_is_refused_when_something_newer_changed_the_entry(cli: CommandLine) -> None:
    save(cli, "Kiln")
    cli("undo")
    cli("restore", "Kiln")
    shown: Any = cli("show", "Kiln", "--json").answer["data"]
    cli("edit", "Kiln", "Newer.", "--expect", shown["hash"])
    done = cli("undo", "--redo")
    assert (done.code, "was changed later" in done.err) == (4, True)
    assert "Newer." in cli("show", "Kiln").out


def test_there_is_nothing_to_redo_where_nothing_was_undone(cli: CommandLine) -> None:
    save(cli, "Kiln")
    done = cli("undo", "--redo")
    assert (done.code, "no undo" in done.err) == (3, True)


def test_a_person_is_asked_before_a_second_undo(shell: Shell) -> None:
    for title in ("Kiln", "Mill"):
        shell.run("save", "--kind", "fix", "--title", title, "Hot.")
    shell.run("undo")
    for answer, left in ((b"n\n", 1), (b"y\n", 0)):
        master, slave = pty.openpty()
        os.write(master, answer)
        done = subprocess.run(
            [sys.executable, "-m", "engrain", "undo"],
            stdin=slave,
            capture_output=True,
            check=False,
            cwd=shell.here,
            env=shell.environ,
            timeout=60,
        )
        os.close(slave)
        os.close(master)
        assert "Undo an older one: save of 'Kiln'" in done.stderr.decode()
        data: Any = shell.run("list", "--json").answer["data"]
        assert data["total"] == left
