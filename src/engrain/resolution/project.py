"""Which project a folder belongs to: git's common directory, so that worktrees are one (DESIGN 6).

Read from git's own files; git itself is not run.
"""

from __future__ import annotations

import os

from engrain.resolution.settings import find_upwards


def detect_project(folder: str) -> str | None:
    """The name of the repository that `folder` lies in, None outside of any."""
    found = find_upwards(folder, ".git")
    if found is None:
        return None
    common = found if os.path.isdir(found) else _common_dir(found)
    if common is None:
        return None
    # A bare repository has no folder around it: its own name is the project's. A hidden one
    # (`.bare`, beside its worktrees) is inside a folder, as `.git` is.
    inside = os.path.basename(common).startswith(".")
    name = os.path.basename(os.path.dirname(common) if inside else common)
    return name.removesuffix(".git") or None


def _common_dir(file: str) -> str | None:
    """What a `.git` file points to: a worktree names the common directory, a submodule its own."""
    try:
        with open(file, encoding="utf-8") as opened:  # noqa: PTH123
            word, _, target = opened.read(4096).strip().partition(":")
        if word != "gitdir" or not target:
            return None
        target = os.path.normpath(os.path.join(os.path.dirname(file), target.strip()))
        if not os.path.isdir(target):
            return None
        shared = os.path.join(target, "commondir")
        if not os.path.exists(shared):
            return os.path.dirname(file) + os.sep + ".git"
        with open(shared, encoding="utf-8") as opened:  # noqa: PTH123
            return os.path.normpath(os.path.join(target, opened.read(4096).strip()))
    except (OSError, UnicodeDecodeError):
        return None
