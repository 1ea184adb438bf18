"""The questions of recall and of the graph to a search index, within one view of it (S1.21).

Numbers of passages, entries and threads are valid only within the view that they came from.

No edge is guessed: it comes from a text, from frontmatter, from a chain of successors or from the
sources of an entry.

Glossary
--------
reference   a reference of an entry to something, as it is written there.
end         the entry that a reference means, None if it is broken. If several entries have the name
            equally, it is ambiguous, and the end is the note that Obsidian would open.
edge        a reference with its end. It holds from `valid_from` to `valid_to`, if these are known.
origin      where the reference stands, see `rows.ORIGINS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from engrain.seam.references import Reference, SuccessionClaim, Written
    from engrain.seam.rows import Edge, Filter, Row


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


class IndexView(Protocol):
    """One state of the index, without conflict copies. Methods raise IndexUnavailableError."""

    def match(self, text: str, only: Filter, most: int, few: int = 0) -> Matches:
        """Return where the words of a person's `text` occur, in the `most` passages with the rarest
        words together, or in all if the words occur at most `few` times; no character is an
        operator. Long passages of the same words count as one, and only few of them are returned.
        For a very frequent word only passages of a rarer word are examined; without a rarer word,
        the newest ones and those with another word as well."""

    def occurrences(
        self, words: Sequence[str], passages: Sequence[int]
    ) -> dict[int, tuple[int, dict[int, Occurrence]]]:
        """Return for those of the passages that have one of `words` (which are in `Matches.words`)
        the number of words in their text, and the occurrences of `words` by position in that list.
        Each word costs time linear in its passages."""

    def at_places(self, places: Sequence[tuple[int, int]], only: Filter) -> list[Place]:
        """Return the passages at (thread, place) pairs."""

    def with_keys(self, keys: Sequence[int], only: Filter) -> list[Keyed]:
        """Return the passages whose own key is one of `keys`, with key and speaker."""

    def newest(self, only: Filter, limit: int) -> list[Place]:
        """Return the first passages of the entries created last."""

    def firsts(self, entries: Sequence[int], only: Filter) -> list[Place]:
        """Return the first passages of those entries that pass the filter."""

    def named(self, names: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """Return the first passages of entries whose title, slug, id or alias is one of `names`,
        except names that more than `limit` entries share."""

    def tagged(self, tags: Sequence[str], only: Filter, limit: int) -> list[Place]:
        """Return the first passages of entries with one of `tags`, the most shared tags first."""

    def speakers(self, names: Sequence[str]) -> list[str]:
        """Return those of the casefolded names that are names of speakers."""

    def spoken(self, passages: Sequence[int], speakers: Sequence[str]) -> list[int]:
        """Return those of the passages that one of the casefolded `speakers` said."""

    def details(self, passages: Sequence[int], *, alone: bool = False) -> dict[int, Found]:
        """Return passages by number; with `alone`, without their neighbours."""

    def figure(self, key: str) -> float | None:
        """Return a figure that `SearchIndex.put_figures` stored, None for none."""

    def newest_passages(self, before: int | None, limit: int) -> list[int]:
        """Return the numbers of the passages indexed last (before the passage `before`, if
        given)."""

    def locators(self, passages: Sequence[int]) -> dict[int, str]:
        """Return the file of each passage."""

    def rows(self, entries: Sequence[int]) -> dict[int, Row]:
        """Return entries by number."""

    def number(self, locator: str) -> int | None:
        """Return the number of the entry at a place, None for none."""

    def edges_from(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        """Return the edges that leave some entries, in written order, at most `most` of each entry
        (0 for all), without those to the entry itself."""

    def edges_to(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        """Return the edges that lead to some entries, in the order of the entries they leave, at
        most `most` to each entry (0 for all), without those from the entry itself."""

    def edges(self) -> Iterator[Edge]:
        """Yield every edge, in the order of the entries they leave."""

    def links(self, state: str | None = None) -> Iterator[Written]:
        """Yield every reference in a text or in frontmatter, of one state if that is given, without
        those of facts, chains and sources."""

    def links_of(self, entry: int) -> list[Written]:
        """Return every reference of one entry, of any origin, in order."""

    def claims(self, entries: Sequence[int] | None = None) -> list[SuccessionClaim]:
        """Return all claims that one entry replaced another, in any form; or the claims on the way
        from some entries to those that replaced them, to those that replaced these, and so on."""

    def waiting_claims(self, names: Sequence[str]) -> list[tuple[int, str, str]]:
        """Return claims about names that no entry has, as (entry, relation, name): the entry says
        that it replaced, or was replaced by, one of `names`, which are folded."""

    def meant(self, name: str) -> list[int]:
        """Return every entry that a link to `name` may mean, the likeliest first."""

    def lead(self, reference: Reference, folder: str) -> tuple[int | None, int]:
        """Return the end of a reference that would stand in `folder`, and the number of rivals."""

    def names(self, entries: Sequence[int] | None = None) -> Iterator[tuple[str, int]]:
        """Yield every name of a live, active entry in links, in order, as (name folded by
        `name_key`, entry); with `entries`, only of these."""
