"""What this device alone knows about a vault: its sessions. Never in the vault, never derived."""

from __future__ import annotations

from engrain.model.errors import StorageError


def failed(what: str, error: OSError, path: str) -> StorageError:
    """What can't be done to a file of this device, as an error to raise."""
    return StorageError(f"can't {what}: {error.strerror}", path=path)
