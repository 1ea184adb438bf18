"""What every command asks of an index and of a store: its state, and a look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engrain.seam.locator import Locator


@dataclass(slots=True)
class Seen:
    """A file found by a scan. `problem` says why it can't be read, None if it can."""

    locator: Locator
    stamp: str
    problem: str | None = None


@dataclass(slots=True)
class StoreRound:
    """The progress of a round over the store: the last group and the last file that were compared,
    "" at its start, and when it began, in seconds since the epoch."""

    group: str = ""
    file: str = ""
    since: float = 0.0


@dataclass(slots=True)
class Most:
    """The bounds of one look: all groups if there are at most `whole`, else `part` of them, and
    likewise files; at most `watched` watched files, and at most `young` files to read again."""

    whole: int
    part: int
    watched: int
    young: int


@dataclass(slots=True)
class Due:
    """What a look compares: the marks and sizes of groups, the stamps of files, and those of files
    that are watched because a change of them takes effect at once. `is_whole` says that these are
    all files. `young` files may have changed since, within the precision of their stamps."""

    is_whole: bool
    groups: Mapping[str, tuple[str, int]]
    files: Mapping[str, str]
    watched: Mapping[str, str]
    young: Sequence[Locator]


@dataclass(slots=True)
class IndexStatus:
    """The sizes of an index and its last full scan; nothing for one that can't answer."""

    entries: int = 0
    problems: int = 0
    scanned_at: float | None = None
