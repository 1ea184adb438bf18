"""Repositories, made by git itself and read as data."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from engrain.model.errors import StorageError
from engrain.resolution.learn_sources_git import open_repository, read_git_state
from support.repositories import commit, run_git
from unit.resolution.test_project import git

ENVIRON = {"PATH": os.environ["PATH"]}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tmp_path / "parser"


def test_commits_and_documents_are_read_at_what_is_checked_out(repository: Path) -> None:
    first = commit(repository, "Begin", README_md="# Parser\n", main_py="x = 1\n")
    second = commit(repository, "Take tabs\n\nAs blanks.", docs__tabs_md="Tabs.\n", CHANGELOG="1\n")
    found = open_repository(str(repository), ENVIRON)
    assert found.head == second
    told = [(one.id, one.message, one.at) for one in found.commits("", 10)]
    at = 1772366400.0
    assert told == [(second, "Take tabs\n\nAs blanks.", at), (first, "Begin", at)]
    assert [one.id for one in found.commits(first, 10)] == [second]
    assert [one.id for one in found.commits("", 1)] == [second]
    assert list(found.documents("")) == ["CHANGELOG", "README.md", "docs/tabs.md"]
    assert list(found.documents(first)) == ["CHANGELOG", "docs/tabs.md"]
    assert found.read("docs/tabs.md") == b"Tabs.\n"
    with pytest.raises(StorageError, match="git can't read it"):
        found.read("nowhere.md")
    found.close()


def test_what_was_left_is_not_missed_after_history_was_rewritten(repository: Path) -> None:
    commit(repository, "Begin", README_md="# Parser\n")
    gone = commit(repository, "Gone", README_md="# Parser 2\n")
    run_git(repository, "reset", "-q", "--hard", "HEAD~1")
    run_git(repository, "reflog", "expire", "--expire=now", "--all")
    run_git(repository, "gc", "-q", "--prune=now")
    found = open_repository(str(repository), ENVIRON)
    assert [one.message for one in found.commits(gone, 10)] == ["Begin"]
    assert list(found.documents(gone)) == ["README.md"]
    assert list(found.documents("--output=/tmp/x")) == ["README.md"]
    found.close()


def test_nothing_that_the_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    first = commit(repository, "Begin", README_md="# Parser\n", _gitattributes="*.md diff=own\n")
    commit(repository, "More", README_md="# Parser\n\nMore.\n")
    spoiled = tmp_path / "spoiled"
    run = f"touch {spoiled}; false"
    with (repository / ".git/config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = "{run}"\n\tpager = "{run}"\n\tsshCommand = "{run}"\n'
            f'[diff]\n\texternal = "{run}"\n[diff "own"]\n\ttextconv = "{run}"\n'
            f'[gpg]\n\tprogram = "{run}"\n[log]\n\tshowSignature = true\n'
            f'[alias]\n\tlog = "!{run}"\n'
        )
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc"):
        path = repository / ".git/hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {spoiled}\n")
        path.chmod(0o755)
    found = open_repository(str(repository), ENVIRON)
    assert len(found.commits("", 10)) == 2
    assert list(found.documents(first)) == ["README.md"]
    assert found.read("README.md").endswith(b"More.\n")
    found.close()
    assert not spoiled.exists()


def test_a_repository_is_read_without_being_touched(repository: Path) -> None:
    commit(repository, "Begin", README_md="# Parser\n")

    def look() -> dict[str, int]:
        return {str(path): path.stat().st_mtime_ns for path in repository.rglob("*")}

    before = look()
    found = open_repository(str(repository), ENVIRON)
    found.commits("", 10)
    found.close()
    assert look() == before


def test_a_worktree_and_a_shallow_clone_are_read(repository: Path, tmp_path: Path) -> None:
    commit(repository, "Begin", README_md="# Parser\n")
    head = commit(repository, "More", README_md="# Parser 2\n")
    run_git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    for folder, count in ((tmp_path / "tree", 2), (tmp_path / "shallow", 1)):
        found = open_repository(str(folder), ENVIRON)
        assert found.head == head
        assert len(found.commits("", 10)) == count
        found.close()


def test_hidden_files_and_other_files_are_no_documents(repository: Path) -> None:
    commit(repository, "Begin", README_md="R\n", _github__a_md="hidden\n", code_py="x\n")
    found = open_repository(str(repository), ENVIRON)
    assert list(found.documents("")) == ["README.md"]
    found.close()
    only = open_repository(str(repository), ENVIRON, ["*.py"])
    assert list(only.documents("")) == ["code.py"]
    only.close()


def test_what_is_no_repository_or_has_no_commit_is_told(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no repository of git"):
        open_repository(str(tmp_path), ENVIRON)
    repository.mkdir()
    run_git(repository, "init", "-q")
    with pytest.raises(StorageError, match="no commit yet"):
        open_repository(str(repository), ENVIRON)


def test_a_broken_repository_and_a_system_without_git_are_told(repository: Path) -> None:
    head = commit(repository, "Begin", README_md="# Parser\n")
    found = open_repository(str(repository), {"PATH": "/nonexistent"})
    with pytest.raises(StorageError, match="git is not installed"):
        found.commits("", 10)
    found.close()
    loose = repository / ".git/objects" / head[:2] / head[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"broken")
    found = open_repository(str(repository), ENVIRON)
    with pytest.raises(StorageError, match="git can't read it"):
        found.commits("", 10)
    found.close()


def test_no_folder_is_left_behind(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, "Begin", README_md="# Parser\n")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = open_repository(str(repository), ENVIRON)
    assert list(tmp_path.glob("engrain-git-*"))
    found.close()
    assert not list(tmp_path.glob("engrain-git-*"))


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
