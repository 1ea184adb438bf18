"""What an everyday command loads and opens before it answers: counts, which no machine's load
changes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import engrain
from unit.adapters.hooks.running import ENTRIES, LIMIT, Desk

PACKAGE = str(Path(engrain.__file__).parent)
COMMANDS = {
    "--version": ["--version"],
    "recall": ["recall", "how does the nightly billing job lock in postgres?", "--json"],
    "list": ["list", "--limit", "5"],
    "save": ["save", "Walruses limp on ice.", "--kind", "fix"],
}
MODULES = {"--version": 86, "recall": 124, "list": 117, "save": 105}
"""Modules of ours that each loads at most."""
HEAVY = {
    "asyncio", "fastmcp", "numpy", "onnxruntime", "pydantic", "sqlite3", "starlette",
    "urllib.request", "uvicorn", "yaml",
}  # fmt: skip
"""Modules that take longer to load than a command may take."""


@pytest.fixture
def filled(away: Path) -> Desk:
    """A home whose vault has a handful of entries."""
    made = Desk(away)
    with made.memory() as memory:
        for title, (kind, text) in ENTRIES.items():
            memory.save(text, title=title, kind=kind)
    return made


def run(words: list[str], environ: Mapping[str, str], folder: Path, *before: str) -> str:
    """What a command says on standard error, which is nothing of its own."""
    done = subprocess.run(
        [*before, sys.executable, "-X", "importtime", *words],
        capture_output=True, check=True, cwd=folder, env=environ, timeout=LIMIT, text=True,
    )  # fmt: skip
    return done.stderr


def loaded(stderr: str) -> set[str]:
    return set(re.findall(r"^import time:.*\| +([\w.]+)$", stderr, re.MULTILINE))


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_loads_few_modules(command: str, filled: Desk) -> None:
    words = ["-m", "engrain", *COMMANDS[command]]
    run(words, filled.environ, filled.here)  # which leaves what the next one finds
    modules = loaded(run(words, filled.environ, filled.here))
    own = sorted(name for name in modules if name.startswith("engrain."))
    assert len(own) <= MODULES[command], own
    assert modules & HEAVY == set()
