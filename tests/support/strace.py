"""Whether faults can be injected here, and the mark that skips what needs it."""

from __future__ import annotations

import os
import shutil
import subprocess

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
