"""map at the command line."""

from __future__ import annotations

from unit.adapters.shell import CommandLine


def test_maps_are_written_and_told(cli: CommandLine) -> None:
    cli.save("Locks are advisory.", "--title", "Nightly lock", "--kind", "fix")
    done = cli("map")
    assert done.code == 0
    assert done.out.splitlines()[-1].endswith("updated")
    assert "written  Memory/_index.md" in done.out
    assert "Nightly lock" in (cli.vault / "Memory" / "_index.md").read_text()
    assert cli("map").out.splitlines()[-1].endswith("up to date")


def test_a_program_gets_every_place(cli: CommandLine) -> None:
    cli.save("Locks are advisory.", "--title", "Nightly lock", "--kind", "fix")
    data = cli("map", "--json").answer["data"]
    assert isinstance(data, dict)
    assert (data["in_step"], data["entries"]) == (False, 1)
    assert data["written"] == sorted(data["written"])
    assert "Memory/_index.md" in data["written"]
    assert (data["removed"], data["kept"]) == ([], [])


def test_a_map_of_a_persons_own_is_told_and_left(cli: CommandLine) -> None:
    cli.save("Locks are advisory.", "--title", "Nightly lock", "--kind", "fix")
    (cli.vault / "_index.md").write_text("# Mine\n")
    done = cli("map")
    assert "left alone  _index.md: its first line does not say that engrain made it" in done.out
    assert (cli.vault / "_index.md").read_text() == "# Mine\n"


def test_a_map_that_cannot_be_read_is_told_as_that_and_left(cli: CommandLine) -> None:
    cli.save("Locks are advisory.", "--title", "Nightly lock", "--kind", "fix")
    (cli.vault / "_index.md").mkdir()
    done = cli("map", "--json")
    data = done.answer["data"]
    assert isinstance(data, dict)
    assert (data["kept"], data["unreadable"]) == ([], ["_index.md"])
    assert "left alone  _index.md: it can't be read" in cli("map").out
    assert (cli.vault / "_index.md").is_dir()
