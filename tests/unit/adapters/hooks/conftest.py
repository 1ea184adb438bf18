"""A desk with a vault: empty, or with entries to be recalled; and where its server is met."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.resolution.endpoint import hooks_path, run_folder
from unit.adapters.hooks.running import ENTRIES, Desk


@pytest.fixture
def desk(away: Path) -> Desk:
    """A desk with an empty vault."""
    made = Desk(away)
    with made.memory() as memory:
        memory.scan()
    return made


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """A desk whose vault has a handful of entries."""
    with desk.memory() as memory:
        for title, (kind, text) in ENTRIES.items():
            memory.save(text, title=title, kind=kind)
    return desk


@pytest.fixture
def endpoint(filled: Desk) -> Iterator[str]:
    """The path of the socket of the filled desk's server, in a folder that may lie in /tmp."""
    folder = run_folder(str(filled.state))
    yield hooks_path(str(filled.state))
    shutil.rmtree(folder)
