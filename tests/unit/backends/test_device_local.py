"""The store in a folder of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.backends import Opener, open_device_local
from contracts.storage_backend import StorageBackendContract


class TestDeviceLocal(StorageBackendContract):
    persistent = True

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return open_device_local(tmp_path)
