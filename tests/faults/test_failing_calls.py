"""A system call that fails, each in its turn: the error is told, nothing changed, the next works.

The N-th call of a kind fails in the child that saves; N grows until the save gets through.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engrain import open_memory
from faults.child import ACKNOWLEDGED, NEW
from faults.test_kill import BEFORE, is_after, prepare, read_texts
from support.strace import needs_strace

CHILD = Path(__file__).with_name("child.py")
FAULTS = [
    ("save", "fsync", "EIO"),
    ("save", "fsync", "ENOSPC"),
    ("save", "linkat", "EIO"),
    ("save beside", "linkat", "EIO"),
    ("save", "linkat", "EPERM"),
    ("save", "unlinkat", "EIO"),
    ("save", "mkdirat", "EROFS"),
    ("save", "write", "ENOSPC"),
    ("save", "write", "EDQUOT"),
    ("evolve", "fsync", "EIO"),
    ("evolve", "linkat", "EIO"),
    ("evolve", "renameat2", "EIO"),
    ("evolve", "renameat2", "ENOSYS"),
    ("forget", "renameat2", "EACCES"),
    ("undo", "fsync", "EIO"),
]
LIMIT = 120


@needs_strace
@pytest.mark.parametrize(("verb", "call", "fault"), FAULTS)
def test_a_failing_call_is_told_and_changes_nothing(
    tmp_path: Path, verb: str, call: str, fault: str
) -> None:
    for n in range(1, LIMIT):
        folder = tmp_path / "run"
        prepare(folder)
        done = subprocess.run(
            [
                "strace", "-qq", "-o", str(tmp_path / "trace"), "-e", f"trace={call}",
                "-e", f"inject={call}:error={fault}:when={n}",
                sys.executable, str(CHILD), str(folder / "vault"), str(folder / "state"), verb,
            ],
            capture_output=True,
            check=False,
            text=True,
            env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
        )  # fmt: skip
        acknowledged = done.returncode == ACKNOWLEDGED
        where = f"{verb}: {call} {n} failed with {fault}: {done.stderr[-400:]}"
        with open_memory(
            folder / "vault", state_dir=folder / "state", backend="device-local"
        ) as memory:
            found = read_texts(memory)
            if acknowledged:
                assert is_after(verb, found), where
            elif "could not be taken back" in done.stderr:
                assert found == BEFORE or is_after(verb, found), where
            else:
                assert found == BEFORE, where
                assert "Error: " in done.stderr, where
            assert memory.save(NEW, title="Fresh", kind="decision").outcome in (
                "created",
                "unchanged",
            )
            assert all(report.wrong is None for report in memory.verify()), where
        shutil.rmtree(folder)
        if "(INJECTED)" not in (tmp_path / "trace").read_text():
            assert acknowledged, where
            assert n > 1, f"{verb} makes no call of {call}"
            return
    pytest.fail(f"never got through {LIMIT} calls of {call}")
