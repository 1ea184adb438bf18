"""A namespace of a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.backends import Opener, open_postgres
from contracts.storage_backend import StorageBackendContract


class TestPostgres(StorageBackendContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_postgres(tmp_path)
