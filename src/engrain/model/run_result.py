"""The result of a run of anything: a job, a scan, a rebuild of the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field


@dataclass(slots=True)
class RunResult:
    """The result of a run: counts by name, and a line for each step, by id and never with text of
    an entry. `problems` has what was left out, each as its place and the reason. `unfinished` says
    that the time ran out."""

    counts: dict[str, int] = field(default_factory=dict)
    lines: Sequence[str] = ()
    _: KW_ONLY
    problems: list[tuple[str, str]] = field(default_factory=list)
    unfinished: bool = False

    def __post_init__(self) -> None:
        self.counts = dict(self.counts)
        self.lines = tuple(self.lines)
