"""Reflection: what sessions leave that is worth keeping, and the inbox where the rest waits
(S1.20)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engrain.engine.core.store import Store
    from engrain.learn.reflection.run import Reflected
    from engrain.learn.sources.reading import Reading
    from engrain.learn.sources.tally import Tally
    from engrain.lifecycle.jobs.job import Report, Run


class Reflection(Base):
    """Preferences, corrections, ways of working, decisions and ideas, as the operator said them."""

    def reflect(
        self,
        paths: Sequence[str] = (),
        *,
        source: str | None = None,
        project: str | None = None,
        trust: str = "",
        dry_run: bool = False,
        tell: Callable[[int], None] = lambda _: None,
    ) -> tuple[Reflected, Tally]:
        """Reflect on the sessions in some files and folders, else on what is new in the source of a
        name, else on every session that was not reflected on yet: what became of each candidate,
        and how the reading went. `project` is that of all of them, else each session's own;
        `trust` the origin of what `paths` say, at most the agent's. `tell` hears how many sessions
        were read by then.

        With `dry_run` nothing is written; else it waits for whoever runs jobs on this device.
        Raises NotFoundError, UsageError, ForbiddenPathError, ConfigError, IndexUnavailableError,
        LockedError, StorageError.
        """
        from contextlib import nullcontext

        from engrain.learn.reflection.run import reflect
        from engrain.learn.sources.reading import read_paths
        from engrain.learn.sources.tally import Tally
        from engrain.lifecycle.jobs.runner import wait_for_claim

        store = self._ready(scan=True)
        tally = Tally()
        readings = (
            read_paths(store, paths, tally)
            if paths
            else _read_unread(store, tally, source, dry_run=dry_run)
        )
        with nullcontext() if dry_run else wait_for_claim(store.job_log):
            done = reflect(
                store, readings, project=project, trust=trust, dry_run=dry_run, tell=tell
            )
        return done, tally

    def triage(self, *, dry_run: bool = False) -> Report:
        """Look through the inbox: propose what was met often or is said already, archive what was
        not met for `inbox.days`. With `dry_run` it only tells."""
        from contextlib import nullcontext

        from engrain.lifecycle.jobs.job import Run
        from engrain.lifecycle.jobs.runner import wait_for_claim
        from engrain.lifecycle.upkeep.triage import run

        store = self._ready(scan=True)
        with nullcontext() if dry_run else wait_for_claim(store.job_log):
            return run(store, Run(dry_run=dry_run))


def run(store: Store, run: Run) -> Report:
    """The job: the sessions of this device that have ended, and what is new in the sources."""
    from engrain.learn.reflection.run import reflect
    from engrain.learn.reflection.settings import goes_unasked
    from engrain.learn.sources.tally import Tally
    from engrain.lifecycle.jobs.job import Report

    if not goes_unasked(store.settings):
        return Report()
    tally = Tally()
    late = run.out_of_time
    readings = _read_unread(store, tally, dry_run=run.dry_run, out_of_time=late)
    done = reflect(store, readings, dry_run=run.dry_run)
    counts = {"sessions": len(done.sessions)}
    lines = []
    for routed in done.routed:
        if routed.news:
            counts[routed.outcome] = counts.get(routed.outcome, 0) + 1
            lines.append(f"{routed.outcome} {routed.id}: {routed.lane}, session {routed.session}")
    lines += [f"left out {problem.source}: {problem.message}" for problem in tally.problems]
    counts["problems"] = len(tally.problems)
    return Report(counts, lines, unfinished=tally.unfinished)


def _read_unread(
    store: Store,
    tally: Tally,
    name: str | None = None,
    *,
    dry_run: bool,
    out_of_time: Callable[[], bool] = lambda: False,
) -> Iterator[Reading]:
    """What was not reflected on: of one source if named, else of every source and of the sessions
    that have ended on this device."""
    from engrain.learn.reflection.ended import read_ended
    from engrain.learn.sources.cursors import REFLECT
    from engrain.learn.sources.reading import read_new

    if name is None:
        yield from read_ended(store, dry_run=dry_run, out_of_time=out_of_time, tally=tally)
        if tally.unfinished:
            return
    yield from read_new(store, REFLECT, name, out_of_time=out_of_time, tally=tally)
