"""What tests of forward learning start from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from support.site import Site, serve
from unit.learn.forward.world import harbour


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    with harbour(tmp_path, monkeypatch) as found:
        yield found


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as found:
        yield found
