"""Read the branch and the commit that are checked out, from the files of git and without git."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engrain.resolution.files import LONGEST, find_git, read_text

_HEX = frozenset("0123456789abcdef")
_MOST_PACKED = 16 * 1024 * 1024
_DEEPEST = 5


@dataclass(slots=True, eq=False)
class GitState:
    """The branch, "" if none is checked out, and the commit, "" if there is none yet or it is
    stored in a form that is not read here (reftable)."""

    branch: str
    commit: str

    def __str__(self) -> str:
        on = f"branch {self.branch}" if self.branch else "no branch"
        return f"commit {self.commit}, {on}" if self.commit else f"no commit known, {on}"


def read_git_state(folder: str) -> GitState | None:
    """Return the state of the repository that contains `folder`, None outside of repositories."""
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
    """Return the commit that a reference names, in its own file or among the packed ones."""
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
