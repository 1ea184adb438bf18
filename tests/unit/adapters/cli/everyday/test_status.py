"""`engrain status`: one screen, and the same as data; it opens no note."""

from __future__ import annotations

from unit.adapters.shell import CommandLine, read_data, read_part

KEYS = ["vault", "hosts", "hooks", "server", "jobs", "learning", "recall", "pending"]


def test_its_data_has_eight_parts(cli: CommandLine) -> None:
    data = read_data(cli("status", "--json"))
    assert list(data) == KEYS
    assert read_part(data, "vault")["entries"] == 0
    assert read_part(data, "server") == {"running": False}
    assert read_part(data, "jobs")["last"] is None
    assert read_part(data, "recall")["calibrated"] is None
    assert read_part(data, "pending") == {"inbox": 0, "proposals": 0, "conflicts": 0}


def test_entries_are_counted_by_kind_and_tier_whatever_the_project(cli: CommandLine) -> None:
    cli.save("Rebase before you push.", "--kind", "workflow")
    cli.save("Prefer small pull requests.", "--kind", "preference", "--project", "harbour")
    cli.save("Mix flour and water.", "--kind", "recipe")
    gone = cli.save("An old fix.", "--kind", "fix")
    assert cli("forget", gone["id"]).code == 0
    vault = read_part(read_data(cli("status", "--json")), "vault")
    assert vault["entries"] == 3
    assert vault["kinds"] == {"workflow": 1, "preference": 1, "other": 1}
    tiers = vault["tiers"]
    assert sum(tiers.values()) == 3


def test_working_files_are_counted_nowhere(cli: CommandLine) -> None:
    cli.save("Rebase before you push.", "--kind", "workflow")
    assert cli("agent", "continuity", "--project", "shop", "--next", "Rest.").code == 0
    assert read_part(read_data(cli("status", "--json")), "vault")["kinds"] == {"workflow": 1}


def test_what_is_pending_is_counted_and_says_where_to_look(cli: CommandLine) -> None:
    cli.save("Look at this later.", "--status", "inbox")
    one = cli.save("The port is 80.", "--title", "Port of old")
    other = cli.save("The gate is 81.", "--title", "Port of today")
    assert cli("link", one["id"], other["id"], "--relation", "contradicts").code == 0
    assert read_part(read_data(cli("status", "--json")), "pending") == {
        "inbox": 1, "proposals": 0, "conflicts": 1,
    }  # fmt: skip
    out = cli("status").out
    assert "1 in the inbox: `engrain list --status inbox --all-projects`" in out
    assert "nothing is pending" not in out


def test_a_host_is_wired_once_it_was_set_up(cli: CommandLine) -> None:
    (cli.folder / "home" / ".codex").mkdir()
    assert "none is connected" in cli("status").out
    assert cli("setup", "codex").code == 0
    hosts = read_data(cli("status", "--json"))["hosts"]
    assert {"host": "codex", "wired": True} in list(hosts) if isinstance(hosts, list) else False
    assert cli("setup", "codex", "--remove").code == 0
    assert "none is connected" in cli("status").out


def test_jobs_that_ran_are_no_longer_due(cli: CommandLine) -> None:
    before = read_part(read_data(cli("status", "--json")), "jobs")["due"]
    assert cli("jobs", "run", "scan").code == 0
    after = read_part(read_data(cli("status", "--json")), "jobs")
    assert after["due"] == [name for name in before if name != "scan"]
    assert after["failed"] == []
    assert after["last"]


def test_the_text_fits_on_a_screen(cli: CommandLine) -> None:
    for kind in ("fix", "decision", "preference", "workflow", "recipe"):
        cli.save(f"Something about {kind}.", "--kind", kind)
    lines = cli("status").out.splitlines()
    assert 8 <= len(lines) <= 25
    assert lines[0] == str(cli.vault)


def test_no_note_is_opened(cli: CommandLine) -> None:
    cli.save("Rebase before you push.")
    for path in cli.vault.rglob("*.md"):
        path.write_text("---\nbroken: [\n---\nchanged by another program\n")
    vault = read_part(read_data(cli("status", "--json")), "vault")
    assert (vault["entries"], vault["problems"]) == (1, 0)


def test_proposals_are_counted_as_they_are_listed(cli: CommandLine) -> None:
    for number in range(2):
        cli.save(f"The port of the gate is 81, said {number} times.", "--title", f"Gate {number}")
    assert cli("jobs", "run", "dream").code == 0
    cli.save("Nobody decides about this.", "--status", "proposed")
    listed = read_data(cli("review", "list", "--json"))["proposals"]
    assert read_part(read_data(cli("status", "--json")), "pending")["proposals"] == len(listed)
