"""Name the project of a folder that a transcript recorded, which may be on no disk any more."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from engrain.resolution.files import climb, detect_project, find_git

_TREES = frozenset(("worktree", "worktrees", ".worktree", ".worktrees", ".trees", ".conductor"))
"""Folders that hold worktrees: those of one repository inside it, or those of many."""
_BESIDE = re.compile(r"(.+)[.-]worktrees", re.IGNORECASE)
"""A folder beside a repository that holds its worktrees, or one of a host for all repositories:
`ferry.worktrees`, `.claude-worktrees`."""
_ID = re.compile(r"[0-9a-f]{4,40}", re.IGNORECASE)
"""A folder's name that a host drew by lot, before that of the repository: `7f3a/ferry`."""
_SUFFIX = re.compile(r"[._-](?:wt|worktrees?)(?:[._-]?\d+|[._-].+)?", re.IGNORECASE)
"""What people append to a repository's name for a worktree beside it: `ferry-wt`, `ferry-wt-2`."""
_GATHERING = frozenset(
    ("code", "dev", "git", "projects", "repos", "src", "work", "workspace", "workspaces")
)
"""Folders that hold repositories and are none."""


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
    the repository, by the places where hosts and people put worktrees; None for a home folder."""
    parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or _is_home(parts) or (len(parts) == 1 and parts[0].endswith(":")):
        return None
    for at in range(len(parts) - 2, -1, -1):
        if named := _name_worktree(parts[:at], parts[at], parts[at + 1 :]):
            return _strip(named)
    return _strip(parts[-1])


def _name_worktree(above: Sequence[str], holder: str, below: Sequence[str]) -> str:
    """Return the repository of a worktree at `below` in the folder `holder`, "" if the holder is
    no folder of worktrees."""
    if holder == "workspaces" and above[-1:] == ["conductor"]:
        return below[0]
    if beside := _BESIDE.fullmatch(holder):
        return below[0] if holder.startswith(".") else beside[1]
    return _name_owned(above, below) if holder in _TREES else ""


def _name_owned(above: Sequence[str], below: Sequence[str]) -> str:
    """Return the repository of a worktree at `below` in a folder of worktrees that lies in `above`:
    the repository around that folder, or its name in the path if the folder is for many."""
    hidden = bool(above) and above[-1].startswith(".")
    owner = above[:-1] if hidden else above
    of_many = len(owner) < 2 or _is_home(owner) or owner[-1].lower() in _GATHERING
    if len(below) > 1 and _ID.fullmatch(below[0]) and (of_many or not hidden):
        return below[1]
    return below[0] if of_many else owner[-1]


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


def _strip(name: str) -> str:
    found = _SUFFIX.search(name, 1)
    return name[: found.start()] if found and found.end() == len(name) else name
