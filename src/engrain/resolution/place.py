"""Where things lie: the project that a folder belongs to, what synchronises a folder, and the
never-sync invariant (S1.3, DESIGN 6).

Worktrees of one repository are one project: git's common directory says so, which is read from
git's own files; git itself is not run. Device-local state and what is derived from the vault must
never lie where something copies it to another machine: an index shared by two machines is a
corrupt index."""

from __future__ import annotations

import os

from engrain.model.errors import StateLocationError
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


# What the root of a synchronised folder holds, and what made it.
_MARKERS = (
    (".obsidian", "an Obsidian vault"),
    (".stfolder", "a Syncthing folder"),
    (".dropbox.cache", "a Dropbox folder"),
    (".sync_folder", "a Resilio folder"),
    (".owncloudsync.log", "an ownCloud folder"),
    (".nextcloudsync.log", "a Nextcloud folder"),
    (".tmp.driveupload", "a Google Drive folder"),
)
# What the root of a synchronised folder is called.
_NAMES = (
    ("Dropbox", "a Dropbox folder"),
    ("OneDrive", "a OneDrive folder"),
    ("GoogleDrive", "a Google Drive folder"),
    ("Google Drive", "a Google Drive folder"),
    ("Mobile Documents", "an iCloud folder"),
)


def find_sync(folder: str) -> tuple[str, str] | None:
    """The synchronised folder that `folder` is or lies in, and what it is; None when it doesn't."""
    here = os.path.realpath(folder)
    while True:
        name = os.path.basename(here)
        for start, what in _NAMES:
            if name == start or name.startswith((start + " -", start + "-", start + " (")):
                return here, what
        for marker, what in _MARKERS:
            if os.path.lexists(os.path.join(here, marker)):
                return here, what
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def check_state_dir(state_dir: str, vault: str | None) -> None:
    """Raises StateLocationError when device-local state would lie where something synchronises."""
    state = os.path.realpath(state_dir)
    if vault is not None:
        root = os.path.realpath(vault)
        if state == root or state.startswith(root + os.sep):
            raise StateLocationError(
                "device-local state would lie inside the vault",
                path=state_dir,
                remedy="set ENGRAIN_STATE_DIR to a folder outside it",
            )
    if found := find_sync(state):
        raise StateLocationError(
            f"device-local state would lie in {found[1]}, {found[0]}",
            path=state_dir,
            remedy="set ENGRAIN_STATE_DIR to a folder that nothing synchronises",
        )
