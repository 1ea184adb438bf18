"""Name the project of a folder that a transcript recorded, which may be on no disk any more."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from engrain.resolution.files import climb, detect_project, find_git

_TREES = frozenset(("worktree", "worktrees", ".worktree", ".worktrees", ".trees"))
"""Folders that hold worktrees: those of one repository inside it, or those of many."""
_ID = re.compile(r"[0-9a-f]{4,40}", re.IGNORECASE)
"""A folder's name that a host drew by lot, before that of the repository: `7f3a/ferry`."""


def find_recorded(
    folder: str, find_project: Callable[[str], str | None] = detect_project
) -> str | None:
    """Return the project of a session's recorded folder: its repository's if that is on this
    device, as `find_project` names it, else the project in its path. A folder that exists outside
    of repositories has none."""
    if os.path.isdir(folder):
        return find_project(folder)
    named = name_recorded(folder)
    above = next(filter(os.path.isdir, climb(folder)), "") if os.path.isabs(folder) else ""
    found = find_git(above) if above else None
    # A home folder that is kept in git is not the project of what was in it.
    if found and not _holds_home(os.path.dirname(found[0])):
        return find_project(above)
    beside = os.path.join(os.path.dirname(folder), named or "")
    return (find_project(beside) if named and os.path.isdir(beside) else None) or named


def name_recorded(folder: str) -> str | None:
    """Return the project that the path of a missing folder names: its last folder, or of a worktree
    the repository, by the places where hosts put worktrees; None for a home folder."""
    parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or _is_home(parts) or (len(parts) == 1 and parts[0].endswith(":")):
        return None
    for at in range(len(parts) - 2, -1, -1):
        if parts[at] in _TREES:
            return _name_owner(parts[:at], parts[at + 1 :])
    return parts[-1]


def _name_owner(above: Sequence[str], below: Sequence[str]) -> str:
    """Return the repository of a worktree at `below` in a folder of worktrees that lies in `above`:
    the repository around that folder, or its name in the path if the folder is for many."""
    hidden = bool(above) and above[-1].startswith(".")
    owner = above[:-1] if hidden else above
    if len(owner) > 1 and not _is_home(owner):
        return owner[-1]
    return below[1] if len(below) > 1 and _ID.fullmatch(below[0]) else below[0]


def _is_home(parts: Sequence[str]) -> bool:
    """Whether these folders are those of somebody's home, on any system, or above it."""
    if parts and parts[0].endswith(":"):
        parts = parts[1:]
    if list(parts) in (["root"], ["home"], ["Users"]):
        return True
    return len(parts) == 2 and parts[0] in ("home", "Users")


def _holds_home(folder: str) -> bool:
    home = os.path.realpath(os.path.expanduser("~"))
    folder = os.path.realpath(folder)
    return home == folder or home.startswith(folder.rstrip(os.sep) + os.sep)
