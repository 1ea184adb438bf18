"""What an everyday command loads and opens before it answers: counts, which no machine's load
changes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import engrain
from engrain.compiled import PATH
from support.strace import needs_strace
from unit.adapters.hooks.running import ENTRIES, LIMIT, Desk

PACKAGE = str(Path(engrain.__file__).parent)
COMMANDS = {
    "--version": ["--version"],
    "recall": ["recall", "how does the nightly billing job lock in postgres?", "--json"],
    "list": ["list", "--limit", "5"],
    "save": ["save", "Walruses limp on ice.", "--kind", "fix"],
}
MODULES = {"--version": 40, "recall": 155, "list": 124, "save": 140}
"""Modules that each loads at most beside those of a bare interpreter, ours and others'."""
FILES = {"--version": 50, "recall": 130, "list": 120, "save": 90}
"""Files that each opens at most, those of the interpreter included."""
NEVER = {
    "argparse", "asyncio", "base64", "dataclasses", "datetime", "gettext", "hashlib",
    "importlib.metadata", "inspect", "locale", "logging", "numpy", "pathlib", "platformdirs",
    "random", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "textwrap", "threading",
    "tomllib", "traceback", "typing", "urllib", "yaml",
}  # fmt: skip


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
    bare = loaded(run(["-c", "pass"], filled.environ, filled.here))
    words = ["-m", "engrain", *COMMANDS[command]]
    run(words, filled.environ, filled.here)  # which leaves what the next one finds
    modules = loaded(run(words, filled.environ, filled.here)) - bare
    assert "engrain.compiled" in modules
    assert modules & NEVER == set()
    assert len(modules) <= MODULES[command]


@needs_strace
@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_opens_a_handful_of_our_files(command: str, filled: Desk, tmp_path: Path) -> None:
    environ = {k: v for k, v in filled.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    words = ["-m", "engrain", *COMMANDS[command]]
    for _ in range(2):  # the first may write the file of compiled modules
        run(words, environ, filled.here)
    if not os.path.exists(PATH):
        pytest.skip("the package can't be written here")
    trace = tmp_path / "trace"
    run(words, environ, filled.here, "strace", "-f", "-qq", "-e", "trace=openat", "-o", str(trace))
    opened = re.findall(r'openat\([^"]*"([^"]+)".*\) = \d+', trace.read_text())
    ours = {path for path in opened if path.startswith(PACKAGE) and path.endswith(("pyc", "bin"))}
    assert PATH in ours
    assert len(ours) <= 6, ours
    assert len(opened) <= FILES[command]


def test_only_the_metrics_of_a_database_load_a_web_server(filled: Desk) -> None:
    words = ["-m", "engrain", "admin", "sql", "postgres://db.example/memory"]
    modules = loaded(run(words, filled.environ, filled.here))
    assert "engrain.backends.postgres.schema" in modules
    assert not modules & {"http.server", "engrain.adapters.mcp.serving"}
