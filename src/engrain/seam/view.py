"""What recall asks of a search index, within one view of it (S1.21).

Numbers of passages, entries and threads mean something only within the view they came from.
"""

from __future__ import annotations

from abc import abstractmethod

from engrain.model.struct import Struct
from engrain.seam.graph import GraphView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from engrain.seam.rows import Filter, Row

Place: TypeAlias = "tuple[int, int, int | None, int, int, int, int, *tuple[int, ...]]"
"""A passage, its entry, its thread (None where it stands alone, negative among the passages of
one note), its place in the thread counted from 0 (all passages of a fragment share one),
whether (1, 0) it ends in a question, its characters, and those of its entry; more may follow."""
Met: TypeAlias = "tuple[int, int, int | None, int, int, int, int, int, *tuple[int, ...]]"
"""A place, and with a bit for each the words of a query that the passage has."""
Occurrence: TypeAlias = "tuple[bool, list[int]]"
"""Whether a word stands in the title, heading, slug or tags of a passage, and where in its
text, in words counted from 0."""


class Matches(Struct):
    """Where the words of a query occur.

    `met` has the passages that were looked at, the bits of their words as the numbers in `words`.
    `frequencies[i]` says how many have word `words[i]` (an estimate for a word whose passages were
    not all looked at), of about `passages` in all, and `surprises[i]` how surprising the word is in
    general English: from .05 to 2.06.
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


class Found(Struct):
    """One passage: characters `start` to `end` of its entry's text, under `heading`.

    `key` is the hash of what is embedded of it, `before` and `behind` those of its neighbours in
    the thread and `previous` and `next` their numbers, None where there is none; `speaker` is
    casefolded, "" for nobody; `characters` are those of its entry.
    """

    passage: int
    entry: int
    thread: int | None
    place: int
    asks: int
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
    """One state of the index. Conflict copies are left out everywhere; methods raise
    IndexUnavailableError."""

    @abstractmethod
    def match(self, text: str, only: Filter, most: int, few: int = 0) -> Matches:
        """Where each word of a person's `text` occurs, in the `most` passages whose words are the
        rarest together, or in all where the words occur `few` times at most; no character in it is
        an operator. Passages of the same words, if they are not short, count as one, and few of
        them come. Of a word that is everywhere, only those passages are looked at that a rarer
        word brings, or, where there is none, the newest and those with another word too."""

    @abstractmethod
    def occurrences(
        self, words: Sequence[str], passages: Sequence[int]
    ) -> dict[int, tuple[int, dict[int, Occurrence]]]:
        """Of those of some passages that have one of `words`, which are of `Matches.words`: the
        words of its text, and where those of `words` stand that it has, by their numbers in order.
        Each costs as much as it has passages.
        """

    @abstractmethod
    def at_places(self, places: Sequence[tuple[int, int]], only: Filter) -> list[Place]:
        """The passages that stand at (thread, place) pairs."""

    @abstractmethod
    def with_keys(self, keys: Sequence[int], only: Filter) -> list[Place]:
        """The passages whose own key is one of `keys`."""

    @abstractmethod
    def newest(self, only: Filter, limit: int) -> list[Place]:
        """The first passages of the entries created last."""

    @abstractmethod
    def firsts(self, entries: Sequence[int], only: Filter) -> list[Place]:
        """The first passages of those of some entries that pass the filter."""

    @abstractmethod
    def named(self, names: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """The first passages of entries whose title, slug, id or alias is one of `names`, but for
        names that more than `limit` entries share."""

    @abstractmethod
    def tagged(self, tags: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """The first passages of entries with one of `tags`, those that share most first."""

    @abstractmethod
    def speakers(self, names: Sequence[str]) -> list[str]:
        """Those of some casefolded names by which a speaker goes."""

    @abstractmethod
    def spoken(self, passages: Sequence[int], speakers: Sequence[str]) -> list[int]:
        """Those of some passages that one of some `speakers` said, casefolded."""

    @abstractmethod
    def details(self, passages: Sequence[int], *, alone: bool = False) -> dict[int, Found]:
        """Passages by number; `alone` without what stands before and behind them."""

    @abstractmethod
    def figure(self, key: str) -> float | None:
        """One of the figures kept with the index, see `SearchIndex.put_figures`; None for none."""

    @abstractmethod
    def newest_passages(self, before: int | None, limit: int) -> list[int]:
        """The numbers of the passages indexed last, of those indexed before one if it is given."""

    @abstractmethod
    def locators(self, passages: Sequence[int]) -> dict[int, str]:
        """In which file each of some passages is."""

    @abstractmethod
    def rows(self, entries: Sequence[int]) -> dict[int, Row]:
        """Entries by number."""
