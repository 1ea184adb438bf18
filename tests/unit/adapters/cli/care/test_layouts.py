"""import and export of three layers and of the living memory: folders that are found, and written
whole."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from support.layouts import ALICE, DAY, FACT, LIVING, PROJECT, WORKSPACE, documents_of
from support.loki import read_folder, write_tree
from unit.adapters.shell import CommandLine
from unit.adapters.shell import ask as data_of

THREE = ("--format", "three-layer")
ALIVE = ("--format", "living")


@pytest.fixture
def workspace(cli: CommandLine) -> Path:
    return write_tree(cli.folder / "work", WORKSPACE)


@pytest.fixture
def living(cli: CommandLine) -> Path:
    return write_tree(cli.folder / "agent" / "memory", LIVING)


def test_a_workspace_comes_in_and_goes_out_the_same(cli: CommandLine, workspace: Path) -> None:
    came = data_of(cli, "import", *THREE, str(workspace), "--trust", "operator")
    assert (came["outcomes"], came["problems"]) == ({"created": 7}, [])
    assert [one["path"] for one in came["passed_over"]] == ["memory/entities/alice/summary.md"]
    out = cli.folder / "out"
    went = data_of(cli, "export", *THREE, str(out))
    assert went["counts"] == {
        "MEMORY.md": 1, "daily": 2, "entity": 2, "fact": 3, "kept-file": 2,
    }  # fmt: skip
    assert (went["files"], went["left_out"]) == (len(read_folder(out)), [])
    written, given = (documents_of(read_folder(folder)) for folder in (out, workspace))
    for name in ("MEMORY.md", ALICE, DAY, "memory/2026-01-29.md"):
        assert written[name] == given[name]
    again = cli("import", *THREE, str(out), "--trust", "operator")
    assert again.out.startswith("7 read: 0 added, 0 changed, 7")


def test_a_living_memory_comes_in_and_goes_out_the_same(cli: CommandLine, living: Path) -> None:
    came = data_of(cli, "import", *ALIVE, str(living))
    assert (came["outcomes"], came["problems"]) == ({"created": 7}, [])
    out = cli.folder / "out"
    went = data_of(cli, "export", *ALIVE, str(out))
    assert went["counts"] == {"active": 3, "archive": 1, "core": 2, "procedural": 1}
    assert sorted(read_folder(out)) == sorted(LIVING)
    assert cli("import", *ALIVE, str(out)).out.startswith(
        "7 read: 0 added, 0 changed, 7 unchanged,"
    )
    assert "The project" in cli("show", "abc12345").out


@pytest.mark.parametrize("below", ["", "memory"])
def test_a_folder_that_it_lies_in_will_do(
    cli: CommandLine, workspace: Path, living: Path, below: str
) -> None:
    to = ("--trust", "operator")
    assert data_of(cli, "import", *THREE, str(workspace / below), *to)["outcomes"] == {"created": 7}
    assert data_of(cli, "import", "living", str(living.parent / below))["outcomes"] == {
        "created": 7
    }
    shown = data_of(cli, "show", "Memory/daily/2026-01-28.md")
    assert shown["source"]["ref"] == f"work/{DAY}"


def test_a_workspace_of_days_alone_is_one(cli: CommandLine) -> None:
    folder = write_tree(cli.folder / "work", {DAY: WORKSPACE[DAY]})
    assert data_of(cli, "import", *THREE, str(folder))["outcomes"] == {"created": 1}


@pytest.mark.parametrize("form", [THREE, ALIVE])
def test_kinds_and_tags_are_not_for_the_whole(
    cli: CommandLine, workspace: Path, form: tuple[str, str]
) -> None:
    assert cli("import", *form, str(workspace), "--kind", "fix").code == 2


def test_links_and_pipes_are_not_read(cli: CommandLine, workspace: Path, living: Path) -> None:
    secret = cli.folder / "secret"
    secret.mkdir()
    (secret / "items.json").write_text(json.dumps([{**FACT, "id": "secret"}]))
    (secret / "a.md").write_text("---\nid: secret1\n---\nNobody's business.\n")
    (workspace / ALICE).unlink()
    (workspace / ALICE).symlink_to(secret / "items.json")
    (workspace / "memory/entities/eve").symlink_to(secret)
    (workspace / "MEMORY.md").unlink()
    (workspace / "MEMORY.md").symlink_to(secret / "a.md")
    os.mkfifo(workspace / "memory/2026-02-01.md")
    came = data_of(cli, "import", *THREE, str(workspace), "--trust", "operator")
    told = {problem["path"] for problem in came["problems"]}
    assert told == {ALICE, "MEMORY.md", "memory/2026-02-01.md"}
    (living / "active/link.md").symlink_to(secret / "a.md")
    (living / "core/more").symlink_to(secret)
    came = data_of(cli, "import", *ALIVE, str(living))
    assert [problem["path"] for problem in came["problems"]] == ["active/link.md"]
    assert "business" not in cli("recall", "nobody's business").out
    assert cli("show", "secret1").code == 3


def test_a_huge_file_is_reported_and_left(cli: CommandLine, workspace: Path) -> None:
    with (workspace / ALICE).open("r+b") as file:
        file.truncate(65 * 2**20)
    came = data_of(cli, "import", *THREE, str(workspace), "--trust", "external")
    assert {problem["path"]: problem["message"] for problem in came["problems"]} == {
        ALICE: "over 64 MiB", "MEMORY.md": "left where it is: only the operator takes it in",
    }  # fmt: skip


def test_entities_that_came_in_are_reported_by_name(cli: CommandLine, workspace: Path) -> None:
    cli("import", *THREE, str(workspace))
    assert "Acme Corp" in cli("recall", "where does Alice Moreau work").out
    index = json.loads((cli.vault / "Memory/entities/index.json").read_text())
    assert [one["slug"] for one in index["entities"]] == ["acme-corp", "alice"]


def test_an_export_of_what_came_by_another_layout_is_whole(cli: CommandLine, living: Path) -> None:
    cli("import", *ALIVE, str(living))
    assert data_of(cli, "export", *THREE, str(cli.folder / "three"))["counts"] == {}
    assert PROJECT in read_folder(living)
