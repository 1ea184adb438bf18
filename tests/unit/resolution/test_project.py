"""Projects, from repositories that the real git made (DESIGN section 6)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from engrain.resolution.files import detect_project

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    command = ["git", "-c", "protocol.file.allow=always", *words]
    subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True)


@pytest.fixture
def billing(tmp_path: Path) -> Path:
    repository = tmp_path / "src" / "billing"
    git(repository, "init", "-q")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    return repository


def test_a_repository_is_named_by_its_folder_from_any_folder_in_it(billing: Path) -> None:
    inner = billing / "a" / "b"
    inner.mkdir(parents=True)
    assert detect_project(str(billing)) == "billing"
    assert detect_project(str(inner)) == "billing"


def test_outside_of_any_repository_there_is_no_project(tmp_path: Path, billing: Path) -> None:
    assert detect_project(str(billing.parent)) is None
    assert detect_project(str(tmp_path / "not there")) is None


def test_a_worktree_is_of_its_repository_wherever_it_lies(tmp_path: Path, billing: Path) -> None:
    git(billing, "worktree", "add", "-q", str(tmp_path / "elsewhere" / "hotfix"))
    git(billing, "worktree", "add", "-q", str(billing / "inside"))
    assert detect_project(str(tmp_path / "elsewhere" / "hotfix")) == "billing"
    assert detect_project(str(billing / "inside")) == "billing"


def test_a_worktree_that_was_moved_with_its_repository_is_in_no_project(
    tmp_path: Path, billing: Path
) -> None:
    git(billing, "worktree", "add", "-q", str(tmp_path / "hotfix"))
    billing.rename(tmp_path / "renamed")
    assert detect_project(str(tmp_path / "hotfix")) is None


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path, billing: Path) -> None:
    library = tmp_path / "upstream"
    git(library, "init", "-q")
    git(library, "commit", "-q", "--allow-empty", "-m", "first")
    git(billing, "submodule", "add", "-q", str(library), "vendor/ledger")
    assert (billing / "vendor" / "ledger" / ".git").is_file()
    assert detect_project(str(billing / "vendor" / "ledger")) == "ledger"
    assert detect_project(str(billing / "vendor")) == "billing"


@pytest.mark.parametrize("name", ["billing.git", "billing"])
def test_a_worktree_of_a_bare_repository_has_that_ones_name(
    tmp_path: Path, billing: Path, name: str
) -> None:
    bare = tmp_path / "bare" / name
    git(tmp_path, "clone", "-q", "--bare", str(billing), str(bare))
    git(bare, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "topic"))
    assert detect_project(str(tmp_path / "topic")) == "billing"


def test_a_hidden_bare_repository_has_the_name_of_the_folder_it_lies_in(
    tmp_path: Path, billing: Path
) -> None:
    home = tmp_path / "home" / "ledger"
    home.mkdir(parents=True)
    git(tmp_path, "clone", "-q", "--bare", str(billing), str(home / ".bare"))
    (home / ".git").write_text("gitdir: ./.bare\n")
    git(home, "worktree", "add", "-q", "-b", "topic", "topic")
    assert detect_project(str(home)) == "ledger"
    assert detect_project(str(home / "topic")) == "ledger"


def test_a_repository_kept_apart_is_named_by_its_work_tree(tmp_path: Path) -> None:
    git(tmp_path / "work", "init", "-q", "--separate-git-dir", str(tmp_path / "store"))
    assert (tmp_path / "work" / ".git").is_file()
    assert detect_project(str(tmp_path / "work")) == "work"


@pytest.mark.parametrize(
    "content",
    [b"gitdir: /nowhere/at/all\n", b"gitdir: ../gone\n", b"gitdir:\0\n", b"", b"hello", b"\xff\xfe",
     b"gitdir", b"x: y\n", b"gitdir: " + b"a" * 10_000],
)  # fmt: skip
def test_a_git_file_that_points_nowhere_is_no_project(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert detect_project(str(tmp_path)) is None


def test_a_git_file_that_leads_nowhere_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".git").symlink_to(tmp_path / "gone")
    assert detect_project(str(tmp_path)) is None


def test_a_git_folder_that_is_a_link_names_the_folder_it_stands_in(
    tmp_path: Path, billing: Path
) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").symlink_to(billing / ".git")
    assert detect_project(str(tmp_path / "linked")) == "linked"
