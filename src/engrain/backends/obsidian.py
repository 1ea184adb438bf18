"""The `obsidian-vault` backend: a folder that Obsidian shows and a synchroniser copies.

The vault is the agent's folder inside the operator's space; nothing above it is read or written.
Obsidian's own folder and every other dot folder are left alone. Each synchroniser names its
conflict copies differently; the index recognises them by the id they share.
"""

from __future__ import annotations

from engrain.backends.folder import FolderBackend
from engrain.seam.storage import BackendRequest, Capabilities, StorageBackend


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the vault folder `request.location`. Raises VaultUnavailableError, StorageError."""
    return FolderBackend(request, Capabilities(durable=True, edited_outside=True, shared=True))
