"""`map`: the maps of contents are brought in step with the entries (S1.8)."""

from __future__ import annotations

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.maps.map import check_maps, write_maps
from engrain.lifecycle.jobs.job import Report, Run


def run(store: Store, run: Run) -> Report:
    """The job."""
    store.require_index(scan=True)
    done = check_maps(store) if run.dry_run else write_maps(store.acting_as(Actor(JOBS)))
    counts = {"written": len(done.written), "removed": len(done.removed), "kept": len(done.kept)}
    return Report(counts)
