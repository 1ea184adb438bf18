"""Jobs that bring generated indexes in step: that of people, companies and projects, whose disputes
are laid before the operator too (S4.1, S4.3), and the maps of contents (S1.8)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.entities.files import Filed
from engrain.engine.entities.resolution import list_entities
from engrain.engine.maps.indexes import write_entity_index
from engrain.engine.maps.map import check_maps, write_maps
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.reviewing.staging import propose

ACTION = "settle"


def run_entities(store: Store, run: Run) -> Report:
    """The job `entities`."""
    store.require_index(scan=True)
    disputed = list_entities(store, disputed=True)
    if run.dry_run:
        return Report({"disputed": len(disputed), "proposed": 0, "index files": 0})
    store = store.acting_as(Actor(JOBS))
    proposed = _propose(store, disputed, run) if disputed else []
    counts = {"disputed": len(disputed), "proposed": len(proposed)}
    lines = [f"proposed to settle {slug}" for slug in proposed]
    return Report({**counts, "index files": int(write_entity_index(store))}, lines)


def _propose(store: Store, disputed: Sequence[Filed], run: Run) -> list[str]:
    """Propose to settle each; return the slugs of those that were not proposed before."""
    renewed = []
    for filed in disputed:
        if run.out_of_time():
            break
        reason = f"{len(filed.disputed)} facts can't all be so"
        if propose(store, ACTION, filed.id, reason):
            renewed.append(filed.slug)
    return renewed


def run_maps(store: Store, run: Run) -> Report:
    """The job `map`."""
    store.require_index(scan=True)
    done = check_maps(store) if run.dry_run else write_maps(store.acting_as(Actor(JOBS)))
    counts = {"written": len(done.written), "removed": len(done.removed), "kept": len(done.kept)}
    return Report(counts)
