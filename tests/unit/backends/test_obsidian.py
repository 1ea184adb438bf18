"""The store in a synchronised folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.backends import Opener, open_obsidian_vault
from contracts.storage_backend import StorageBackendContract


class TestObsidian(StorageBackendContract):
    persistent = True

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_obsidian_vault(tmp_path)
