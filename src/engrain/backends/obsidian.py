"""The `obsidian-vault` backend: a folder that Obsidian shows and something synchronises.

The vault is the agent's folder inside the operator's space; what lies above it is out of reach.
Obsidian's own folder and every other dot folder are left alone. Synchronisers leave conflict
copies behind: a copy is known by the id it shares with another file, its name is only a hint.
"""

from __future__ import annotations

import re

from engrain.backends.folder import FolderBackend
from engrain.seam.locator import Locator
from engrain.seam.storage import BackendRequest, Capabilities, StorageBackend

# Syncthing, Dropbox, Nextcloud and ownCloud, Google Drive, OneDrive, iCloud, in this order.
_COPY_NAMES = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}-\w+$"
    r"|\(.*conflicted copy.*\)$"
    r"|\(conflict.*\)$|_conflict-\d{8}-\d{6}$"
    r"|[ ]\(\d{1,3}\)$"
    r"|(?-i:-[A-Z][A-Z0-9-]{2,14}$)"
    r"|[ ]\d{1,2}$",
    re.IGNORECASE,
)


class ObsidianBackend(FolderBackend):
    """A synchronised vault folder."""

    def is_copy_name(self, locator: Locator) -> bool:
        return _COPY_NAMES.search(locator.name.removesuffix(".md")) is not None


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the vault folder `request.location`. Raises VaultUnavailableError, StorageError."""
    return ObsidianBackend(
        request, Capabilities(durable=True, synced=True, edited_outside=True, shared=True)
    )
