"""What every test of working memory stands on: an environment that decides nothing, and a memory
seen from a project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import FakeClock, make_memory
from unit.lifecycle.conftest import clock, vault
from unit.lifecycle.sessions.living import isolate

__all__ = ["clock", "memory", "vault"]


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> Iterator[Memory]:
    """An empty memory over the folder `vault`, seen from the project harbour."""
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path, clock=clock, project="harbour") as memory:
        yield memory
