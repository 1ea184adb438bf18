"""A system call that fails, each in its turn: the error is told, nothing changed, the next works.

The N-th call of a kind fails in the child that saves; N grows until the save gets through.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engrain import open_memory
from faults.child import ACKNOWLEDGED, NEW
from faults.test_kill import BEFORE, is_after, prepare, read_texts
from support.strace import needs_strace, run_injected

CHILD = Path(__file__).with_name("child.py").read_text(encoding="utf-8")
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
def test_a_failing_call_is_reported_and_changes_nothing(
    tmp_path: Path, verb: str, call: str, fault: str
) -> None:
    for n in range(1, LIMIT):
        folder = tmp_path / "run"
        prepare(folder)
        done = run_injected(
            f"error={fault}", call, n, CHILD, folder / "vault", folder / "state", verb
        )
        acknowledged = done.code == ACKNOWLEDGED
        where = f"{verb}: {call} {n} failed with {fault}: {done.err[-400:]}"
        with open_memory(
            folder / "vault", state_dir=folder / "state", backend="device-local"
        ) as memory:
            found = read_texts(memory)
            if acknowledged:
                assert is_after(verb, found), where
            elif "could not be taken back" in done.err:
                assert found == BEFORE or is_after(verb, found), where
            else:
                assert found == BEFORE, where
                assert "Error: " in done.err, where
            assert memory.save(NEW, title="Fresh", kind="decision").outcome in (
                "created",
                "unchanged",
            )
            assert all(report.wrong is None for report in memory.trust.survey().chains), where
        shutil.rmtree(folder)
        if not done.met:
            assert acknowledged, where
            assert n > 1, f"{verb} makes no call of {call}"
            return
    pytest.fail(f"never got through {LIMIT} calls of {call}")
