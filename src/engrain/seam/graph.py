"""The port to the graph: how entries refer to each other, as the index knows it (S1.11, S1.21,
S2.9).

No edge is guessed: it comes from a text, from frontmatter, from a chain of successors or from the
sources of an entry. Numbers of entries are valid only within the view that they came from.

Glossary
--------
reference   a reference of an entry to something, as it is written there.
end         the entry that a reference means, None if it is broken. If several entries have the name
            equally, it is ambiguous, and the end is the note that Obsidian would open.
edge        a reference with its end. It holds from `valid_from` to `valid_to`, if these are known.
origin      where the reference stands, see ORIGINS.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

TEXT, FIELD, FACT, CHAIN, SOURCE = "text", "field", "fact", "chain", "source"
ORIGINS = (TEXT, FIELD, FACT, CHAIN, SOURCE)
"""The text, the frontmatter, a fact's edge, `supersedes`, and `derived_from`."""
LINKED = (TEXT, FIELD)
"""The origins that are explicit links."""

RESOLVED, AMBIGUOUS, BROKEN = "resolved", "ambiguous", "broken"
STATES = (RESOLVED, AMBIGUOUS, BROKEN)


@dataclass(slots=True)
class Reference:
    """A reference of an entry. `target` is as written, without heading; `label` is the other side
    of a link, which in Dendron's order is the target, "" for none; `relation` is "" for a plain
    link. Times are in epoch seconds, None if unknown."""

    target: str
    relation: str
    origin: str = TEXT
    _: KW_ONLY
    label: str = ""
    heading: str = ""
    valid_from: float | None = None
    valid_to: float | None = None


@dataclass(slots=True)
class Edge:
    """An edge from the entry `source` to the entry `target`, both by number."""

    source: int
    target: int
    relation: str
    origin: str
    valid_from: float | None = None
    valid_to: float | None = None

    def holds(self, at: float) -> bool:
        """Whether it holds at a moment; without bounds it always holds."""
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_to is None or at < self.valid_to)


@dataclass(slots=True)
class Written:
    """A reference in the entry `source`, at position `place` among that entry's, with its `end`
    (None if broken), and the number of other entries (`rivals`) that it might mean."""

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


@dataclass(slots=True)
class SuccessionClaim:
    """The claim that the entry `newer` replaced the entry `older`, made by the entry `by`, one of
    the two. `counts` has the bits of `seam.rows` under which it counts; 0 if the newer one is less
    trusted or not in force, or if the two are part of a circle."""

    older: int
    newer: int
    by: int
    counts: int
