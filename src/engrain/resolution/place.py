"""Where things lie: what synchronises a folder, and the never-sync invariant (S1.3).

Device-local state and what is derived from the vault must never lie where something copies it to
another machine: an index shared by two machines is a corrupt index.
"""

from __future__ import annotations

import os

from engrain.model.errors import StateLocationError

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
