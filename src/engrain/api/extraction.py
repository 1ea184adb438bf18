"""Extraction: facts out of what was said (S4.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engrain.engine.core.store import Store
from engrain.learn.extraction import run as drawing
from engrain.learn.extraction.run import Extracted, make_extractor
from engrain.learn.sources.cursors import EXTRACT
from engrain.learn.sources.reading import ReadCounts, read_new, read_paths
from engrain.lifecycle.jobs.job import Report, Run


def extract(
    store: Store,
    paths: Sequence[str] = (),
    *,
    source: str | None = None,
    form: str | None = None,
    trust: str | None = None,
    dry_run: bool = False,
    tell: Callable[[int], None] = lambda _: None,
) -> tuple[Extracted, ReadCounts]:
    """Draw facts out of some files and folders, else out of what is new in the source of a name,
    else in every source: what came of it, and how the reading went. `form` is rules or llm, else
    what is set; `trust` the origin of all that is read, else each source has its own; `tell` hears
    how many turns were read by then.

    With `dry_run` nothing is written and no source counts as read. Raises NotFoundError,
    UsageError, ForbiddenPathError, ConfigError, IndexUnavailableError, LockedError, StorageError.
    """
    store.require_index(scan=True)
    read_counts = ReadCounts()
    extractor = make_extractor(store, form)
    if paths:
        readings = read_paths(store, paths, read_counts)
    else:
        readings = read_new(store, EXTRACT, source, read_counts=read_counts)
    done = drawing.extract(store, readings, extractor, trust=trust, dry_run=dry_run, tell=tell)
    return done, read_counts


def run(store: Store, run: Run) -> Report:
    """The job: what is new in every source, by the form that is set."""
    read_counts = ReadCounts()
    readings = read_new(store, EXTRACT, out_of_time=run.out_of_time, read_counts=read_counts)
    done = drawing.extract(store, readings, make_extractor(store), dry_run=run.dry_run)
    counts = {"turns": done.turns, **done.outcomes, "problems": len(read_counts.problems)}
    lines = [
        f"{drawn.outcome.outcome} {drawn.outcome.slug}: {drawn.outcome.id}"
        for drawn in done.drawn
        if drawn.outcome is not None and drawn.outcome.outcome not in ("unchanged", "refused")
    ]
    return Report(counts, lines, unfinished=read_counts.unfinished)
