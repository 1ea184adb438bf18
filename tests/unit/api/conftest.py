"""What every test of the API stands on: an empty memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import make_memory
from unit.lifecycle.sessions.living import isolate


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """An empty memory over the folder `vault`."""
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path, project="harbour") as memory:
        yield memory
