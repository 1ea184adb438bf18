"""A job: a function that maintains one vault by itself, in small steps, and reports them (S1.23).

Each is idempotent: a second run changes nothing; after a kill the next run does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field


@dataclass(slots=True, eq=False)
class Run:
    """How a job runs: with `dry_run` it only reports what it would do; between two steps it calls
    `out_of_time`, and stops if that is true. If the store was `scanned` for this run, the job need
    not look for edits by other programs."""

    _: KW_ONLY
    dry_run: bool = False
    out_of_time: Callable[[], bool] = lambda: False
    scanned: bool = False


@dataclass(slots=True)
class Report:
    """The result of a job: counts by word, and a line for each step, by id and never with text of
    an entry. `unfinished` says that the time ran out."""

    counts: dict[str, int] = field(default_factory=dict)
    lines: Sequence[str] = ()
    _: KW_ONLY
    unfinished: bool = False

    def __post_init__(self) -> None:
        self.counts = dict(self.counts)
        self.lines = tuple(self.lines)
