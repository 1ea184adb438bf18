"""A vault served by a process, and one to ask in this process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import make_memory
from unit.adapters.mcp.served import Server, run_path, serving
from unit.adapters.shell import Shell


@pytest.fixture(autouse=True)
def swept(tmp_path: Path) -> Iterator[None]:
    """Nothing of a test's servers stays in /tmp, where they go if its own folder lies deep."""
    yield
    shutil.rmtree(run_path(tmp_path / "state"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a module, which leave it as it is."""
    shell = Shell(tmp_path_factory.mktemp("served"))
    assert shell.run("init").code == 0
    with serving(shell) as server:
        yield server
    shutil.rmtree(run_path(shell.state))


@pytest.fixture
def memory(away: Path) -> Iterator[Memory]:
    """An empty memory, of a project."""
    with make_memory(away, project="billing") as memory:
        yield memory
