"""The job that takes in what other programs changed in the vault (S1.19)."""

from __future__ import annotations

from engrain.engine.core.attesting import list_unattested
from engrain.engine.core.store import Store
from engrain.engine.recall.embedding import embed_new
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.reviewing.staging import propose
from engrain.lifecycle.upkeep.successions import propose_doubtful


def run(store: Store, run: Run) -> Report:
    """The job: scan, give entries the vectors they lack, and propose the successions of more
    trusted entries. A dry run reports how many files differ from the index."""
    if not store.backend.capabilities.edited_outside:
        return Report()
    if run.dry_run:
        return Report({"differ": len(store.upkeep.verify())})
    report = store.upkeep.scan()
    counts = {"seen": report.seen, "taken in": report.changed, "gone": report.dropped}
    if report.problems:
        counts["unreadable"] = report.problems
    if run.out_of_time():
        return Report(counts, unfinished=True)
    if embedded := embed_new(store, run.out_of_time, whole=True):
        counts["embedded"] = embedded
    if proposed := propose_doubtful(store):
        counts["successions proposed"] = len(proposed)
    if store.settings.get("trust_edits") == "false":
        counts["held for review"] = _hold_edits(store)
    return Report(counts)


def _hold_edits(store: Store) -> int:
    """Propose what other programs wrote among the operator's notes to the operator (DESIGN section
    6); how many it were."""
    held = [
        propose(store, "attest", row.id, "written by another program")
        for row in list_unattested(store, "T2")
    ]
    return sum(outcome is not None for outcome in held)
