"""Crystallization: the digest of a phase of work, in one note (S1.17)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.agents.continuity import PastPhase, list_past_phases, list_progress, read_continuity
from engrain.agents.harness import DONE, find_harness, read_live
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.recall.profiles import check_phase
from engrain.language.text.instants import read_instant
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.synthesizing import crystals
from engrain.lifecycle.synthesizing.crystals import (
    CREATED,
    FINDINGS,
    INVESTIGATION,
    OPEN,
    QUESTION,
    Line,
    Span,
)
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE
from engrain.model.run_result import RunResult
from engrain.seam.rows import Filter

RECENT = 14 * DAY
"""Seconds back to which the job looks for ended phases."""


def run(store: Store, run: Run) -> RunResult:
    """Run the job that digests recently ended phases of every project."""
    store.require_index(scan=True)
    store = store.acting_as(Actor(JOBS))
    counts = dict.fromkeys(("spans", CREATED, "left"), 0)
    lines: list[str] = []
    for span in _recent(store):
        if run.out_of_time():
            return RunResult(counts, lines, unfinished=True)
        counts["spans"] += 1
        try:
            done = crystals.crystallize(store, span, dry_run=run.dry_run)
        except EngrainError as error:
            counts["left"] += 1
            lines.append(f"left {span.ref}: {error.message}")
            continue
        if done.outcome == CREATED:
            counts[CREATED] += 1
            lines.append(f"created {done.id or 'a digest'}: {span.ref}")
    return RunResult(counts, lines)


def _recent(store: Store) -> Iterator[Span]:
    rows = store.index.find(Filter(kinds=("progress",), statuses=(ACTIVE,)))
    for project in sorted({row.project for row in rows if row.project}):
        try:
            spans = _phases(store.within(project))
        except EngrainError:
            continue  # `doctor` reports a progress.md that can't be read
        yield from (one for one in spans if one.ended >= store.clock.now() - RECENT)


def find_last_phase(store: Store, name: str | None) -> Span:
    """Find the phase of the current project that ended last, of that name if any. Raises
    NotFoundError, UsageError."""
    check_phase(name)
    found = [one for one in _phases(store) if name in (None, one.name)]
    if found:
        return found[-1]
    on = read_continuity(store)
    remedy = "`engrain project begin NAME` begins one"
    if on is not None and on.phase and name in (None, on.phase):
        remedy = f"`engrain project end {on.phase}` ends the one that is on"
    what = f"phase {name}" if name else "phase"
    raise NotFoundError(f"no {what} of {store.project} has ended", remedy=remedy)


def _phases(store: Store) -> list[Span]:
    """List the ended phases of the current project, oldest first, with the content of its working
    memory."""
    harness = find_harness(store)
    entry = read_live(store, harness.progress)
    if entry is None:
        return []
    past = list_past_phases(store)
    ends = {one.ended for one in past}
    pieces = [(read_instant(heading), text) for heading, text in list_progress(store)]
    spans: list[Span] = []
    before = entry.created or 0.0
    for one in past:
        began = before if one.began is None else one.began
        parts = _read_phase_end(one, entry.id)
        parts[INVESTIGATION] = [
            Line(text, [entry.id], at)
            for at, text in pieces
            if at is not None and at not in ends and began <= at <= one.ended
        ]
        spans.append(Span(one.name, harness.project, min(began, one.ended), one.ended, parts))
        before = one.ended
    return spans


def _read_phase_end(phase: PastPhase, source: str) -> dict[str, Sequence[Line]]:
    """Return what was written at the end of a phase."""
    features = {
        name: status.split(",")[0]
        for name, _, status in (line.rpartition(": ") for line in phase.features)
    }
    done = [f"done: {name}" for name, status in features.items() if status == DONE]
    summary = [line.strip().removeprefix("- ") for line in phase.summary.split("\n")]
    threads = [Line(f"next: {phase.next_step}", [source])] if phase.next_step else []
    threads += [
        Line(f"{name} is {status}", [source]) for name, status in features.items() if status != DONE
    ]
    return {
        QUESTION: [Line(phase.goal, [source], phase.began)] if phase.goal else [],
        FINDINGS: [Line(line, [source], phase.ended) for line in [*summary, *done] if line],
        OPEN: threads,
    }
