"""Consolidation: episodes become patterns, their errors anti-patterns (S2.4, S2.7, loki's
"Episodic-to-Semantic Consolidation").

The episodes of the last day and those that no pattern refers to yet, in whatever run they were
left, are clustered within each project. What two and more of them share is a pattern, kept where it
is sure enough; one that is there already gains the evidence. Run again over the same episodes it
does nothing, and what was undone is not done again from the same episodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

from engrain.engine.core.moving import refuse_changed
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.episodes.recording import recover_episodes
from engrain.lifecycle.consolidating.errors import AntiPatternPlan
from engrain.lifecycle.consolidating.evidence import Evidence, list_known
from engrain.lifecycle.consolidating.patterns import CREATED, LEFT, PROPOSED, PatternPlan, Step
from engrain.lifecycle.consolidating.writing import try_commit
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.policy import consolidation_seconds, least_confidence
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import ConflictError
from engrain.model.experience.patterns import ANTI_PATTERN, PATTERN
from engrain.model.experience.traces import Trace
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ACTIVE, OPERATOR
from engrain.seam.rows import Filter

ACTION = "renew"
"""What is proposed for a pattern that the operator vouched for."""
_NOTE = "consolidated"
_TOLD = ("episodes", LEFT)
"""What is counted though nothing was done."""
_SEEN = ("episode", PATTERN, ANTI_PATTERN, "learning")


def consolidate(
    store: Store, *, since: float | None = None, project: str | None = None, dry_run: bool = False
) -> Report:
    """Make patterns of alike episodes, and anti-patterns and learnings of their errors: of the
    episodes from `since` on (epoch seconds, else `consolidate.hours` ago) and of those that no
    pattern refers to; of one project if named, "" for those without a project. Episodes that dead
    processes left are filed first. With `dry_run` nothing is written. Raises ConfigError,
    IndexUnavailableError, LockedError."""
    store.require_index(scan=True)
    if not dry_run:
        recover_episodes(store)
    return _consolidate(store, Run(dry_run=dry_run), since=since, project=project)


def _consolidate(
    store: Store, run: Run, *, since: float | None = None, project: str | None = None
) -> Report:
    store.require_index()
    kinds = ("patterns", "anti-patterns")
    counts = dict.fromkeys(("episodes", *kinds, "updated", "proposed", "left"), 0)
    lines: list[str] = []
    counts["episodes"], steps = plan_steps(store, since, project)
    for what, step in steps:
        if run.out_of_time():
            return Report(counts, lines, unfinished=True)
        if _do(store, run, step):
            counts[what if step.word == CREATED else step.word] += 1
            one = "episode" if step.word == LEFT else what[:-1]
            lines.append(f"{step.word} {one} {step.id}: {step.reason}")
    return Report(counts, lines)


def run(store: Store, run: Run) -> Report:
    """The job: nothing, where nothing changed since it last found nothing to do."""
    store.require_index(scan=True)
    seen = _fingerprint(store)
    if store.local.read_note(_NOTE) == seen:
        return Report({"episodes": 0})
    report = _consolidate(store.acting_as(Actor(JOBS)), run)
    # What others write meanwhile was not seen: only what was there before is known to be done.
    idle = not any(count for what, count in report.counts.items() if what not in _TOLD)
    if idle and not run.dry_run and not report.unfinished:
        store.local.write_note(_NOTE, seen)
    return report


def _do(store: Store, run: Run, step: Step) -> bool:
    """Do one thing; return whether there was something to do or to report."""
    if run.dry_run or step.word == LEFT:
        return True
    if step.word == PROPOSED:
        try:
            return propose(store, ACTION, step.id, step.reason) is not None
        except ConflictError:
            return False
    return step.writing is not None and try_commit(step.writing, step.reason)


def _fingerprint(store: Store) -> str:
    """What the last run saw, if nothing that it goes by changed since."""
    rows = store.index.find(Filter(kinds=_SEEN))
    settings = [str(store.settings.get(f"consolidate.{name}")) for name in ("hours", "confidence")]
    seen = sorted(f"{row.id} {row.hash} {row.status == ACTIVE}" for row in rows)
    return blake2b("\n".join([*settings, *seen]).encode(), digest_size=16).hexdigest()


def plan_steps(
    store: Store, since: float | None, project: str | None
) -> tuple[int, Iterator[tuple[str, Step]]]:
    """Return how many episodes are looked at, and the steps, each with the kind of entry it is
    about."""
    if since is None:
        since = store.clock.now() - consolidation_seconds(store.settings)
    least = least_confidence(store.settings)
    evidence = Evidence(store)
    traces = evidence.gather(since, project, list_known(store, PATTERN))
    return len(traces), _find_steps(store, evidence, traces, least, project)


def _find_steps(
    store: Store, evidence: Evidence, traces: Sequence[Trace], least: float, project: str | None
) -> Iterator[tuple[str, Step]]:
    """Project by project; each step is to be done before the next is asked for."""
    patterns = PatternPlan(store, evidence, least)
    errors = AntiPatternPlan(store, evidence)
    projects = {project} if project is not None else patterns.projects | errors.projects
    for name in sorted(projects | {trace.project for trace in traces}):
        own = [trace for trace in traces if trace.project == name]
        for step in errors.steps(name, own):
            yield "anti-patterns", step
        for step in patterns.steps(name, own):
            yield "patterns", step


def preview_renewal(store: Store, entry: Entry) -> bytes | None:
    """Return the bytes of a pattern or anti-pattern with the evidence of today's episodes, None
    where it has all of it. Raises ConfigError."""
    step = _find_renewal(store, entry)
    return None if step is None or step.writing is None else step.writing.after(entry.path)


def renew(store: Store, reference: str, base: str, reason: str) -> None:
    """Give a pattern or anti-pattern, whose substance is still `base`, the evidence it lacks, as
    the operator whose word that is. Raises ConflictError where it was changed, or lacks none."""
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    refuse_changed(entry, base)
    step = _find_renewal(store, entry)
    if step is None or step.writing is None:
        raise ConflictError(f"{row.id} already has all the evidence", path=row.locator)
    step.writing.commit(reason)


def _find_renewal(store: Store, entry: Entry) -> Step | None:
    store.require_index()
    store = store.acting_as(Actor(store.actor.agent, OPERATOR))
    _, steps = plan_steps(store, None, entry.project or None)
    return next((step for _, step in steps if step.id == entry.id), None)
