"""Extraction: facts out of what was said (S4.4)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engrain.engine.core.store import Store
    from engrain.learn.extraction.run import Extracted
    from engrain.learn.sources.reading import Reading
    from engrain.learn.sources.tally import Tally
    from engrain.lifecycle.jobs.job import Report, Run


class Extraction(Base):
    """Facts about people, companies and projects, drawn by themselves."""

    def extract(
        self,
        paths: Sequence[str] = (),
        *,
        source: str | None = None,
        form: str | None = None,
        trust: str | None = None,
        dry_run: bool = False,
        tell: Callable[[int], None] = lambda _: None,
    ) -> tuple[Extracted, Tally]:
        """Draw facts out of some files and folders, else out of what is new in the source of a
        name, else in every source: what came of it, and how the reading went. `form` is rules or
        llm, else what is set; `trust` the origin of all that is read, else each source has its
        own; `tell` hears how many turns were read by then.

        With `dry_run` nothing is written and no source counts as read; else it waits for whoever
        runs jobs on this device. Raises NotFoundError, UsageError, ForbiddenPathError, ConfigError,
        IndexUnavailableError, LockedError, StorageError.
        """
        from contextlib import nullcontext

        from engrain.learn.extraction.run import extract, make_extractor
        from engrain.learn.sources.tally import Tally
        from engrain.lifecycle.jobs.runner import wait_for_claim

        store = self._ready(scan=True)
        tally = Tally()
        extractor = make_extractor(store, form)
        readings = _readings(store, paths, source, tally)
        with nullcontext() if dry_run else wait_for_claim(store.job_log):
            done = extract(store, readings, extractor, trust=trust, dry_run=dry_run, tell=tell)
        return done, tally


def run(store: Store, run: Run) -> Report:
    """The job: what is new in every source, by the form that is set."""
    from engrain.learn.extraction.run import extract, make_extractor
    from engrain.learn.sources.cursors import EXTRACT
    from engrain.learn.sources.reading import read_new
    from engrain.learn.sources.tally import Tally
    from engrain.lifecycle.jobs.job import Report

    tally = Tally()
    readings = read_new(store, EXTRACT, out_of_time=run.out_of_time, tally=tally)
    done = extract(store, readings, make_extractor(store), dry_run=run.dry_run)
    counts = {"turns": done.turns, **done.outcomes, "problems": len(tally.problems)}
    lines = [
        f"{drawn.outcome.outcome} {drawn.outcome.slug}: {drawn.outcome.id}"
        for drawn in done.drawn
        if drawn.outcome is not None and drawn.outcome.outcome not in ("unchanged", "refused")
    ]
    return Report(counts, lines, unfinished=tally.unfinished)


def _readings(
    store: Store,
    paths: Sequence[str],
    name: str | None,
    tally: Tally,
) -> Iterator[Reading]:
    from engrain.learn.sources.cursors import EXTRACT
    from engrain.learn.sources.reading import read_new, read_paths

    if paths:
        return read_paths(store, paths, tally)
    return read_new(store, EXTRACT, name, tally=tally)
