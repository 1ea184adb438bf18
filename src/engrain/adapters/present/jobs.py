"""Jobs as plain data, and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean_line
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.runner import JobRun, JobState, Request
from engrain.seam.job_log import JobEvent

_COLOURS = {"ok": "good", "failed": "bad", "interrupted": "warning", "unfinished": "warning"}
_WIDTH = 11
_HOUR = 60
_DAY = 24 * 60


def describe_runs(runs: Sequence[JobRun], *, dry_run: bool) -> Data:
    return {
        "dry_run": dry_run,
        "jobs": [
            {
                "job": run.name,
                "outcome": run.outcome,
                "counts": run.counts,
                "lines": list(run.lines),
                "error": run.error or None,
                "seconds": round(run.seconds, 3),
            }
            for run in runs
        ],
    }


def describe_states(states: Sequence[JobState], asked: Sequence[Request] = ()) -> Data:
    """The jobs; `unknown` are those that were asked for and that this version does not have."""
    return {
        "jobs": [_describe_state(state) for state in states],
        "unknown": [
            {"job": one.name, "asked": format_instant(one.at)} for one in asked if not one.known
        ],
    }


def describe_events(events: Sequence[JobEvent]) -> Data:
    return {
        "runs": [
            {
                "at": format_instant(event.at),
                "job": event.job,
                "outcome": event.outcome,
                "seconds": event.seconds,
                "counts": event.counts,
                "lines": list(event.lines),
                "error": event.error or None,
            }
            for event in events
        ]
    }


def run_lines(run: JobRun | JobEvent, name: str, style: Style) -> Iterator[str]:
    """One run of a job: how it went, and what it did."""
    said = clean_line(run.error) or _count(run.counts)
    yield f"{_outcome(run.outcome, style)} {name}  {said}  {style('dim', f'{run.seconds:.1f} s')}"
    for line in run.lines:
        yield style("dim", f"{'':{_WIDTH}}   {clean_line(line)}")


def event_lines(events: Sequence[JobEvent], style: Style) -> Iterator[str]:
    for event in events:
        at = style("dim", format_instant(event.at))
        first, *rest = run_lines(event, clean_line(event.job), style)
        yield f"{at}  {first}"
        yield from rest
    if not events:
        yield "No job has run on this device yet."


def list_lines(states: Sequence[JobState], style: Style) -> Iterator[str]:
    for state in states:
        often = f"every {describe_interval(state.job.every)}"
        due = style("warning", "due now") if state.due else f"due {_next(state)}"
        yield f"{style('title', f'{state.job.name:<11}')} {often:<13} {due}"
        yield style("dim", f"{'':11} {state.job.meaning}")


def due_lines(states: Sequence[JobState], style: Style) -> Iterator[str]:
    """The jobs, a line each: how often, and when next."""
    for state in states:
        often = f"every {describe_interval(state.job.every)}"
        due = "due now" if state.due else f"due {_next(state)}"
        yield f"  {state.job.name:<11} {often:<16} {style('dim', due)}"


def interval_lines(states: Sequence[JobState]) -> Iterator[str]:
    """What a round runs, by how often."""
    by_interval: dict[int, list[str]] = {}
    for state in states:
        by_interval.setdefault(state.job.every, []).append(state.job.name)
    for every, names in sorted(by_interval.items()):
        yield f"every {describe_interval(every)}: {', '.join(names)}"


def status_lines(states: Sequence[JobState], style: Style) -> Iterator[str]:
    for state in states:
        last = state.status
        if last is None:
            yield f"{'never ran':<{_WIDTH}} {style('title', state.job.name)}"
            continue
        ended = "" if last.ended is None else f", ended {format_instant(last.ended)}"
        due = "due now" if state.due else f"due {_next(state)}"
        yield f"{_outcome(last.outcome, style)} {style('title', state.job.name)}  {due}"
        yield style("dim", f"{'':{_WIDTH}} started {format_instant(last.started)}{ended}")
        if said := clean_line(last.error) or _count(last.counts):
            yield style("dim", f"{'':{_WIDTH}} {said}")


def request_lines(asked: Sequence[Request], style: Style) -> Iterator[str]:
    """What was asked for, and when it comes."""
    for one in asked:
        when = "runs in the next round of jobs"
        if not one.known:
            when = "waits until there is such a job, which this version does not have"
        yield style("dim", f"{clean_line(one.name)} is asked for, and {when}")


def _describe_state(state: JobState) -> Data:
    last = state.status
    return {
        "job": state.job.name,
        "meaning": state.job.meaning,
        "every_minutes": state.job.every,
        "due": state.due,
        "asked": None if state.asked is None else format_instant(state.asked),
        "outcome": None if last is None else last.outcome,
        "started": None if last is None else format_instant(last.started),
        "ended": None if last is None or last.ended is None else format_instant(last.ended),
        "next_due": None if last is None else format_instant(last.due),
        "counts": {} if last is None else last.counts,
        "error": None if last is None else last.error or None,
    }


def _outcome(outcome: str, style: Style) -> str:
    padded = f"{clean_line(outcome):<{_WIDTH}}"
    return style(_COLOURS[outcome], padded) if outcome in _COLOURS else padded


def _count(counts: Mapping[str, int]) -> str:
    some = [f"{count} {clean_line(what)}" for what, count in counts.items() if count]
    return ", ".join(some) or ("nothing to do" if counts else "")


def describe_interval(minutes: int) -> str:
    """So many minutes, as one says it behind "every"."""
    for size, name in ((_DAY, "day"), (_HOUR, "hour")):
        if minutes % size == 0:
            times = minutes // size
            return name if times == 1 else f"{times} {name}s"
    return "minute" if minutes == 1 else f"{minutes} minutes"


def _next(state: JobState) -> str:
    return "at once" if state.status is None else f"after {format_instant(state.status.due)}"
