"""A command line in this process, and one in a process of its own, each with a vault of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine, Shell


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, a working folder outside of any repository, and no setting from outside."""
    for name in list(os.environ):
        if name.startswith(("ENGRAIN_", "XDG_")) or name in ("NO_COLOR", "EDITOR", "VISUAL"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
    for name in ("home", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


@pytest.fixture
def bare(
    away: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    """A command line for which nothing is configured."""
    return CommandLine(away, monkeypatch, capsys)


@pytest.fixture
def cli(bare: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line with an empty vault."""
    monkeypatch.setenv("ENGRAIN_VAULT", str(bare.vault))
    monkeypatch.setenv("ENGRAIN_STATE_DIR", str(bare.state))
    assert bare("init").code == 0
    return bare


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell with an empty vault."""
    made = Shell(tmp_path)
    assert made.run("init").code == 0
    return made


@pytest.fixture
def bare_shell(tmp_path: Path) -> Shell:
    """A shell for which nothing is configured."""
    return Shell(tmp_path, configured=False)
