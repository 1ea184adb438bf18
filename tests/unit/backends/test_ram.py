"""The store in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.backends import Opener, open_ram
from contracts.storage_backend import LOCK, StorageBackendContract, content, put
from engrain.seam.storage import StorageBackend


class TestRam(StorageBackendContract):
    persistent = False

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_ram(tmp_path)

    def test_two_locations_share_nothing(self, store: StorageBackend, tmp_path: Path) -> None:
        other = open_ram(tmp_path / "other")("laptop")
        put(store, LOCK, b"lock")
        assert content(other, LOCK) is None
        assert other.vault != store.vault
