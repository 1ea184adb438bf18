"""The job that keeps the index of entities in step."""

from __future__ import annotations

from engrain import Memory
from engrain.lifecycle.entities import run
from engrain.lifecycle.job import Run


def test_the_index_is_written_where_something_changed_and_not_by_a_dry_run(memory: Memory) -> None:
    memory.add_fact("Bob", "Bob sings.")
    store = memory._open_store()
    assert run(store, Run(dry_run=True)).counts == {"index files": 0}
    assert run(store, Run()).counts == {"index files": 1}
    assert run(store, Run()).counts == {"index files": 0}
