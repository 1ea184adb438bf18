"""One run of a job, and its outcomes (S1.23)."""

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
