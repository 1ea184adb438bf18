"""Where Claude Code keeps its memory, and which project a folder of it is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engrain.adapters.cli.care.import_ import describe_folder, find_memory_folders


def flatten(path: Path) -> str:
    """A path as Claude Code names a project's folder."""
    return re.sub("[^a-zA-Z0-9]", "-", str(path))


def make_repository(path: Path) -> Path:
    """A folder that is a git repository."""
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with no setting of Engrain's."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


def make_folder(base: Path, name: str) -> Path:
    """A memory folder of the project of that name."""
    folder = base / "projects" / name / "memory"
    folder.mkdir(parents=True)
    return folder


# Which folders


def test_every_project_with_a_memory_is_found(home: Path) -> None:
    base = home / ".claude"
    two = [make_folder(base, "-nowhere-b"), make_folder(base, "-nowhere-a")]
    (base / "projects" / "-nowhere-c").mkdir()  # sessions, and no memory
    found = find_memory_folders({})
    assert [folder.path for folder in found] == sorted(map(str, two))
    assert [folder.name for folder in found] == ["-nowhere-a", "-nowhere-b"]


def test_the_hosts_own_variable_says_where_its_folder_is(home: Path, tmp_path: Path) -> None:
    make_folder(home / ".claude", "-nowhere-a")
    there = make_folder(tmp_path / "config", "-nowhere-b")
    found = find_memory_folders({"CLAUDE_CONFIG_DIR": str(tmp_path / "config")})
    assert [folder.path for folder in found] == [str(there)]


# Which project


@pytest.mark.parametrize("path", ["app", "my-app", "my.app_2", ".hidden/app", "a-b/c-d", "ünder"])
def test_the_project_is_that_of_the_repository_whose_path_the_name_was(
    home: Path, path: str
) -> None:
    repository = make_repository(home / path)
    folder = make_folder(home / ".claude", flatten(repository))
    assert describe_folder(str(folder), {}).project == repository.name


def test_a_worktree_is_of_its_repositorys_project(home: Path) -> None:
    repository = make_repository(home / "app")
    (repository / ".git" / "worktrees" / "fix").mkdir(parents=True)
    (repository / ".git" / "worktrees" / "fix" / "commondir").write_text("../..\n")
    (home / "app-fix").mkdir()
    (home / "app-fix" / ".git").write_text(f"gitdir: {repository}/.git/worktrees/fix\n")
    folder = make_folder(home / ".claude", flatten(home / "app-fix"))
    assert describe_folder(str(folder), {}).project == "app"


def test_the_projects_own_file_names_it_and_this_sessions_environment_does_not(home: Path) -> None:
    repository = make_repository(home / "app")
    (repository / ".engrain.toml").write_text('project = "billing"\n')
    folder = make_folder(home / ".claude", flatten(repository))
    assert describe_folder(str(folder), {"ENGRAIN_PROJECT": "other"}).project == "billing"


def test_of_two_repositories_that_the_name_may_mean_none_is_taken(home: Path) -> None:
    make_repository(home / "a-b")
    make_repository(home / "a" / "b")
    folder = make_folder(home / ".claude", flatten(home / "a-b"))
    assert describe_folder(str(folder), {}).project is None


@pytest.mark.parametrize("name", ["-gone-app", "notes", "", "-"])
def test_a_name_that_no_folder_has_is_of_no_project(home: Path, name: str) -> None:
    assert describe_folder(str(home / name / "memory"), {}).project is None


def test_a_folder_outside_of_any_repository_is_of_no_project(home: Path) -> None:
    (home / "plain").mkdir()
    folder = make_folder(home / ".claude", flatten(home / "plain"))
    assert describe_folder(str(folder), {}).project is None
