"""What a view of the index answers about passages (S1.21). Numbers of passages, entries and threads
are valid only within the view that they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Place: TypeAlias = "tuple[int, int, int | None, int, int, int, int, *tuple[int | str, ...]]"
"""A passage, its entry, its thread (None without one, negative for the passages of one note), its
position in the thread from 0 (shared by all passages of a fragment), whether (1, 0) it ends in a
question, its characters, and those of its entry; more values may follow."""
Met: TypeAlias = "tuple[int, int, int | None, int, int, int, int, int, *tuple[int, ...]]"
"""A place, and a bit for each word of a query that the passage has."""
Keyed: TypeAlias = "tuple[int, int, int | None, int, int, int, int, int, str]"
"""A place, and the key and the speaker of its passage, as in `Found`."""
Occurrence: TypeAlias = "tuple[bool, list[int]]"
"""Whether a word is in the title, heading, slug or tags of a passage, and its positions in the
text, in words from 0."""


@dataclass(slots=True, eq=False)
class Matches:
    """The passages with the words of a query.

    `met` has the passages that were examined, with bits by position in `words`. `frequencies[i]` is
    the number of passages with `words[i]` (estimated if not all were examined), of about `passages`
    in all; `surprises[i]` is how rare the word is in general English, from .05 to 2.06.
    """

    words: Sequence[str]
    met: Sequence[Met]
    frequencies: Sequence[int]
    surprises: Sequence[float]
    passages: int

    @property
    def postings(self) -> list[list[Place]]:
        """The passages of each word."""
        return [[met[:7] for met in self.met if met[7] >> i & 1] for i in range(len(self.words))]


@dataclass(slots=True, eq=False)
class Found:
    """One passage: characters `start` to `end` of its entry's text, under `heading`.

    `key` is the hash of its embedded text, `before` and `behind` those of its neighbours in the
    thread, and `previous` and `next` their numbers, None for none; `speaker` is casefolded, "" for
    nobody; `characters` counts those of its entry.
    """

    passage: int
    entry: int
    thread: int | None
    place: int
    asks: bool
    key: int
    speaker: str
    start: int
    end: int
    heading: str
    characters: int
    previous: int | None = None
    before: int | None = None
    next: int | None = None
    behind: int | None = None
