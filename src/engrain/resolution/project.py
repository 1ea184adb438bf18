"""Which project a folder belongs to: git's common directory, so that worktrees are one (DESIGN 6).

Read from git's own files; git itself is not run.
"""

from __future__ import annotations

import os

from engrain.resolution.files import find_upwards, read_text

LONGEST = 4096
"""Characters of a file of git's that are read."""


def detect_project(folder: str) -> str | None:
    """The name of the repository that `folder` lies in, None outside of any."""
    found = find_git(folder)
    if found is None:
        return None
    path, private, common = found
    if common == private:
        common = path  # a submodule has its own
    # A bare repository has no folder around it: its own name is the project's. A hidden one
    # (`.bare`, beside its worktrees) is inside a folder, as `.git` is.
    inside = os.path.basename(common).startswith(".")
    name = os.path.basename(os.path.dirname(common) if inside else common)
    return name.removesuffix(".git") or None


def find_git(folder: str) -> tuple[str, str, str] | None:
    """What is called `.git` in a folder or above, where git keeps what is of that working tree
    alone, and what all of a repository's share; None outside of any repository."""
    path = find_upwards(folder, ".git")
    private = path and (path if os.path.isdir(path) else _follow(path, "gitdir:"))
    if not path or not private:
        return None
    return path, private, _follow(os.path.join(private, "commondir"), "") or private


def _follow(file: str, word: str) -> str | None:
    """The folder that a file of git's names behind a word."""
    text = read_text(file, LONGEST)
    if text is None or not text.startswith(word):
        return None
    target = os.path.join(os.path.dirname(file), text.removeprefix(word).strip())
    return os.path.normpath(target) if os.path.isdir(target) else None
