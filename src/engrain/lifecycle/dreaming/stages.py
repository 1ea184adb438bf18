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
from engrain.lifecycle.jobs.homes import load

TIERS = "tiers"
"""What was lived through becomes what is known, and what is known becomes skills."""
TIER_JOBS = ("consolidate", "patterns", "skills")
"""The jobs by which it does, in order: each sees what those before it made."""


@dataclass(slots=True, eq=False)
class Stage:
    """One stage: the kind of what it finds, what that is in words, and its finder, as
    `module:name`. What is about entries that a finding of one of `behind` is about already is
    passed over."""

    kind: str
    meaning: str
    home: str
    behind: tuple[str, ...] = ()

    def load(self) -> Finder:
        """Its finder, whose module is imported at the first use."""
        finder: Finder = load(self.home)
        return finder


_HERE = "engrain.lifecycle.dreaming"

STAGES = (
    Stage(DUPLICATE, "notes that say the same", f"{_HERE}.duplicates:find_duplicates"),
    Stage(CHAIN, "older versions that still stand", f"{_HERE}.chains:find_chains", (DUPLICATE,)),
    Stage(
        CONTRADICTION,
        "notes that can't both hold",
        f"{_HERE}.contradictions:find_contradictions",
        (DUPLICATE, CHAIN),
    ),
    Stage(
        LINK,
        "links that could be made",
        f"{_HERE}.missing_links:find_missing_links",
        (DUPLICATE, CHAIN),
    ),
    Stage(TIDY, "what is out of order", f"{_HERE}.tidying:find_untidy"),
    Stage(INSIGHT, "what many notes say together", f"{_HERE}.insights:find_insights", (DUPLICATE,)),
)
NAMES = (TIERS, *(stage.kind for stage in STAGES))
