"""lint at the command line."""

from __future__ import annotations

from unit.adapters.shell import CommandLine

BROKEN = "See [[nothing]] and [[Ledger lock order]].\n"


def put(cli: CommandLine, name: str, text: str) -> None:
    place = cli.vault / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_a_vault_in_order_is_left_with_0(cli: CommandLine) -> None:
    done = cli("lint")
    assert (done.code, done.out) == (0, "Nothing is wrong.\n")


def test_what_is_found_is_told_by_place_and_line_and_left_with_1(cli: CommandLine) -> None:
    put(cli, "a/linker.md", f"One.\n{BROKEN}")
    done = cli("lint")
    assert done.code == 1
    assert done.out.splitlines() == [
        "a/linker.md:2  broken-link: no note is called 'nothing'",
        "  create it, or correct the link in an editor",
        "a/linker.md:2  broken-link: no note is called 'Ledger lock order'",
        "  create it, or correct the link in an editor",
    ]


def test_what_can_be_mended_is_in_one_change_that_is_named(cli: CommandLine) -> None:
    put(cli, "a/linker.md", BROKEN)
    put(cli, "a/ledger-lock-order.md", "Text.\n")
    before = cli("lint", "--fix", "--dry-run")
    assert before.code == 1
    assert "1 of 2 can be fixed: `engrain lint --fix`" in before.out
    assert (cli.vault / "a/linker.md").read_text() == BROKEN
    done = cli("lint", "--fix")
    assert done.code == 1
    assert "fixed broken-link" in done.out
    mended = BROKEN.replace("Ledger lock order", "ledger-lock-order")
    assert (cli.vault / "a/linker.md").read_text() == mended
    change = done.out.partition("`engrain undo ")[2].partition("`")[0]
    assert cli("undo", change).code == 0
    assert (cli.vault / "a/linker.md").read_text() == BROKEN


def test_a_program_gets_every_flaw_and_the_change(cli: CommandLine) -> None:
    put(cli, "a/linker.md", BROKEN)
    put(cli, "a/ledger-lock-order.md", "Text.\n")
    done = cli("lint", "--fix", "--json")
    assert done.code == 1
    data = done.answer["data"]
    assert isinstance(data, dict)
    assert data["counts"] == {"broken-link": 2}
    assert [flaw["path"] for flaw in data["mended"]] == ["a/linker.md"]
    assert [(flaw["rule"], flaw["line"], flaw["mends"]) for flaw in data["left"]] == [
        ("broken-link", 1, False)
    ]
    assert data["change"]


def test_of_many_flaws_of_a_rule_the_first_are_shown(cli: CommandLine) -> None:
    put(cli, "a/linker.md", "".join(f"[[nothing {number}]]\n" for number in range(30)))
    done = cli("lint", "--only", "broken-link")
    assert done.out.count("no note is called") == 20
    assert "and 10 more of broken-link; --json has them" in done.out


def test_what_is_no_rule_is_a_usage_error(cli: CommandLine) -> None:
    done = cli("lint", "--only", "tidiness")
    assert done.code == 2
    assert "broken-link" in done.err


def test_help_tells_the_rules_and_the_exit_code(cli: CommandLine) -> None:
    out = cli("lint", "--help").out
    assert "one-sided" in out
    assert "Leaves with 0" in out


def test_a_name_can_not_drive_the_terminal(cli: CommandLine) -> None:
    put(cli, "a/linker.md", "[[no\x1b[31mthing]]\n")
    assert "\x1b" not in cli("lint").out
