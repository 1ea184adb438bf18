"""Jobs that bring up to date what is derived from the vault: the index, after edits by other
programs (S1.19), the threshold of silence (DESIGN section 9), the index of entities (S4.1) and the
maps of contents (S1.8)."""

from __future__ import annotations

from engrain.engine.core.attesting import list_unattested
from engrain.engine.core.scope import ASK
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.entities.resolution import list_entities
from engrain.engine.indexes import check_maps, write_entity_index, write_maps
from engrain.engine.recall.embedding import embed_new
from engrain.engine.recall.silence.calibration import (
    CHANGING,
    OUT_OF_TIME,
    calibrate,
    describe_reason,
)
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.reviewing.staging import propose
from engrain.lifecycle.upkeep.successions import propose_doubtful
from engrain.model.run_result import RunResult
from engrain.model.settings import read_value

_MOST_HELD = 250
"""The most entries of each tier that one run lays before the operator."""


def run_calibration(store: Store, run: Run) -> RunResult:
    """Measure the vault where it was not, or where it has grown since. What changes meanwhile, as
    in an import, is measured by the next round."""
    done = calibrate(store, out_of_time=run.out_of_time, dry_run=run.dry_run)
    counts = {"calibrated": len(done.found), "up to date": len(done.kept)}
    if run.dry_run:
        counts = {"due": len(done.due), "up to date": len(done.kept)}
    lines = [
        f"{_name(model)}: threshold {found.threshold:.2f}, {describe_reason(found, found.entries)}"
        for model, found in done.found.items()
    ]
    lines += [f"{_name(model)}: put off, {reason}" for model, reason in done.put_off.items()]
    again = {OUT_OF_TIME, CHANGING}.intersection(done.put_off.values())
    return RunResult(counts, lines, unfinished=bool(again))


def _name(model: str) -> str:
    return model or "words alone"


def run_scan(store: Store, run: Run) -> RunResult:
    """Scan, give entries the vectors they lack, and propose the successions of more trusted
    entries. A dry run reports how many files differ from the index."""
    if not store.backend.capabilities.edited_outside:
        return RunResult()
    if run.dry_run:
        return RunResult({"differ": len(store.upkeep.verify())})
    found = store.upkeep.scan().counts
    counts = {"seen": found["seen"], "taken in": found["changed"], "gone": found["dropped"]}
    if found["unreadable"]:
        counts["unreadable"] = found["unreadable"]
    if run.out_of_time():
        return RunResult(counts, unfinished=True)
    if embedded := embed_new(store, run.out_of_time, whole=True):
        counts["embedded"] = embedded
    if proposed := propose_doubtful(store, capped=not run.asked):
        counts["successions proposed"] = len(proposed)
    if read_value(store.settings, "edits") == ASK:
        held = [
            propose(store, "attest", row.id, "written by another program", capped=not run.asked)
            for tier in ("T2", "T3")
            for row in list_unattested(store, tier)[:_MOST_HELD]
        ]
        counts["held for review"] = sum(outcome is not None for outcome in held)
    return RunResult(counts)


def run_entities(store: Store, run: Run) -> RunResult:
    """Run the job `entities`: count the entities with disputed facts, and write the index."""
    store.require_index(scan=True)
    disputed = list_entities(store, disputed=True)
    written = 0 if run.dry_run else write_entity_index(store.acting_as(Actor(JOBS)))
    counts = {"disputed": len(disputed), "index files": int(written)}
    return RunResult(counts, [f"disputed {filed.slug}" for filed in disputed])


def run_maps(store: Store, run: Run) -> RunResult:
    """Run the job `map`: write the maps of contents."""
    store.require_index(scan=True)
    done = check_maps(store) if run.dry_run else write_maps(store.acting_as(Actor(JOBS)))
    counts = {"written": len(done.written), "removed": len(done.removed), "kept": len(done.kept)}
    return RunResult(counts)
