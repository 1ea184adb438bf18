"""A job: a function that maintains one vault by itself, in small steps, and reports them (S1.23).

Each is idempotent: a second run changes nothing; after a kill the next run does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass


@dataclass(slots=True, eq=False)
class Run:
    """How a job runs: with `dry_run` it only reports what it would do; between two steps it calls
    `out_of_time`, and stops if that is true. If the store was `scanned` for this run, the job need
    not look for edits by other programs."""

    _: KW_ONLY
    dry_run: bool = False
    out_of_time: Callable[[], bool] = lambda: False
    scanned: bool = False
