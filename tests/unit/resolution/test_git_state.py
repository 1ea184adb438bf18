"""The branch and the commit of a repository, read from git's own files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engrain.resolution.git_state import read_git_state
from unit.resolution.test_project import git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def billing(tmp_path: Path) -> Path:
    repository = tmp_path / "src" / "billing"
    git(repository, "init", "-q", "-b", "main")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    return repository


def head(folder: Path) -> str:
    """What git itself says."""
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def told(folder: Path) -> tuple[str, str] | None:
    state = read_git_state(str(folder))
    return None if state is None else (state.branch, state.commit)


def test_a_branch_and_its_commit_are_told_from_any_folder_in_it(billing: Path) -> None:
    below = billing / "a" / "b"
    below.mkdir(parents=True)
    assert told(below) == ("main", head(billing))
    assert str(read_git_state(str(below))) == f"commit {head(billing)}, branch main"


def test_a_branch_whose_name_has_folders_is_told_whole(billing: Path) -> None:
    git(billing, "checkout", "-q", "-b", "fix/lock/nightly")
    git(billing, "commit", "-q", "--allow-empty", "-m", "second")
    assert told(billing) == ("fix/lock/nightly", head(billing))


def test_packed_references_are_read(billing: Path) -> None:
    git(billing, "tag", "-a", "v1", "-m", "v1")
    git(billing, "pack-refs", "--all", "--prune")
    assert not (billing / ".git" / "refs" / "heads" / "main").exists()
    assert told(billing) == ("main", head(billing))


def test_a_commit_that_is_checked_out_without_a_branch_is_told(billing: Path) -> None:
    git(billing, "checkout", "-q", "--detach")
    assert told(billing) == ("", head(billing))
    assert str(read_git_state(str(billing))).endswith(", no branch")


def test_before_the_first_commit_there_is_none(tmp_path: Path) -> None:
    git(tmp_path / "new", "init", "-q", "-b", "main")
    assert told(tmp_path / "new") == ("main", "")


def test_a_worktree_has_a_branch_and_commit_of_its_own(billing: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(billing, "worktree", "add", "-q", "-b", "other", str(tree))
    git(tree, "commit", "-q", "--allow-empty", "-m", "there")
    assert told(tree) == ("other", head(tree))
    assert head(tree) != head(billing)
    git(billing, "pack-refs", "--all", "--prune")
    assert told(tree) == ("other", head(tree))


def test_a_submodule_has_a_state_of_its_own(billing: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    git(outer, "init", "-q", "-b", "trunk")
    git(outer, "submodule", "add", "-q", str(billing), "part")
    assert told(outer / "part") == ("main", head(billing))


def test_outside_of_any_repository_there_is_none(tmp_path: Path) -> None:
    assert told(tmp_path) is None


@pytest.mark.parametrize(
    "text",
    ["", "ref: ", "ref: ../../secret", "ref: refs/heads/../../x", "zz", "\0", "ref: refs/heads/a"],
)
def test_a_head_that_means_nothing_has_no_commit(billing: Path, text: str) -> None:
    (billing / ".git" / "HEAD").write_text(text)
    found = told(billing)
    assert found is not None
    assert found[1] == ""


def test_references_that_mean_each_other_have_no_commit(billing: Path) -> None:
    heads = billing / ".git" / "refs" / "heads"
    (heads / "main").write_text("ref: refs/heads/loop\n")
    (heads / "loop").write_text("ref: refs/heads/main\n")
    assert told(billing) == ("main", "")
