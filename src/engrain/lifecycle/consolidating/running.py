"""Consolidation: episodes become patterns, their errors anti-patterns (S2.4, S2.7, loki's
"Episodic-to-Semantic Consolidation").

The episodes of the last day and those that no pattern refers to yet are clustered within each
project. What two or more of them share becomes a pattern if its confidence suffices; an existing
pattern gains the evidence. A second run over the same episodes changes nothing, and what was undone
is not done again from the same episodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.episodes.recording import recover_episodes
from engrain.lifecycle.consolidating.errors import AntiPatternPlan
from engrain.lifecycle.consolidating.evidence import (
    CREATED,
    LEFT,
    OP,
    EpisodeEvidence,
    PlannedStep,
    list_known,
)
from engrain.lifecycle.consolidating.patterns import PatternPlan
from engrain.lifecycle.jobs import table
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.policy import consolidation_seconds, least_confidence
from engrain.lifecycle.reviewing.actions import commit_rewrites
from engrain.model.experience.patterns import ANTI_PATTERN, PATTERN
from engrain.model.note.tiers import ACTIVE
from engrain.model.run_result import RunResult
from engrain.seam.rows import Filter

_NOTE = "consolidated"
_TOLD = ("episodes", LEFT)
"""Counts that don't say that something was done."""
_SEEN = ("episode", PATTERN, ANTI_PATTERN, "learning")
_COUNTED = ("episodes", "patterns", "anti-patterns", "updated", "left")


def consolidate(
    store: Store, *, since: float | None = None, project: str | None = None, dry_run: bool = False
) -> RunResult:
    """Make patterns of similar episodes, and anti-patterns and learnings of their errors.

    It reads the episodes from `since` on (epoch seconds, else `consolidate.hours` ago) and those
    that no pattern refers to, of one project if named ("" means none). Episodes that dead processes
    left are filed first. With `dry_run` nothing is written. Raises ConfigError,
    IndexUnavailableError, LockedError.
    """
    store.require_index(scan=True)
    if not dry_run:
        recover_episodes(store)
    return _consolidate(store, Run(dry_run=dry_run), since=since, project=project)


def _consolidate(
    store: Store, run: Run, *, since: float | None = None, project: str | None = None
) -> RunResult:
    store.require_index()
    episodes, steps = plan_steps(store, since, project)
    jobs = (_make_job_step(store, what, step) for what, step in steps)
    report = table.do_steps(run, jobs, _COUNTED)
    report.counts["episodes"] = episodes
    return report


def run(store: Store, run: Run) -> RunResult:
    """Run the job. It does nothing while the entries are as when it last had nothing to do."""
    store.require_index(scan=not run.scanned)
    seen = _fingerprint(store)
    if store.device.local.read_note(_NOTE) == seen:
        return RunResult({"episodes": 0})
    report = _consolidate(store.acting_as(Actor(JOBS)), run)
    # What others write meanwhile was not seen: only what was there before is known to be done.
    idle = not any(count for what, count in report.counts.items() if what not in _TOLD)
    if idle and not run.dry_run and not report.unfinished:
        store.device.local.write_note(_NOTE, seen)
    return report


def _make_job_step(store: Store, what: str, step: PlannedStep) -> table.JobStep:
    """Make the job's step of a planned one about `what`: "patterns" or "anti-patterns"."""

    def do() -> object:
        if step.rewrites:
            commit_rewrites(store, OP, step.rewrites, step.reason, step.actor)
        return step

    one = "episode" if step.word == LEFT else what[:-1]
    about = f"{one} {step.id}: {step.reason}"
    return table.JobStep(step.word, about, do, counted=what if step.word == CREATED else "")


def _fingerprint(store: Store) -> str:
    rows = store.index.find(Filter(kinds=_SEEN))
    settings = [str(store.settings.get(f"consolidate.{name}")) for name in ("hours", "confidence")]
    seen = sorted(f"{row.id} {row.hash} {row.status == ACTIVE}" for row in rows)
    return blake2b("\n".join([*settings, *seen]).encode(), digest_size=16).hexdigest()


def plan_steps(
    store: Store, since: float | None, project: str | None
) -> tuple[int, Iterator[tuple[str, PlannedStep]]]:
    """Return the number of episodes to read, and the steps, each with the kind of its entry. A
    step must be done before the next is asked for."""
    if since is None:
        since = store.clock.now() - consolidation_seconds(store.settings)
    least = least_confidence(store.settings)
    evidence = EpisodeEvidence(store)
    traces = evidence.gather(since, project, list_known(store, PATTERN))

    def find_steps() -> Iterator[tuple[str, PlannedStep]]:
        patterns = PatternPlan(store, evidence, least)
        errors = AntiPatternPlan(store, evidence)
        projects = {project} if project is not None else patterns.projects | errors.projects
        for name in sorted(projects | {trace.project for trace in traces}):
            own = [trace for trace in traces if trace.project == name]
            yield from (("anti-patterns", step) for step in errors.steps(name, own))
            yield from (("patterns", step) for step in patterns.steps(name, own))

    return len(traces), find_steps()
