"""The store in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.backends import Opener, open_ram
from contracts.storage_backend import StorageBackendContract


class TestRam(StorageBackendContract):
    persistent = False

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_ram(tmp_path)
