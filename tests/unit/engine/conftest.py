"""What every test of the verbs stands on: an environment that decides nothing, and one memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import make_memory


@pytest.fixture(autouse=True)
def nothing_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting, home or repository of whoever runs the tests can be seen."""
    for name in ("VAULT", "STATE_DIR", "BACKEND", "AGENT", "PROJECT", "PROFILE", "BUDGET"):
        monkeypatch.delenv(f"ENGRAIN_{name}", raising=False)
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "no-config.toml"))
    monkeypatch.setenv("HOME", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory over the folder `vault`."""
    with make_memory(tmp_path) as memory:
        yield memory


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """The vault's folder."""
    return tmp_path / "vault"
