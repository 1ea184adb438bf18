"""Find the project of a folder and the program that synchronises it (S1.3, DESIGN 6).

The worktrees of a repository share one folder of git's, which is found from git's files without
running git; `projects` tells repositories of one name apart. Device-local state must never be
synchronised: an index shared by two machines is corrupt.

The vault may be a folder below `personal.root`, beside the operator's own notes. The notes may not
be below the vault, since they would then be the agent's (S1.7).
"""

from __future__ import annotations

import os

from engrain.model.errors import ConfigError, ForbiddenPathError, StateLocationError
from engrain.resolution.files import climb, find_upwards, read_text

LONGEST = 4096
"""The most characters that are read of one of git's files."""


def detect_project(folder: str) -> str | None:
    """Return the name of the repository that contains `folder`, None outside of repositories."""
    found = find_git(folder)
    if found is None:
        return None
    path, private, common = found
    if common == private:
        common = path  # a submodule has its own
    # A bare repository's own name is the project's. A hidden one (`.bare`, beside its worktrees) is
    # inside the project's folder, as `.git` is.
    inside = os.path.basename(common).startswith(".")
    name = os.path.basename(os.path.dirname(common) if inside else common)
    return name.removesuffix(".git") or None


def find_git(folder: str) -> tuple[str, str, str] | None:
    """Return (the path of `.git` in a folder or above, git's folder of that working tree, the
    folder that all working trees share), None outside of repositories."""
    path = find_upwards(folder, ".git")
    private = path and (path if os.path.isdir(path) else _follow(path, "gitdir:"))
    if not path or not private:
        return None
    return path, private, _follow(os.path.join(private, "commondir"), "") or private


def _follow(file: str, word: str) -> str | None:
    """Return the folder that one of git's files names after a word, None if there is none."""
    text = read_text(file, LONGEST)
    if text is None or not text.startswith(word):
        return None
    target = os.path.join(os.path.dirname(file), text.removeprefix(word).strip())
    return os.path.normpath(target) if os.path.isdir(target) else None


# A file in the root of a synchronised folder, and the kind of folder.
_MARKERS = (
    (".obsidian", "an Obsidian vault"),
    (".stfolder", "a Syncthing folder"),
    (".dropbox.cache", "a Dropbox folder"),
    (".sync_folder", "a Resilio folder"),
    (".owncloudsync.log", "an ownCloud folder"),
    (".nextcloudsync.log", "a Nextcloud folder"),
    (".tmp.driveupload", "a Google Drive folder"),
)
# The name of the root of a synchronised folder, and the kind of folder.
_NAMES = (
    ("Dropbox", "a Dropbox folder"),
    ("OneDrive", "a OneDrive folder"),
    ("GoogleDrive", "a Google Drive folder"),
    ("Google Drive", "a Google Drive folder"),
    ("Mobile Documents", "an iCloud folder"),
)


def find_sync(folder: str) -> tuple[str, str] | None:
    """Return (the synchronised folder that is or contains `folder`, its kind), None if there is
    none."""
    for here in climb(os.path.realpath(folder)):
        name = os.path.basename(here)
        for start, what in _NAMES:
            if name == start or name.startswith((start + " -", start + "-", start + " (")):
                return here, what
        for marker, what in _MARKERS:
            if os.path.lexists(os.path.join(here, marker)):
                return here, what
    return None


def check_state_dir(state_dir: str, vault: str | None) -> None:
    """Raise StateLocationError if device-local state would be in a synchronised folder."""
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


def check_vault(vault: str, root: str | None) -> None:
    """Raise ConfigError if `root`, the operator's notes, is the vault's folder or inside it."""
    if root and lies_in(_real(root), _real(vault)):
        raise ConfigError(
            "the vault holds personal.root, so the operator's own notes would be the agent's",
            path=vault,
            remedy="make the vault a folder below personal.root, or set another root",
        )


def check_source(source: str, root: str | None, vault: str) -> None:
    """Raise ForbiddenPathError if a folder to import contains the operator's own notes or is among
    them; the vault and hidden folders are not."""
    if not root:
        return
    source, root, vault = _real(source), _real(root), _real(vault)
    below = source.removeprefix(root + os.sep).split(os.sep) if source.startswith(root) else []
    among = lies_in(source, root) and not lies_in(source, vault)
    if lies_in(root, source) or (among and not any(part.startswith(".") for part in below)):
        raise ForbiddenPathError(
            "the operator's own notes (personal.root) are not imported",
            path=source,
            remedy="read one with `engrain personal read`; the operator may unset personal.root",
        )


def lies_in(folder: str, above: str) -> bool:
    """Whether a folder is another or inside it, even by other names."""
    for one in climb(folder):
        try:
            if os.path.samefile(one, above):
                return True
        except (OSError, ValueError):
            continue
    return False


def _real(folder: str) -> str:
    return os.path.realpath(os.path.expanduser(folder))
