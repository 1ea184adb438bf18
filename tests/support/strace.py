"""Processes whose system calls are made to fail or to end them: whether that can be done here, the
mark that skips what needs it, and the way to do it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.forked import list_variables, run_forked


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


@dataclass
class Injected:
    """How a process ended, what it said, and whether it met the fault."""

    code: int
    err: str
    met: bool


def run_injected(
    fault: str, call: str, n: int, program: str, *words: object, follow: bool = False
) -> Injected:
    """Run a program of Python that meets a fault of strace at the n-th such call, of its threads
    too where these are to be followed."""

    def attach(process: int) -> None:
        command = [
            "strace", *(["-f"] if follow else []), "-o", log.name, "-e", f"trace={call}",
            "-e", f"inject={call}:{fault}:when={n}", "-p", str(process),
        ]  # fmt: skip
        tracers.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        told = tracers[0].stderr
        assert told and "attached" in (said := told.readline()), said

    tracers: list[subprocess.Popen[str]] = []
    with tempfile.NamedTemporaryFile() as log:
        argv = ["-c", program, *map(str, words)]
        done = run_forked(argv, cwd=Path.cwd(), env=list_variables(), timeout=120, before=attach)
        tracers[0].communicate()
        met = b"(INJECTED)" in log.read()
    return Injected(done.returncode, done.stderr.decode(), met)


def run_killed(call: str, n: int, program: str, *words: object, follow: bool = False) -> int:
    """Run a program of Python, killed before the n-th such call; its exit code."""
    done = run_injected("signal=KILL", call, n, program, *words, follow=follow)
    assert done.code != 1, done.err
    return done.code
