"""The job that learns when recall is to keep silent in this vault (DESIGN section 9)."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.engine.recall.silence.calibrating import CHANGING, OUT_OF_TIME, calibrate
from engrain.engine.recall.silence.calibration import tell_reason
from engrain.lifecycle.jobs.job import Report, Run


def run(store: Store, run: Run) -> Report:
    """Measure the vault where it was not, or where it has grown since. What changes meanwhile, as
    in an import, is measured by the next round."""
    done = calibrate(store, out_of_time=run.out_of_time, dry_run=run.dry_run)
    counts = {"calibrated": len(done.found), "up to date": len(done.kept)}
    if run.dry_run:
        counts = {"due": len(done.due), "up to date": len(done.kept)}
    lines = [
        f"{_name(model)}: threshold {found.threshold:.2f}, {tell_reason(found, found.entries)}"
        for model, found in done.found.items()
    ]
    lines += [f"{_name(model)}: put off, {reason}" for model, reason in done.put_off.items()]
    again = {OUT_OF_TIME, CHANGING}.intersection(done.put_off.values())
    return Report(counts, lines, unfinished=bool(again))


def _name(model: str) -> str:
    return model or "words alone"
