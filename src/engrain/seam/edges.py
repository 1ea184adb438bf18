"""The edges between entries: where a reference stands, what it means, and for how long it holds."""

from __future__ import annotations

from dataclasses import dataclass

TEXT, FIELD, FACT, CHAIN, SOURCE = "text", "field", "fact", "chain", "source"
ORIGINS = (TEXT, FIELD, FACT, CHAIN, SOURCE)
"""The text, the frontmatter, a fact's edge, `supersedes`, and `derived_from`."""
LINKED = (TEXT, FIELD)
"""The origins that are explicit links."""


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


RESOLVED, AMBIGUOUS, BROKEN = "resolved", "ambiguous", "broken"
STATES = (RESOLVED, AMBIGUOUS, BROKEN)
