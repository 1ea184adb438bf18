"""Where a repository stands: its branch and commit, read from git's own files; git itself is not
run (gitrepository-layout(5), git-worktree(1))."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engrain.resolution.files import read_text
from engrain.resolution.project import LONGEST, find_git

_HEX = frozenset("0123456789abcdef")
_MOST_PACKED = 16 * 1024 * 1024
_DEEPEST = 5


@dataclass(slots=True, eq=False)
class GitState:
    """The branch, "" where none is checked out, and the commit, "" where there is none yet or it
    is kept in a form that is not read here (reftable)."""

    branch: str
    commit: str

    def __str__(self) -> str:
        on = f"branch {self.branch}" if self.branch else "no branch"
        return f"commit {self.commit}, {on}" if self.commit else f"no commit known, {on}"


def find_git_folders(folder: str) -> tuple[str, str] | None:
    """Where git keeps what is of one working tree alone, and what all of a repository's share; None
    outside of any repository."""
    found = find_git(folder)
    return found and found[1:]


def read_git_state(folder: str) -> GitState | None:
    """The state of the repository that `folder` lies in, None outside of any."""
    found = find_git(folder)
    if found is None:
        return None
    _, private, common = found
    head = read_text(os.path.join(private, "HEAD"), LONGEST)
    if head is None:
        return None
    head = head.strip()
    if not head.startswith("ref:"):
        return GitState("", head if _is_commit(head) else "")
    name = head[4:].strip()
    branch = name.removeprefix("refs/heads/")
    if branch == ".invalid":  # what HEAD says where references are in a reftable
        return GitState("", "")
    return GitState(branch, _resolve(common, private, name))


def _resolve(common: str, private: str, name: str) -> str:
    """The commit that a reference names: in a file of its own, else in the packed ones."""
    for _ in range(_DEEPEST):
        if not name.startswith("refs/") or ".." in name:
            return ""
        own = (os.path.join(folder, *name.split("/")) for folder in (private, common))
        text = next((text.strip() for path in own if (text := read_text(path, LONGEST))), "")
        if not text.startswith("ref:"):
            return text if _is_commit(text) else _look_up(common, name)
        name = text[4:].strip()
    return ""


def _look_up(common: str, name: str) -> str:
    try:
        path = os.path.join(common, "packed-refs")
        if os.path.getsize(path) > _MOST_PACKED:
            return ""
        with open(path, encoding="utf-8", errors="replace") as lines:  # noqa: PTH123
            for line in lines:
                commit, _, named = line.strip().partition(" ")
                if named == name and _is_commit(commit):
                    return commit
    except OSError:
        pass
    return ""


def _is_commit(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)
