"""The port of the graph: what the index knows of how entries point at each other (S1.11, S1.21,
S2.9).

Nothing in it is guessed: an edge stands in somebody's text or frontmatter, or follows from a chain
or from where an entry was derived from. Numbers of entries mean something only within the view that
they came from.

Glossary
--------
reference   one thing that an entry points at, as it is written there.
end         the entry that a reference means. None: it is broken. Where others go by the same name
            with as much right it is ambiguous, and the end is the note that Obsidian would open.
edge        a reference with its end. It holds from `valid_from` to `valid_to`, where that is known.
origin      where the reference stands: see ORIGINS.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.seam.rows import Row

TEXT, FIELD, FACT, CHAIN, SOURCE = "text", "field", "fact", "chain", "source"
ORIGINS = (TEXT, FIELD, FACT, CHAIN, SOURCE)
"""In the text; in the frontmatter; a fact's edge; `supersedes`; `derived_from`."""
LINKED = (TEXT, FIELD)
"""Where somebody wrote a link as such."""

RESOLVED, AMBIGUOUS, BROKEN = "resolved", "ambiguous", "broken"
STATES = (RESOLVED, AMBIGUOUS, BROKEN)


class Reference:
    """One thing an entry points at. `target` is as it is written, without heading; `label` is what
    a link's other side says, which in Dendron's order is the target, "" for none; `relation` is
    "" for a plain link. Times in epoch seconds, None where nobody said."""

    __slots__ = ("heading", "label", "origin", "relation", "target", "valid_from", "valid_to")

    def __init__(
        self,
        target: str,
        relation: str,
        origin: str = TEXT,
        *,
        label: str = "",
        heading: str = "",
        valid_from: float | None = None,
        valid_to: float | None = None,
    ) -> None:
        self.target = target
        self.relation = relation
        self.origin = origin
        self.label = label
        self.heading = heading
        self.valid_from = valid_from
        self.valid_to = valid_to


class Edge:
    """From the entry `source` to the entry `target`, by number, the way it is written."""

    __slots__ = ("origin", "relation", "source", "target", "valid_from", "valid_to")

    def __init__(
        self,
        source: int,
        target: int,
        relation: str,
        origin: str,
        valid_from: float | None = None,
        valid_to: float | None = None,
    ) -> None:
        self.source = source
        self.target = target
        self.relation = relation
        self.origin = origin
        self.valid_from = valid_from
        self.valid_to = valid_to

    def holds(self, at: float) -> bool:
        """Whether it holds at a moment; what nobody bounded holds always."""
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_to is None or at < self.valid_to)


class Written(Struct):
    """A reference where it stands: in the entry `source`, at its `place` among that entry's, with
    its `state`, its `end` (None where broken), and how many `rivals` might be meant as well."""

    source: int
    place: int
    reference: Reference
    end: int | None
    rivals: int

    @property
    def state(self) -> str:
        """One of STATES."""
        if self.end is None:
            return BROKEN
        return AMBIGUOUS if self.rivals else RESOLVED


class Claim(Struct):
    """That the entry `newer` replaced the entry `older`, as the entry `by` says, which is one of
    the two. `counts` has the bits of `seam.rows` of those for whom it is so; 0 where the newer one
    is not trusted as much, is not in force, or the two are part of a circle."""

    older: int
    newer: int
    by: int
    counts: int


class GraphView(ABC):
    """One state of the graph. Conflict copies are no part of it. Methods raise
    IndexUnavailableError."""

    @abstractmethod
    def number(self, locator: str) -> int | None:
        """The number of the entry at a place, None where there is none."""

    @abstractmethod
    def rows(self, entries: Sequence[int]) -> dict[int, Row]:
        """Entries by number."""

    @abstractmethod
    def edges_from(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        """The edges that leave some entries, in the order in which they are written; of each entry
        `most` at most, 0 for all. Those to the entry itself are left out."""

    @abstractmethod
    def edges_to(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        """The edges that lead to some entries, in the order of the entries they leave; of each
        entry `most` at most, 0 for all. Those from the entry itself are left out."""

    @abstractmethod
    def edges(self) -> Iterator[Edge]:
        """Every edge, in the order of the entries they leave."""

    @abstractmethod
    def links(self, state: str | None = None) -> Iterator[Written]:
        """Every reference that stands in a text or in frontmatter, of one state if that is named;
        facts, chains and sources are left out."""

    @abstractmethod
    def links_of(self, entry: int) -> list[Written]:
        """Every reference of one entry, of whatever origin, in order."""

    @abstractmethod
    def count_links(self) -> dict[str, int]:
        """How many of `links` are in each of STATES."""

    @abstractmethod
    def orphans(self) -> list[int]:
        """Live, active entries without an edge to or from another entry, in the order of their
        places."""

    @abstractmethod
    def claims(self, entries: Sequence[int] | None = None) -> list[Claim]:
        """All claims that one entry replaced another, in whatever form, or those that lead
        from some entries to those that replaced them, to those that replaced these, and so on."""

    @abstractmethod
    def waiting_claims(self, names: Sequence[str]) -> list[tuple[int, str, str]]:
        """Claims about names that no entry has, as (entry, relation, name): the entry says that it
        replaced, or was replaced by, one of some names, folded as in `names`."""

    @abstractmethod
    def meant(self, name: str) -> list[int]:
        """Every entry that a link to `name` may mean, the likeliest first."""

    @abstractmethod
    def lead(self, reference: Reference, folder: str) -> tuple[int | None, int]:
        """The end that a reference would have which stood in a folder, and how many rivals."""

    @abstractmethod
    def names(self) -> Iterator[tuple[str, int]]:
        """Every name by which links may mean a live, active entry, in order: (name folded as
        `name_key` does, entry)."""

    @property
    @abstractmethod
    def label_first(self) -> bool:
        """Whether links of this vault are written `[[label|target]]`, as Dendron does: the
        side that is a note's name more often is the target."""
