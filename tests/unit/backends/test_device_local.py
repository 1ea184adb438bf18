"""The store in a folder of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.backends import Opener, open_device_local
from contracts.storage_backend import StorageBackendContract
from engrain.backends.lock import hold_lock


class TestDeviceLocal(StorageBackendContract):
    persistent = True

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_device_local(tmp_path)

    def test_it_is_busy_while_a_writer_holds_the_lock(self, tmp_path: Path) -> None:
        opener = open_device_local(tmp_path)
        store = opener("one", create=True)
        with hold_lock(store.describe(), str(tmp_path / "another's notes")):
            assert store.is_busy()
        assert not store.is_busy()
