"""A project is its repository, whatever asks for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engrain.resolution.selector import find_project, resolve
from unit.adapters.shell import CommandLine
from unit.learn.reflection.sessions import write_session
from unit.resolution.test_project import git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

WORK, PRIVATE = "git@example.com:acme/api.git", "https://example.com/ada/api"


@pytest.fixture
def repositories(cli: CommandLine) -> tuple[Path, Path]:
    """Two repositories of one name, with remotes."""
    found = []
    for name, remote in (("work", WORK), ("private", PRIVATE)):
        folder = cli.folder / name / "api"
        git(folder, "init", "-q")
        git(folder, "remote", "add", "origin", remote)
        found.append(folder)
    return found[0], found[1]


def found_in(cli: CommandLine, folder: Path, *argv: str) -> list[str]:
    os.chdir(folder)
    return [row["title"] for row in cli("list", "--json", *argv).answer["data"]["results"]]


def test_two_repositories_of_one_name_do_not_share_their_memories(
    cli: CommandLine, repositories: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    work, private = repositories
    monkeypatch.chdir(work)
    cli.save("The platform team rotates passwords.", "--kind", "decision")
    assert found_in(cli, private) == []
    cli.save("Ada rotates them.", "--kind", "decision")
    assert found_in(cli, private) == ["Ada rotates them."]
    assert found_in(cli, work) == ["The platform team rotates passwords."]
    assert found_in(cli, work, "--all-projects") != found_in(cli, work)
    assert cli("recall", "who rotates?", "--project", "api (ada)").out.count("Ada rotates") >= 1
    moved = work.rename(cli.folder / "backend")
    assert found_in(cli, moved) == ["The platform team rotates passwords."]


def test_an_older_entry_stays_with_the_repository_that_is_met_first(
    cli: CommandLine, repositories: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cli.folder)
    cli.save("The platform team rotates passwords.", "--kind", "decision", "--project", "api")
    assert len(found_in(cli, repositories[0])) == 1
    assert found_in(cli, repositories[1]) == []


def test_hooks_commands_and_transcripts_name_a_repository_alike(
    cli: CommandLine, repositories: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repositories[0])
    assert cli("list").code == 0
    private = str(repositories[1])
    place = resolve({}, os.environ, private)
    assert place.project == "api (ada)"
    assert find_project("", os.environ, private) == "api (ada)"
    assert find_project("", os.environ, private, place) == "api (ada)"
    write_session(cli.folder / "sessions", "a", "Always use pnpm in this repository.", cwd=private)
    assert cli("learn", "reflect", str(cli.folder / "sessions")).code == 0
    assert len(found_in(cli, repositories[1])) == 1
    assert found_in(cli, repositories[0]) == []


def test_claims_are_shared_by_commands(
    cli: CommandLine, repositories: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repositories[0])
    assert cli("list").code == 0
    assert cli("list").code == 0
    (file,) = (cli.vault / ".engrain" / "projects").iterdir()
    assert "example.com/acme/api" in file.read_text()
    assert cli("doctor").code == 0
    assert cli("check", "history").code == 0
