"""Reflection: what sessions leave that is worth keeping, and the inbox where the rest waits
(S1.20)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engrain.engine.core.store import Store
from engrain.learn.reflection import run as reflecting
from engrain.learn.reflection.lanes import goes_unasked
from engrain.learn.reflection.run import Reflected
from engrain.learn.sources.cursors import REFLECT
from engrain.learn.sources.reading import (
    Problem,
    ReadCounts,
    Reading,
    read_new,
    read_paths,
    read_place,
)
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.sessions.marked import MarkedSessions
from engrain.model.errors import ForbiddenPathError, UsageError

_NOTE = "reflect.sessions"


def reflect(
    store: Store,
    paths: Sequence[str] = (),
    *,
    source: str | None = None,
    project: str | None = None,
    trust: str = "",
    dry_run: bool = False,
    tell: Callable[[int], None] = lambda _: None,
) -> tuple[Reflected, ReadCounts]:
    """Reflect on the sessions in some files and folders, else on what is new in the source of a
    name, else on every session that was not reflected on yet: what became of each candidate, and
    how the reading went. `project` is that of all of them, else each session's own; `trust` the
    origin of what `paths` say, at most the agent's. `tell` hears how many sessions were read by
    then.

    With `dry_run` nothing is written. Raises NotFoundError, UsageError, ForbiddenPathError,
    ConfigError, IndexUnavailableError, LockedError, StorageError.
    """
    store.require_index(scan=True)
    read_counts = ReadCounts()
    if paths:
        readings = read_paths(store, paths, read_counts)
    else:
        readings = _read_unread(store, read_counts, source, dry_run=dry_run)
    done = reflecting.reflect(
        store, readings, project=project, trust=trust, dry_run=dry_run, tell=tell
    )
    return done, read_counts


def run(store: Store, run: Run) -> Report:
    """The job: what is new in the sources."""
    if not goes_unasked(store.settings):
        return Report()
    read_counts = ReadCounts()
    readings = read_new(store, REFLECT, out_of_time=run.out_of_time, read_counts=read_counts)
    done = reflecting.reflect(store, readings, dry_run=run.dry_run)
    counts = {"sessions": len(done.sessions)}
    lines = []
    for routed in done.routed:
        if routed.news:
            counts[routed.outcome] = counts.get(routed.outcome, 0) + 1
            lines.append(f"{routed.outcome} {routed.id}: {routed.lane}, session {routed.session}")
    lines += [f"left out {problem.source}: {problem.message}" for problem in read_counts.problems]
    counts["problems"] = len(read_counts.problems)
    return Report(counts, lines, unfinished=read_counts.unfinished)


def _read_unread(
    store: Store, read_counts: ReadCounts, name: str | None, *, dry_run: bool
) -> Iterator[Reading]:
    """What was not reflected on: of one source if named, else of every source and of the sessions
    of this device."""
    marked = MarkedSessions(store, _NOTE)
    for session in marked.list() if name is None else ():
        try:
            source = store.sources.session(session.host, session.transcript)
            source.project = session.project
            yield from read_place(store, source, read_counts=read_counts)
        except (UsageError, ForbiddenPathError) as error:
            problem = Problem(f"session {session.name}", session.transcript, error.message)
            read_counts.problems.append(problem)
        if not dry_run:
            marked.keep(session)
    yield from read_new(store, REFLECT, name, read_counts=read_counts)
