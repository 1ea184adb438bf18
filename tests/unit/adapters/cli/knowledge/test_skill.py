"""The command `skill`, and folders of skills on disk (S2.4)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from engrain.adapters.cli.knowledge.skill import write_folder
from engrain.model.errors import ConflictError
from engrain.model.note.note import split_note
from unit.adapters.shell import CommandLine


def data(cli: CommandLine, *argv: str, code: int = 0) -> Any:
    done = cli("skill", *argv, "--json")
    assert done.code == code, done.out
    return done.answer["data"] if code == 0 else done.answer["error"]


def add(cli: CommandLine) -> str:
    made = data(
        cli, "add", "--title", "Release", "--needs", "CI is green", "--step", "Tag the commit",
        "--step", "Run the pipeline", "--error", "Tag exists: delete it", "--exit", "It is out",
        "--tag", "ci",
    )  # fmt: skip
    return str(made["id"])


def test_a_skill_is_added_from_options_and_shown_part_by_part(cli: CommandLine) -> None:
    shown = data(cli, "show", add(cli))
    assert shown["name"] == "Release"
    assert shown["prerequisites"] == ["CI is green"]
    assert shown["steps"] == ["Tag the commit", "Run the pipeline"]
    assert shown["errors"] == [{"error": "Tag exists", "fix": "delete it"}]
    assert shown["exit_criteria"] == ["It is out"]
    assert shown["tags"] == ["ci"]
    assert "1. Tag the commit" in cli("skill", "show", "release").out


def test_a_skill_is_added_from_text_and_options_add_to_it(cli: CommandLine) -> None:
    done = cli("skill", "add", "-", "--step", "Two", stdin=b"# Deploy\n\n## Steps\n1. One\n")
    assert done.code == 0, done.err
    shown = data(cli, "show", "deploy")
    assert (shown["name"], shown["steps"]) == ("Deploy", ["One", "Two"])


def test_a_skill_is_found_for_a_task_and_silence_is_reported(cli: CommandLine) -> None:
    id_ = add(cli)
    assert [one["id"] for one in data(cli, "find", "run", "the release", "pipeline")["skills"]] == [
        id_
    ]
    assert data(cli, "find", "bake bread") == {"skills": []}
    assert cli("skill", "find", "bake bread").out == "No skill applies.\n"


def test_one_that_fails_more_than_it_serves_is_reported(cli: CommandLine) -> None:
    add(cli)
    used = data(cli, "use", "release", "--outcome", "failure", "--note", "token expired")
    assert (used["usage_count"], used["failure_count"], used["doubtful"]) == (1, 1, True)
    assert used["last_used"] is not None
    assert "doubtful" in cli("skill", "list").out
    assert "doubtful" in cli("skill", "show", "release").out
    assert "token expired" in cli("history", "release").out


def test_no_skill_is_exported_into_the_vault(cli: CommandLine) -> None:
    add(cli)
    done = cli("skill", "export", "release", str(cli.vault / "Memory"))
    assert done.code == 2
    assert "in the vault" in done.err
    assert not (cli.vault / "Memory" / "release").exists()


def test_exported_skills_are_folders_that_a_host_loads(cli: CommandLine) -> None:
    add(cli)
    out = cli.folder / "out"
    given = data(cli, "export", "--all", str(out))["skills"]
    assert given == [{"name": "release", "path": str(out / "release")}]
    fields = split_note((out / "release" / "SKILL.md").read_bytes()).fields
    assert fields["name"] == "release"
    assert fields["description"] == "Release: Tag the commit; Run the pipeline"


def test_nothing_that_is_there_is_written_over_without_force(cli: CommandLine) -> None:
    add(cli)
    out = cli.folder / "out"
    (out / "release").mkdir(parents=True)
    (out / "release" / "SKILL.md").write_text("mine")
    assert data(cli, "export", "release", str(out), code=4)["code"] == "conflict"
    assert (out / "release" / "SKILL.md").read_text() == "mine"
    assert data(cli, "export", "release", str(out), "--force")["problems"] == []
    assert "name: release" in (out / "release" / "SKILL.md").read_text()
    assert os.listdir(out / "release") == ["SKILL.md"]


def test_all_leaves_out_what_came_from_outside(cli: CommandLine) -> None:
    cli("skill", "add", "--title", "Alpha", "--step", "Do it", "--trust", "external")
    answer = data(cli, "export", "--all", str(cli.folder / "out"))
    assert answer["skills"] == []
    assert "origin is external" in answer["problems"][0]["message"]
    assert "external" in cli("skill", "list").out
    named = data(cli, "export", "alpha", str(cli.folder / "out"))
    assert [one["name"] for one in named["skills"]] == ["alpha"]


@pytest.mark.parametrize(
    "argv",
    [
["export", "a"],
["export", "--all", "a", "b"],
["add"],
["find", "x", "--limit", "0"],
],
)  # fmt: skip
def test_a_wrong_call_is_a_usage_error(cli: CommandLine, argv: list[str]) -> None:
    assert cli("skill", *argv, "--json").code == 2


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConflictError, match="is a link"):
        write_folder(str(tmp_path / "out"), "x", b"x", force=True)
    assert os.listdir(tmp_path / "elsewhere") == []
