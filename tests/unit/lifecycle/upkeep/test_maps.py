"""The job that keeps the maps of contents in step."""

from __future__ import annotations

from pathlib import Path

from engrain import Memory
from engrain.engine.core.store import JOBS
from engrain.engine.maps.map import OP
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.jobs.table import JOBS as TABLE
from engrain.lifecycle.upkeep.indexes import run_maps
from unit.lifecycle.sessions.living import store_of


def test_the_job_writes_the_maps_once(memory: Memory, vault: Path) -> None:
    memory.save("Locks are advisory.", title="Nightly lock", kind="fix")
    assert run_maps(store_of(memory), Run()).counts == {"written": 2, "removed": 0, "kept": 0}
    assert "Nightly lock" in (vault / "Memory" / "_index.md").read_text()
    assert run_maps(store_of(memory), Run()).counts == {"written": 0, "removed": 0, "kept": 0}
    [change] = {(c.op, c.agent) for c in memory.history(limit=10) if c.op == OP}
    assert change == (OP, JOBS)


def test_a_dry_run_writes_nothing(memory: Memory, vault: Path) -> None:
    memory.save("Locks are advisory.", title="Nightly lock", kind="fix")
    assert run_maps(store_of(memory), Run(dry_run=True)).counts["written"] == 2
    assert not (vault / "_index.md").exists()


def test_the_job_is_in_the_table_and_comes_last(memory: Memory, vault: Path) -> None:
    assert list(TABLE)[-1] == "map"
    memory.save("Locks are advisory.", title="Nightly lock", kind="fix")
    [done] = memory.jobs.run(["map"])
    assert done.counts["written"] == 2
    assert (vault / "_index.md").exists()


def test_what_is_undone_unnamed_is_never_the_jobs(memory: Memory, vault: Path) -> None:
    memory.save("Locks are advisory.", title="Nightly lock", kind="fix")
    memory.jobs.run(["map"])
    memory.undo()
    assert (vault / "_index.md").exists()
