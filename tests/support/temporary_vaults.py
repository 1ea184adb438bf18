"""Temporary vaults, in an environment that decides nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import make_memory


@pytest.fixture(autouse=True)
def nothing_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting, home or repository of whoever runs the tests can be seen."""
    for name in list(os.environ):
        if name.startswith("ENGRAIN_") and name != "ENGRAIN_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "no-config.toml"))
    monkeypatch.setenv("HOME", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)


@pytest.fixture
def open_temporary(tmp_path: Path) -> Callable[..., AbstractContextManager[Memory]]:
    """Opens another vault at each call: an empty one, or a copy of a folder."""
    opened: list[Path] = []

    @contextmanager
    def opener(notes: str = "") -> Iterator[Memory]:
        folder = tmp_path / f"temporary-{len(opened)}"
        opened.append(folder)
        folder.mkdir()
        if notes:
            shutil.copytree(notes, folder / "vault")
        with make_memory(folder) as memory:
            yield memory

    return opener
