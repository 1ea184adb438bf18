"""A job: a function that looks after one vault unasked, in little steps, and says what it did
(S1.23).

Each is idempotent: run again over what it has done it does nothing; killed half-way, the next run
does the rest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Run:
    """How a job runs: with `dry_run` it only reports what it would do; between two steps it asks
    `out_of_time`, and stops if so."""

    __slots__ = ("dry_run", "out_of_time")

    def __init__(
        self, *, dry_run: bool = False, out_of_time: Callable[[], bool] = lambda: False
    ) -> None:
        self.dry_run = dry_run
        self.out_of_time = out_of_time


class Report:
    """What a job did: counts by what was done, and a line for each thing, by id and never with text
    of an entry. `unfinished` says that the time ran out."""

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
