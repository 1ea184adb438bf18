"""check at the command line."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from unit.adapters.shell import CommandLine

BROKEN = "See [[nothing]] and [[Ledger lock order]].\n"


def put(cli: CommandLine, name: str, text: str) -> None:
    place = cli.vault / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_a_vault_in_order_is_left_with_0(cli: CommandLine) -> None:
    done = cli("check")
    assert (done.code, done.out) == (0, "Nothing is wrong.\n")


def test_what_is_found_is_reported_by_place_and_line_and_is_no_error(cli: CommandLine) -> None:
    put(cli, "a/linker.md", f"One.\n{BROKEN}")
    done = cli("check")
    assert done.code == 0
    assert done.out.splitlines() == [
        "a/linker.md:2  warning broken-link: no note is called 'nothing'",
        "  create it, or correct the link in an editor",
        "a/linker.md:2  warning broken-link: no note is called 'Ledger lock order'",
        "  create it, or correct the link in an editor",
        "2 warnings",
    ]


def test_an_error_is_left_with_1(cli: CommandLine) -> None:
    put(cli, "broken.md", "---\ntitle: [\n---\n")
    done = cli("check")
    assert done.code == 1
    assert done.out.startswith("broken.md:3  error unreadable: ")
    assert done.out.endswith("\n1 error\n")
    assert cli("check", "broken-link").code == 0


def test_what_can_be_fixed_is_in_one_change_that_is_named(cli: CommandLine) -> None:
    put(cli, "a/linker.md", BROKEN)
    put(cli, "a/ledger-lock-order.md", "Text.\n")
    before = cli("check")
    assert "2 warnings; 1 can be fixed: `engrain check --fix`" in before.out
    assert (cli.vault / "a/linker.md").read_text() == BROKEN
    done = cli("check", "--fix")
    assert "fixed broken-link" in done.out
    fixed = BROKEN.replace("Ledger lock order", "ledger-lock-order")
    assert (cli.vault / "a/linker.md").read_text() == fixed
    change = done.out.partition("`engrain undo ")[2].partition("`")[0]
    assert cli("undo", change).code == 0
    assert (cli.vault / "a/linker.md").read_text() == BROKEN


def test_a_program_gets_every_flaw_and_the_change(cli: CommandLine) -> None:
    put(cli, "a/linker.md", BROKEN)
    put(cli, "a/ledger-lock-order.md", "Text.\n")
    done = cli("check", "--fix", "--json")
    data = done.answer["data"]
    assert data["counts"] == {"warning": 1}
    assert [flaw["path"] for flaw in data["fixed"]] == ["a/linker.md"]
    (left,) = data["findings"]
    assert left == {
        "rule": "broken-link",
        "severity": "warning",
        "path": "a/linker.md",
        "line": 1,
        "message": "no note is called 'nothing'",
        "remedy": "create it, or correct the link in an editor",
        "fixable": False,
    }
    assert data["change"]


def test_of_many_flaws_of_a_rule_the_first_are_shown(cli: CommandLine) -> None:
    put(cli, "a/linker.md", "".join(f"[[nothing {number}]]\n" for number in range(30)))
    done = cli("check", "broken-link")
    assert done.out.count("no note is called") == 20
    assert "and 10 more of broken-link; --json has them" in done.out


def test_what_is_no_rule_is_a_usage_error(cli: CommandLine) -> None:
    done = cli("check", "tidiness")
    assert done.code == 2
    assert "broken-link" in done.err


def test_help_tells_the_rules_and_the_exit_code(cli: CommandLine) -> None:
    out = cli("check", "--help").out
    assert "one-sided" in out
    assert "exits with 1 if it finds an error" in out


def test_notes_that_went_at_once_are_accepted_as_removed(cli: CommandLine) -> None:
    places = [cli.vault / str(cli.save(f"Lamp {n}.")["path"]) for n in range(12)]
    for place in places:
        place.unlink()
    missing = cli("check")
    assert missing.code == 1
    assert "error missing: 12 notes that the history has are not there" in missing.out
    accepted = cli("check", "--accept-missing")
    assert accepted.code == 0
    assert "recorded as removed: 12 missing notes" in accepted.out


def index_file(cli: CommandLine) -> Path:
    (found,) = (cli.folder / "state" / "vaults").glob("*/index/index-*.sqlite")
    return found


def test_deep_compares_every_table_of_the_index_with_the_files_and_fixes_it(
    cli: CommandLine,
) -> None:
    cli("save", "One leads to [[Two]].", "--title", "One")
    cli("save", "Two is here.", "--title", "Two", "--tag", "there")
    assert cli("check", "--deep").out == "Nothing is wrong.\n"
    with sqlite3.connect(index_file(cli)) as connection:
        connection.execute("UPDATE links SET end = NULL")
        connection.execute("DELETE FROM tags")
    connection.close()
    differs = cli("check", "--deep")
    assert differs.code == 1
    assert "error index: links: 1 row not from the files" in differs.out
    assert "error index: tags: 1 row missing, such as Memory/" in differs.out
    assert "`engrain check --fix`" in differs.out
    assert cli("check", "unreadable").code == 0  # which takes the index's word
    data = cli("check", "index", "--fix", "--json").answer["data"]
    assert ({one["rule"] for one in data["fixed"]}, data["findings"]) == ({"index"}, [])
    assert cli("check", "--deep").out == "Nothing is wrong.\n"
    assert list(index_file(cli).parent.glob("beside-*")) == []
