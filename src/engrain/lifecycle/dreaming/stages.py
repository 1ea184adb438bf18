"""The stages of a dream, in order: what each looks for, and where its finder is (S1.17)."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.lifecycle.dreaming.finding import (
    CHAIN,
    CONTRADICTION,
    DUPLICATE,
    INSIGHT,
    LINK,
    TIDY,
    Finder,
)
from engrain.lifecycle.jobs.table import Deferred

TIERS = "tiers"
"""What was lived through becomes what is known, and what is known becomes skills."""
TIER_JOBS = ("consolidate", "patterns", "skills")
"""The jobs by which it does, in order: each sees what those before it made."""


@dataclass(slots=True, frozen=True)
class Stage:
    """One stage of a dream: the kind of finding, its meaning in words, and the place of its finder,
    as `module:name`. Findings about entries that a stage of `behind` covers already are skipped."""

    kind: str
    meaning: str
    place: str
    behind: tuple[str, ...] = ()

    def load(self) -> Finder:
        """Import the stage's finder."""
        return Deferred[Finder](self.place).load()


_HERE = "engrain.lifecycle.dreaming"

STAGES = (
    Stage(DUPLICATE, "notes that say the same", f"{_HERE}.duplicates:find_duplicates"),
    Stage(CHAIN, "older versions that still stand", f"{_HERE}.chains:find_chains", (DUPLICATE,)),
    Stage(CONTRADICTION, "notes that can't both hold",
        f"{_HERE}.contradictions:find_contradictions", (DUPLICATE, CHAIN)),
    Stage(LINK, "links that could be made", f"{_HERE}.missing_links:find_missing_links",
        (DUPLICATE, CHAIN)),
    Stage(TIDY, "what is out of order", f"{_HERE}.tidying:find_untidy"),
    Stage(INSIGHT, "what many notes say together", f"{_HERE}.insights:find_insights", (DUPLICATE,)),
)  # fmt: skip
NAMES = (TIERS, *(stage.kind for stage in STAGES))
