"""Processes killed on entering a system call: whether that can be done here, the mark that skips
what needs it, and the way to do it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def strace_works() -> bool:
    strace = shutil.which("strace")
    if strace is None:
        return False
    tried = subprocess.run(
        [strace, "-qq", "-o", os.devnull, "-e", "inject=fsync:signal=KILL:when=1", "true"],
        capture_output=True,
        check=False,
    )
    return tried.returncode == 0


needs_strace = pytest.mark.skipif(
    not strace_works(), reason="strace with fault injection is not available here"
)


def run_killed(call: str, n: int, script: Path, *words: object, follow: bool = False) -> int:
    """Run a script, killed before the n-th such call, of its threads too where these are to be
    followed; its exit code."""
    done = subprocess.run(
        [
            "strace", *(["-f"] if follow else []), "-qq", "-o", os.devnull, "-e", f"trace={call}",
            "-e", f"inject={call}:signal=KILL:when={n}", sys.executable, str(script),
            *map(str, words),
        ],
        capture_output=True,
        check=False,
        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
    )  # fmt: skip
    assert done.returncode != 1, done.stderr.decode()
    return done.returncode
