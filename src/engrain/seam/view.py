"""The questions of recall to a search index, within one view of it (S1.21).

Numbers of passages, entries and threads are valid only within the view that they came from.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from engrain.seam.graph import GraphView

if TYPE_CHECKING:
    from engrain.seam.rows import Filter, Row


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


@dataclass(slots=True)
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


class IndexView(GraphView):
    """One state of the index, without conflict copies. Methods raise IndexUnavailableError."""

    @abstractmethod
    def match(self, text: str, only: Filter, most: int, few: int = 0) -> Matches:
        """Return where the words of a person's `text` occur, in the `most` passages with the rarest
        words together, or in all if the words occur at most `few` times; no character is an
        operator. Long passages of the same words count as one, and only few of them are returned.
        For a very frequent word only passages of a rarer word are examined; without a rarer word,
        the newest ones and those with another word as well."""

    @abstractmethod
    def occurrences(
        self, words: Sequence[str], passages: Sequence[int]
    ) -> dict[int, tuple[int, dict[int, Occurrence]]]:
        """Return for those of the passages that have one of `words` (which are in `Matches.words`)
        the number of words in their text, and the occurrences of `words` by position in that list.
        Each word costs time linear in its passages."""

    @abstractmethod
    def at_places(self, places: Sequence[tuple[int, int]], only: Filter) -> list[Place]:
        """Return the passages at (thread, place) pairs."""

    @abstractmethod
    def with_keys(self, keys: Sequence[int], only: Filter) -> list[Keyed]:
        """Return the passages whose own key is one of `keys`, with key and speaker."""

    @abstractmethod
    def newest(self, only: Filter, limit: int) -> list[Place]:
        """Return the first passages of the entries created last."""

    @abstractmethod
    def firsts(self, entries: Sequence[int], only: Filter) -> list[Place]:
        """Return the first passages of those entries that pass the filter."""

    @abstractmethod
    def named(self, names: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """Return the first passages of entries whose title, slug, id or alias is one of `names`,
        except names that more than `limit` entries share."""

    @abstractmethod
    def tagged(self, tags: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """Return the first passages of entries with one of `tags`, the most shared tags first."""

    @abstractmethod
    def speakers(self, names: Sequence[str]) -> list[str]:
        """Return those of the casefolded names that are names of speakers."""

    @abstractmethod
    def spoken(self, passages: Sequence[int], speakers: Sequence[str]) -> list[int]:
        """Return those of the passages that one of the casefolded `speakers` said."""

    @abstractmethod
    def details(self, passages: Sequence[int], *, alone: bool = False) -> dict[int, Found]:
        """Return passages by number; with `alone`, without their neighbours."""

    @abstractmethod
    def figure(self, key: str) -> float | None:
        """Return a figure that `SearchIndex.put_figures` stored, None for none."""

    @abstractmethod
    def newest_passages(self, before: int | None, limit: int) -> list[int]:
        """Return the numbers of the passages indexed last (before the passage `before`, if
        given)."""

    @abstractmethod
    def locators(self, passages: Sequence[int]) -> dict[int, str]:
        """Return the file of each passage."""

    @abstractmethod
    def rows(self, entries: Sequence[int]) -> dict[int, Row]:
        """Return entries by number."""
