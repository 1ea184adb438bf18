"""Describes background jobs, as data and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engrain.adapters.present.records import Data, fields, local_of
from engrain.adapters.present.text import clean_line, style
from engrain.lifecycle.jobs.runner import JobState


def describe_job(state: JobState) -> Data:
    """Return a job, how often it runs, and how it went last."""
    last = state.status
    data = fields(state, "job=job.name meaning=job.meaning every_minutes=job.every due asked@")
    if last is None:
        missing = dict.fromkeys(("outcome", "started", "ended", "next_due"))
        return {**data, **missing, "counts": {}, "error": None}
    return {**data, **fields(last, "outcome started@ ended@ next_due=due@ counts error?")}


def request_lines(names: Iterable[str]) -> Iterator[str]:
    """Yield that jobs were asked for, and when they run."""
    for name in names:
        yield style("dim", f"{clean_line(name)} is asked for, and runs in the next round of jobs")


def describe_interval(minutes: int) -> str:
    """Say an interval in minutes as it stands behind "every"."""
    for size, name in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        if minutes % size == 0:
            return name if minutes == size else f"{minutes // size} {name}s"
    raise AssertionError("every number is a multiple of 1")


def describe_next(state: JobState) -> str:
    """Say when a job is due next."""
    if state.due:
        return "due now"
    if state.status is None:
        return "due at once"
    return f"due after {local_of(state.status.due)}"
