"""What is to be done with what episodes say, and the same for one pattern of the operator's, whose
word it needs (S2.4, S1.17)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.engine.core.attesting import OPERATOR
from engrain.engine.core.moving import refuse_changed
from engrain.engine.core.store import Actor, Store
from engrain.lifecycle.consolidating.errors import AntiPatternPlan
from engrain.lifecycle.consolidating.evidence import Evidence, list_known
from engrain.lifecycle.consolidating.patterns import PatternPlan, Step
from engrain.lifecycle.policy import consolidation_seconds, least_confidence
from engrain.model.errors import ConflictError
from engrain.model.experience.patterns import PATTERN
from engrain.model.experience.traces import Trace
from engrain.model.note.entry import Entry


def plan_steps(
    store: Store, since: float | None, project: str | None
) -> tuple[int, Iterator[tuple[str, Step]]]:
    """How many episodes are looked at, and what is to be done, each with what it is about."""
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
    """What the operator's word would make of a pattern or anti-pattern by the episodes there are
    now; None where it has all of their evidence. Raises ConfigError."""
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
        raise ConflictError(f"{row.id} has all the evidence there is", path=row.locator)
    step.writing.commit(reason)


def _find_renewal(store: Store, entry: Entry) -> Step | None:
    store.require_index()
    store = store.acting_as(Actor(store.actor.agent, OPERATOR))
    _, steps = plan_steps(store, None, entry.project or None)
    return next((step for _, step in steps if step.id == entry.id), None)
