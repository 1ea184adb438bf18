"""A store that tests of writing share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain.backends.device_local import open_backend
from engrain.backends.folder import FolderBackend
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import BackendRequest


@pytest.fixture
def store(tmp_path: Path) -> FolderBackend:
    """A store with one note."""
    request = BackendRequest(
        str(tmp_path / "vault"), state=str(tmp_path), device="device", entropy=os.urandom,
        create=True,
    )  # fmt: skip
    made = open_backend(request)
    assert isinstance(made, FolderBackend)
    made.commit(ChangeSet("save", [Write(Locator("notes/first.md"), b"first", "first")], at=1.0))
    return made
