"""The `device-local` backend: a vault folder on this machine that nothing synchronises."""

from __future__ import annotations

from engrain.backends.folder import FolderBackend
from engrain.seam.storage import BackendRequest, Capabilities, StorageBackend


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the vault folder `request.location`. Raises VaultUnavailableError, StorageError."""
    return FolderBackend(request, Capabilities(durable=True, edited_outside=True, shared=True))
