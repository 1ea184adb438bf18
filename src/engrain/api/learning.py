"""Learn from what was said and written: facts from conversations (S4.4), statements from sessions
(S1.20), and what is new in approved places outside (S1.20)."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.learn.extraction import run as extraction
from engrain.learn.forward import run as forward
from engrain.learn.forward.run import ForwardRun, list_waiting
from engrain.learn.reflection import run as reflection
from engrain.learn.sources.reading import (
    EXTRACT,
    REFLECT,
    ReadCounts,
    SourceProblem,
    SourceReading,
    read_new,
    read_place,
)
from engrain.lifecycle.ageing.decay import FILE
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.reviewing.staging import list_proposals, propose
from engrain.lifecycle.sessions.folding import MarkedSessions
from engrain.model.errors import ConflictError, ForbiddenPathError, NotFoundError, UsageError
from engrain.model.run_result import RunResult


def run_extraction(store: Store, run: Run) -> RunResult:
    """Run the job that extracts facts from what is new in every source."""
    read_counts = ReadCounts()
    readings = read_new(store, EXTRACT, out_of_time=run.out_of_time, read_counts=read_counts)
    done = extraction.extract(store, readings, dry_run=run.dry_run)
    counts = {"turns": done.turns, **done.outcomes, "problems": len(read_counts.problems)}
    lines = [
        f"{drawn.outcome.outcome} {drawn.outcome.slug}: {drawn.outcome.id}"
        for drawn in done.drawn
        if drawn.outcome is not None and drawn.outcome.outcome not in ("unchanged", "refused")
    ]
    return RunResult(counts, lines, unfinished=read_counts.unfinished)


def run_reflection(store: Store, run: Run) -> RunResult:
    """Run the job that reflects on what is new in the sources."""
    read_counts = ReadCounts()
    readings = read_new(store, REFLECT, out_of_time=run.out_of_time, read_counts=read_counts)
    done = reflection.reflect(store, readings, dry_run=run.dry_run)
    counts = {"sessions": len(done.sessions)}
    lines = []
    for routed in done.routed:
        if routed.news:
            counts[routed.outcome] = counts.get(routed.outcome, 0) + 1
            lines.append(f"{routed.outcome} {routed.id}: {routed.lane}, session {routed.session}")
    lines += [f"left out {problem.source}: {problem.message}" for problem in read_counts.problems]
    counts["problems"] = len(read_counts.problems)
    return RunResult(counts, lines, unfinished=read_counts.unfinished)


def read_unread(
    store: Store, read_counts: ReadCounts, name: str | None, *, dry_run: bool
) -> Iterator[SourceReading]:
    """Read what was not reflected on yet: in one source if named, else in the sessions of this
    device and in every source."""
    marked = MarkedSessions(store, "reflect.sessions")
    for session in marked.list() if name is None else ():
        try:
            source = store.device.sources.session(session.host, session.transcript)
            source.project = session.project
            yield from read_place(store, source, read_counts=read_counts)
        except (UsageError, ForbiddenPathError) as error:
            problem = SourceProblem(f"session {session.name}", session.transcript, error.message)
            read_counts.problems.append(problem)
        if not dry_run:
            marked.mark(session)
    yield from read_new(store, REFLECT, name, read_counts=read_counts)


def ask_operator(store: Store, done: ForwardRun, *, capped: bool = False) -> None:
    """Propose to the operator what a run found, and what waits but was never proposed; `capped`:
    as far as the week has room."""
    reasons = {one.id: f"new at {one.source.name}" for one in done.candidates if one.id}
    waiting = [row.id for row in list_waiting(store)]
    if reasons or waiting:
        asked = {one.target for one in list_proposals(store)}
        asked |= {one.target for one in list_proposals(store, decided=True)}
        left = {id_: "brought from outside" for id_ in waiting if id_ not in asked}
        _propose(store, {**left, **reasons}, capped=capped)


def run_learning(store: Store, run: Run) -> RunResult:
    """Run the job that reads the approved places, if there are any."""
    if not store.device.outside.list():
        return RunResult({"sources": 0})
    store.require_index(scan=True)
    done = forward.learn(store, dry_run=run.dry_run, out_of_time=run.out_of_time)
    if not run.dry_run:
        ask_operator(store, done, capped=not run.asked)
    counts = {
        "sources": len(done.sources),
        "new": sum(one.new for one in done.sources),
        "kept": len(done.candidates),
        "failed": sum(bool(one.error) for one in done.sources),
    }
    lines = [f"{one.outcome} {one.id}: source {one.source.name}" for one in done.candidates]
    lines += [f"left out {one.source.name}: {one.error}" for one in done.sources if one.error]
    return RunResult(counts, lines, unfinished=done.unfinished)


def _propose(store: Store, reasons: dict[str, str], *, capped: bool) -> None:
    own = store.acting_as(Actor(JOBS))
    for id_, reason in reasons.items():
        try:
            propose(own, FILE, id_, reason, capped=capped)
        except (ConflictError, NotFoundError):
            continue  # it changed just now; the next run asks
