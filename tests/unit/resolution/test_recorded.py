"""The project of a folder that a transcript recorded."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engrain.resolution.sources import find_recorded, name_recorded

PATHS = {
    "/home/ada/src/ferry": "ferry",
    "/home/ada/src/ferry/": "ferry",
    r"C:\Users\ada\code\ferry": "ferry",
    "/home/ada/src/ferry/.claude/worktrees/7f3a": "ferry",
    "/home/ada/src/ferry/.claude/worktrees/login/packages/web": "ferry",
    r"C:\code\ferry\.claude\worktrees\login": "ferry",
    "/home/ada/src/ferry/.worktrees/login": "ferry",
    "/home/ada/src/ferry/.git/worktrees/login": "ferry",
    "/home/ada/src/ferry/worktrees/login": "ferry",
    "/home/ada/src/ferry/.gemini/worktrees/login": "ferry",
    "/home/ada/src/ferry/.trees/login": "ferry",
    "/srv/worktrees/7f3a/ferry": "ferry",
    "/srv/worktrees/ferry": "ferry",
    "/home/ada/.codex/worktrees/7f3a/ferry": "ferry",
    "/home/ada/.codex/worktrees/7f3a/ferry/web": "ferry",
    "/home/ada/.cursor/worktrees/ferry/8xQ2k": "ferry",
    "/Users/ada/.windsurf/worktrees/ferry/x1": "ferry",
    "/home/ada/worktrees/ferry/login": "ferry",
    "/home/ada/src/newt": "newt",
    "/home/ada/src/wt": "wt",
    "/home/ada/src/worktrees": "worktrees",
    "/home/ada": None,
    "/Users/ada": None,
    r"C:\Users\ada": None,
    "/root": None,
    "/": None,
    "C:\\": None,
    "": None,
}


@pytest.mark.parametrize("path", PATHS)
def test_the_path_of_a_missing_folder_names_its_repository(path: str) -> None:
    assert name_recorded(path) == PATHS[path]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_missing_folder_in_a_repository_that_is_there_is_of_that_repository(
    tmp_path: Path,
) -> None:
    ferry = tmp_path / "ferry"
    subprocess.run(["git", "init", "-q", ferry], check=True)
    assert find_recorded(str(ferry / ".claude" / "worktrees" / "gone" / "web")) == "ferry"
    assert find_recorded(str(ferry / "packages" / "gone")) == "ferry"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_home_folder_in_git_is_not_the_project_of_what_was_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert find_recorded(str(tmp_path / "src" / "ferry")) == "ferry"


def test_a_folder_that_is_there_outside_of_repositories_has_no_project(tmp_path: Path) -> None:
    assert find_recorded(str(tmp_path)) is None
