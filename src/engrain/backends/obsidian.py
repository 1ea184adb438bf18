"""The `obsidian-vault` backend: a folder that Obsidian shows and something synchronises.

The vault is the agent's folder inside the operator's space; what lies above it is out of reach.
Obsidian's own folder and every other dot folder are left alone. Synchronisers leave conflict
copies behind, each under a name of its own making: the index knows them by the id they share.
"""

from __future__ import annotations

from engrain.backends.folder import FolderBackend
from engrain.seam.storage import BackendRequest, Capabilities, StorageBackend


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the vault folder `request.location`. Raises VaultUnavailableError, StorageError."""
    return FolderBackend(
        request, Capabilities(durable=True, synced=True, edited_outside=True, shared=True)
    )
