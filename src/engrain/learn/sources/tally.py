"""What reading sources came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Problem:
    """What of a source could not be read, and why; `file` is "" for all of it."""

    source: str
    file: str
    message: str


class Tally:
    """How many `files` and `turns` were read, what was `passed` over (see `Stream`), `problems`,
    which stop no other file, and whether the time ran out."""

    __slots__ = ("files", "passed", "problems", "turns", "unfinished")

    def __init__(self) -> None:
        self.files = 0
        self.turns = 0
        self.passed: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self.unfinished = False
