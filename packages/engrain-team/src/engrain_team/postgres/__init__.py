"""The `postgres` backend: each namespace of a PostgreSQL database is a store."""

from __future__ import annotations

from engrain.seam.storage import BackendRequest, StorageBackend
from engrain_team.postgres.store import PostgresBackend


def open_backend(request: BackendRequest) -> StorageBackend:
    """Open the namespace at the address `request.location`. Raises UsageError for a bad address,
    VaultUnavailableError, StorageError."""
    return PostgresBackend(request)
