"""The job that keeps the index of entities in step, and tells the operator what is disputed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.store import JOBS
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.jobs.table import JOBS as TABLE
from engrain.lifecycle.upkeep.indexes import run_entities, run_maps
from engrain.model.errors import ConflictError
from engrain.model.facts.fact import FactDraft
from support.vaults import START
from unit.lifecycle.sessions.living import store_of


def counts(memory: Memory, *, dry_run: bool = False) -> dict[str, int]:
    return run_entities(store_of(memory), Run(dry_run=dry_run)).counts


def dispute(memory: Memory) -> None:
    """Two towns on one day."""
    for town in ("Rome", "Oslo"):
        memory.facts.add_all([FactDraft("Bob", f"Bob lives in {town}.", ref=town, at=START)])


def holding(memory: Memory) -> list[str]:
    return [fact.content for fact in memory.facts.entity("bob").entity.active]


def test_the_index_is_written_where_something_changed_and_not_by_a_dry_run(
    memory: Memory, vault: Path
) -> None:
    memory.facts.add("Bob", "Bob sings.")
    assert counts(memory, dry_run=True)["index files"] == 0
    assert counts(memory)["index files"] == 1
    whole = json.loads((vault / "Memory/entities/index.json").read_text())
    assert [line["slug"] for line in whole["entities"]] == ["bob"]
    assert counts(memory)["index files"] == 0


def test_what_is_disputed_is_proposed_once_and_settled_by_the_operators_word(
    memory: Memory,
) -> None:
    dispute(memory)
    assert counts(memory)["proposed"] == 1
    assert counts(memory)["proposed"] == 0
    (proposal,) = memory.review.list("settle")
    told = "\n".join(memory.review.show(proposal.id)[1])
    assert "historical" in told
    assert len(holding(memory)) == 2
    memory.review.accept(proposal.id)
    assert holding(memory) == ["Bob lives in Oslo."]
    assert counts(memory) == {"disputed": 0, "proposed": 0, "index files": 1}


def test_what_changed_since_is_not_settled_by_an_old_proposal(memory: Memory) -> None:
    dispute(memory)
    counts(memory)
    (proposal,) = memory.review.list("settle")
    memory.facts.add("Bob", "Bob sings.")
    with pytest.raises(ConflictError):
        memory.review.accept(proposal.id)
    assert counts(memory)["proposed"] == 1


def test_what_was_turned_down_is_not_proposed_again(memory: Memory) -> None:
    dispute(memory)
    counts(memory)
    (proposal,) = memory.review.list("settle")
    memory.review.reject(proposal.id)
    assert counts(memory)["proposed"] == 0
    assert len(holding(memory)) == 2


def test_the_job_writes_the_maps_once(memory: Memory, vault: Path) -> None:
    memory.save("Locks are advisory.", title="Nightly lock", kind="fix")
    assert run_maps(store_of(memory), Run()).counts == {"written": 2, "removed": 0, "kept": 0}
    assert "Nightly lock" in (vault / "Memory" / "_index.md").read_text()
    assert run_maps(store_of(memory), Run()).counts == {"written": 0, "removed": 0, "kept": 0}
    [change] = {(c.op, c.agent) for c in memory.history(limit=10) if c.op == "map"}
    assert change == ("map", JOBS)


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
