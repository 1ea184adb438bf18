"""The `postgres` backend: each namespace of a PostgreSQL database is a store."""

from __future__ import annotations

from engrain.backends.postgres.store import PostgresBackend
from engrain.seam.storage import BackendRequest, StorageBackend


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the namespace at the address `request.location`. Raises UsageError for a bad address,
    VaultUnavailableError, StorageError."""
    return PostgresBackend(request)
