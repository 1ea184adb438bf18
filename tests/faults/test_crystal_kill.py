"""A process that makes a later digest of a phase, killed before each mutating system call: the
older one stands or the newer one does, and making it again does the rest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.model.note.entry import Entry
from faults.crystal_child import ACKNOWLEDGED
from support.strace import needs_strace, run_killed
from support.vaults import START, FakeClock, make_memory
from unit.lifecycle.experience import episode

CHILD = Path(__file__).with_name("crystal_child.py")
CALLS = ("fsync", "rename", "renameat", "link", "mkdir")
LIMIT = 60


def digests(memory: Memory, status: str) -> list[Entry]:
    found = memory.list(scope=Scope(kinds=["crystallized"], statuses=[status], all_projects=True))
    return [memory.show(row.id).entry for row in found.rows]


@needs_strace
@pytest.mark.parametrize("call", CALLS)
def test_one_digest_stands_whole_and_making_it_again_does_the_rest(
    tmp_path: Path, call: str
) -> None:
    start = tmp_path / "start"
    clock = FakeClock()
    with make_memory(start, clock=clock, project="harbour") as memory:
        memory.work.begin_phase("work")
        clock.at = START + 1000
        memory.episodes.save(episode("ep-1", "Raise the crane", START + 900))
        memory.work.end_phase("work")
        first = memory.sessions.crystallize()
        memory.episodes.save(episode("ep-2", "Light the pier", START + 950))
    for n in range(1, LIMIT):
        folder = tmp_path / str(n)
        shutil.copytree(start, folder)
        code = run_killed(call, n, CHILD, folder / "vault", folder / "state")
        acknowledged = code == ACKNOWLEDGED
        with make_memory(folder, clock=FakeClock(START + 5000), project="harbour") as memory:
            [standing] = digests(memory, "active")
            later = standing.id != first.id
            assert later or not acknowledged
            assert ("[[ep-2]]" in standing.note.body) == later
            assert [one.id for one in digests(memory, "superseded")] == [first.id] * later
            assert memory.sessions.crystallize().outcome == ("unchanged" if later else "evolved")
            assert len(digests(memory, "active")) == 1
            assert [one.id for one in digests(memory, "superseded")] == [first.id]
            assert all(report.wrong is None for report in memory.verify())
        shutil.rmtree(folder)
        if acknowledged:
            return
    raise AssertionError(f"more than {LIMIT} calls of {call}")
