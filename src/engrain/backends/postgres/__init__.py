"""The `postgres` backend: namespaces of a PostgreSQL database, each a store of its own."""

from __future__ import annotations

from engrain.backends.postgres.store import PostgresBackend
from engrain.seam.storage import BackendRequest, StorageBackend


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the namespace at the address `request.location`. Raises UsageError for what is no such
    address, VaultUnavailableError, StorageError."""
    return PostgresBackend(request)
