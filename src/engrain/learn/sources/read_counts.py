"""What reading sources came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Problem:
    """A part of a source that could not be read, and why; `file` is "" for the whole source."""

    source: str
    file: str
    message: str


@dataclass(slots=True, eq=False)
class ReadCounts:
    """The number of files and turns that were read, what was `passed` over (see `Stream`), the
    problems, which stop no other file, and whether the time ran out."""

    files: int = 0
    turns: int = 0
    passed: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    unfinished: bool = False
