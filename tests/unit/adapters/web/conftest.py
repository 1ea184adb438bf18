"""A memory with a few entries, and a browser that looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import FakeClock, make_memory
from unit.adapters.web.visiting import Browser


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(away: Path, clock: FakeClock) -> Iterator[Memory]:
    """An empty memory over the folder `vault`."""
    with make_memory(away, clock=clock) as memory:
        yield memory


@pytest.fixture
def vault(away: Path, memory: Memory) -> Path:
    """The vault's folder."""
    return away / "vault"


@pytest.fixture
def browser(memory: Memory) -> Browser:
    """A browser that was let in."""
    return Browser(memory)
