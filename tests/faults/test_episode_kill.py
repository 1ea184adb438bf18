"""A process killed before each mutating system call while it records an episode: what it had noted
is filed once, whole or as interrupted, and never twice.

strace delivers SIGKILL on entering the N-th call of a kind, so that call does not happen; N grows
until the episode gets through.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engrain import open_memory
from faults.episode_child import ACKNOWLEDGED, ACTIONS
from support.strace import needs_strace, run_killed
from support.vaults import make_memory

CHILD = Path(__file__).with_name("episode_child.py").read_text(encoding="utf-8")
# `pwrite64` is what SQLite does to the index, which is made again from the files.
CALLS = ("write", "fsync", "fdatasync", "rename", "renameat", "unlink", "mkdir")
LIMIT = 60


def found_in(folder: Path, where: str) -> list[tuple[str, int]]:
    """Outcome and number of actions of every episode, after what was left was filed twice over."""
    place = folder / "vault"
    with open_memory(place, state_dir=folder / "state", backend="device-local") as memory:
        memory.episodes.recover()
        assert memory.episodes.recover() == [], where
        assert all(report.wrong is None for report in memory.trust.survey().chains), where
        found = []
        for row in memory.episodes.list().rows:
            document = memory.episodes.read(row.id)[1]
            names = [action["action"] for action in document["action_log"]]
            assert names == [f"count {number}" for number in range(len(names))], where
            found.append((document["outcome"], len(names)))
    assert not list((folder / "state").rglob("episodes/*.jsonl")), where
    return found


@needs_strace
@pytest.mark.parametrize("call", CALLS)
def test_a_kill_before_any_mutating_call_loses_nothing_and_files_nothing_twice(
    tmp_path: Path, call: str
) -> None:
    kept = 0
    for n in range(1, LIMIT):
        folder = tmp_path / "run"
        make_memory(folder).close()
        code = run_killed(call, n, CHILD, folder / "vault", folder / "state")
        acknowledged = code == ACKNOWLEDGED
        where = f"killed before {call} {n}"
        found = found_in(folder, where)
        shutil.rmtree(folder)
        assert len(found) <= 1, f"{where}: {found}"
        if acknowledged:
            assert found == [("success", ACTIONS)], f"{where}: acknowledged and lost: {found}"
            return
        if found:
            outcome, actions = found[0]
            assert outcome in ("success", "interrupted"), where
            assert actions == ACTIONS or outcome == "interrupted", f"{where}: {found}"
            assert actions >= kept, f"{where}: what was noted before is lost"
            kept = actions
    pytest.fail(f"it never got through {LIMIT} calls of {call}")
