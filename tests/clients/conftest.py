"""A served vault, and clients that others wrote, from the registries."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.inspector import INSPECTOR, Inspector
from unit.adapters.mcp.served import Server, run_path, serving
from unit.adapters.shell import Shell

_CACHE = Path(__file__).parents[2] / ".pytest_cache" / "engrain"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell with an empty vault, for the tests of a module."""
    made = Shell(tmp_path_factory.mktemp("clients"))
    assert made.run("init").code == 0
    yield made
    shutil.rmtree(run_path(made.state))


@pytest.fixture(scope="module")
def server(shell: Shell) -> Iterator[Server]:
    """Its server."""
    with serving(shell) as server:
        yield server


@pytest.fixture(scope="session")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Inspector:
    """The official MCP Inspector's command line, installed once into the cache of the tests."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("the MCP Inspector needs npm, which is not here")
    folder = _CACHE / INSPECTOR.rpartition("/")[2]
    folder.mkdir(parents=True, exist_ok=True)
    with open(_CACHE / "lock", "w") as lock:  # Tests run in several processes.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            command = [
                npm, "install", "--no-audit", "--no-fund", "--no-update-notifier",
                "--cache", str(_CACHE / "npm"), "--prefix", str(folder), INSPECTOR,
            ]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            (folder / "done").touch()
    home = tmp_path_factory.mktemp("inspector")
    return Inspector(folder / "node_modules" / ".bin" / "mcp-inspector", home)
