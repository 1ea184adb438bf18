"""The port to what this device knows of the jobs of one vault (S1.23, S4.10). If it is lost, every
job is due once.

Glossary
--------
claim       the right to run the jobs of one vault on this device. Only one process has it, and it
            ends with that process.
status      the last run of each job; written before the job starts too, so that RUNNING without a
            claim means that it was interrupted.
log         the runs of jobs, one line each; the oldest lines are dropped.
request     somebody's wish for a job, which makes it due until it starts. A request for an unknown
            job stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

OK = "ok"
FAILED = "failed"
UNFINISHED = "unfinished"
"""Its time ran out: the next round does the rest."""
INTERRUPTED = "interrupted"
"""Its process was ended in the middle of it: the next round does the rest."""
RUNNING = "running"


@dataclass(slots=True)
class JobRun:
    """One run of a job: its outcome, when it started and `ended` in epoch seconds (None before the
    end), when the job is `due` next, the seconds it took, counts by word, a line for each step (by
    id and never with text of an entry), and the error, "" for none."""

    name: str
    outcome: str
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)
    lines: Sequence[str] = ()
    error: str = ""
    started: float = 0.0
    ended: float | None = None
    due: float = 0.0
