"""`entities`: the generated index of people, companies and projects is brought in step (S4.1)."""

from __future__ import annotations

from engrain.engine.entity_index import write_entity_index
from engrain.engine.store import JOBS, Actor
from engrain.lifecycle.job import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Store
    from engrain.lifecycle.job import Run


def run(store: Store, run: Run) -> Report:
    """The job."""
    store.require_index(scan=True)
    if run.dry_run:
        return Report({"index files": 0})
    return Report({"index files": int(write_entity_index(store.acting_as(Actor(JOBS))))})
