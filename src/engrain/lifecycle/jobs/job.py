"""A job: a function that maintains one vault by itself, in small steps, and reports them (S1.23).

Each is idempotent: a second run changes nothing; after a kill the next run does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence


class Run:
    """How a job runs: with `dry_run` it only reports what it would do; between two steps it calls
    `out_of_time`, and stops if that is true. If the store was `scanned` for this run, the job need
    not look for edits by other programs."""

    __slots__ = ("dry_run", "out_of_time", "scanned")

    def __init__(
        self,
        *,
        dry_run: bool = False,
        out_of_time: Callable[[], bool] = lambda: False,
        scanned: bool = False,
    ) -> None:
        self.dry_run = dry_run
        self.out_of_time = out_of_time
        self.scanned = scanned


class Report:
    """The result of a job: counts by word, and a line for each step, by id and never with text of
    an entry. `unfinished` says that the time ran out."""

    __slots__ = ("counts", "lines", "unfinished")

    def __init__(
        self,
        counts: Mapping[str, int] | None = None,
        lines: Sequence[str] = (),
        *,
        unfinished: bool = False,
    ) -> None:
        self.counts = dict(counts or {})
        self.lines = tuple(lines)
        self.unfinished = unfinished
