"""When another program's files were written: git's word for all files at once, else the disk's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from engrain.resolution import learn_sources_git
from engrain.resolution.learn_sources_git import FileDates
from engrain.seam.sources import Repository

WRITTEN = 1_500_000_000.0


def run_git(folder: Path, *words: str, at: int = 0) -> None:
    said = {"GIT_AUTHOR_DATE": f"@{at} +0000", "GIT_COMMITTER_DATE": f"@{at + 500} +0000"}
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True,
        env={**os.environ, **said},
    )  # fmt: skip


def put(folder: Path, name: str, text: str = "Text.\n") -> Path:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    os.utime(place, (WRITTEN, WRITTEN))
    return place


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A working tree: three files in two commits, one that git does not know."""
    tree = tmp_path / "tree"
    put(tree, "old.md")
    put(tree, "notes/ö b.md")
    put(tree, "notes/changed.md")
    run_git(tree, "init", "-q")
    run_git(tree, "add", ".")
    run_git(tree, "commit", "-qm", "first", at=1_600_000_000)
    put(tree, "notes/changed.md", "Other text.\n")
    run_git(tree, "commit", "-qam", "second", at=1_700_000_000)
    put(tree, "notes/new.md")
    return tree


def test_outside_of_git_a_file_has_the_date_of_its_last_change(tmp_path: Path) -> None:
    place = put(tmp_path, "a.md")
    dates = FileDates(str(tmp_path), os.environ)
    assert dates(str(place)) == WRITTEN
    assert dates(str(tmp_path / "gone.md")) is None


def test_in_git_it_has_the_authors_date_of_the_last_commit_that_touched_it(tree: Path) -> None:
    for folder in (tree, tree / "notes"):
        dates = FileDates(str(folder), os.environ)
        assert dates(str(tree / "notes/ö b.md")) == 1_600_000_000
        assert dates(str(tree / "notes/changed.md")) == 1_700_000_000
        assert dates(str(tree / "notes/new.md")) == WRITTEN
    assert FileDates(str(tree), os.environ)(str(tree / "old.md")) == 1_600_000_000


def test_git_is_asked_once_for_all_files(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    opened = learn_sources_git.open_repository

    def ask(root: str, environ: Mapping[str, str]) -> Repository:
        asked.append(root)
        return opened(root, environ)

    monkeypatch.setattr(learn_sources_git, "open_repository", ask)
    dates = FileDates(str(tree), os.environ)
    for name in ("old.md", "notes/changed.md", "notes/new.md"):
        assert dates(str(tree / name)) is not None
    assert len(asked) == 1


def test_without_git_or_a_commit_it_is_the_files(tmp_path: Path, tree: Path) -> None:
    (tmp_path / "bin").mkdir()
    dates = FileDates(str(tree), {"PATH": str(tmp_path / "bin")})
    assert dates(str(tree / "old.md")) == WRITTEN
    empty = tmp_path / "empty"
    place = put(empty, "a.md")
    run_git(empty, "init", "-q")
    assert FileDates(str(empty), os.environ)(str(place)) == WRITTEN
