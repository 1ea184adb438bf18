"""One memory over an empty vault, in an environment that decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import FakeClock, make_memory
from unit.lifecycle.sessions.living import isolate


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> Iterator[Memory]:
    """An empty memory over the folder `vault`."""
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path, clock=clock) as memory:
        yield memory


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """The vault's folder."""
    return tmp_path / "vault"
