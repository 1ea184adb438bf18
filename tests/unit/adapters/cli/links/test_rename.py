"""rename at the command line."""

from __future__ import annotations

import pytest

from engrain.adapters.present.failures import EXIT_USAGE
from unit.adapters.shell import CommandLine


@pytest.fixture
def saved(cli: CommandLine) -> dict[str, str]:
    (cli.vault / "by.md").write_text("[[Lighthouse]] and [[lighthouse|it]]\n")
    return cli.save("A light.", "--title", "Lighthouse", "--kind", "fix")


def test_it_tells_what_changed_and_how_to_take_it_back(
    cli: CommandLine, saved: dict[str, str]
) -> None:
    done = cli("rename", saved["id"], "Beacon")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "renamed Lighthouse to Beacon"
    assert "changed  by.md, Memory/fix/beacon.md" in lines
    assert (cli.vault / "by.md").read_text() == "[[Beacon]] and [[beacon|it]]\n"
    change = lines[-1].split("`")[1].split()[-1]
    assert cli("undo", change).code == 0
    assert (cli.vault / "by.md").read_text() == "[[Lighthouse]] and [[lighthouse|it]]\n"


def test_a_program_gets_the_id_the_place_and_the_change(
    cli: CommandLine, saved: dict[str, str]
) -> None:
    tried = cli("rename", saved["id"], "Beacon", "--dry-run", "--json").answer["data"]
    data = cli("rename", saved["id"], "Beacon", "--json").answer["data"]
    (change,) = data["changes"]
    assert change.count("-") == 1
    assert data == {
        "id": saved["id"],
        "title": "Beacon",
        "slug": "beacon",
        "path": "Memory/fix/beacon.md",
        "before": {"title": "Lighthouse", "path": "Memory/fix/lighthouse.md"},
        "links": 2,
        "changed": ["by.md", "Memory/fix/beacon.md"],
        "left": [],
        "changes": [change],
    }
    assert tried == data | {"changes": []}


def test_refusals_have_their_exit_codes(cli: CommandLine, saved: dict[str, str]) -> None:
    cli.save("Another.", "--title", "Beacon", "--kind", "fix")
    assert cli("rename", saved["id"], "Beacon").code == 4
    assert cli("rename", "nobody", "Beacon").code == 3
    assert cli("rename", saved["id"], "").code == EXIT_USAGE
    assert cli("rename", saved["id"]).code == EXIT_USAGE
