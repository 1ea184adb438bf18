"""What is lost or kept by a kill is tried where it matters: on a disk."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    """A test's own folder, on a disk."""
    return on_disk
