"""What a dream finds, and what finds it.

Glossary
--------
finding     something about one entry or several, with the action that would put it in order.
finder      goes over all notes and finds everything of one sort, in a fixed order: twice over the
            same vault it finds the same. It never compares each with each.
action      a row of `lifecycle.actions.ACTIONS`. What each does to which of a finding's entries:
            merge: the last takes over what the others have, which are retired; contradict: each of
            two says that it contradicts the other; compact: all but the last, oldest first, are
            retired in its favour; link: the first links to the second; insight: a note is made of
            what all of them say; retag: of all but the last, tags get the form that the last has;
            refile, archive: the one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.core.store import Store
from engrain.language.text.lines import quote_links
from engrain.lifecycle.jobs.table import Deferred
from engrain.lifecycle.reviewing.proposals import APPLIED, Proposal

Finder: TypeAlias = "Callable[[Store, ActiveNotes, float], Iterator['Finding']]"
"""`find(store, memos, now)`: `memos` may be gone over several times, and come in the order of
their ids; `now` is the moment at which the dream began, in epoch seconds."""


DUPLICATE, CONTRADICTION, CHAIN, LINK, INSIGHT, TIDY = (
    "duplicate", "contradiction", "chain", "link", "insight", "tidy",
)  # fmt: skip
KINDS = (DUPLICATE, CONTRADICTION, CHAIN, LINK, INSIGHT, TIDY)

LEFT_ALONE = frozenset(
    ("anti-pattern", "checkpoint", "continuity", "daily", "entity", "episode", "features",
     "handoff", "ledger", "pattern", "plan", "progress", "proposal", "roadmap")
)  # fmt: skip
"""Kinds of which one is another by when or by whom it was written, or that are merged by their own
rules."""


@dataclass(slots=True, eq=False)
class Finding:
    """One finding: the ids of its entries, first the entry that would be changed; the action; the
    score from 0 to 1, which says how sure it is; a reason in one line without links; as
    evidence (id of an entry, words quoted from it); and since when it holds, in epoch seconds: what
    is due later than now is no finding yet."""

    kind: str
    entries: tuple[str, ...]
    action: str
    score: float
    reason: str
    evidence: Sequence[tuple[str, str]] = ()
    due: float = 0.0

    def __post_init__(self) -> None:
        self.reason = quote_links(" ".join(self.reason.split()))
        self.evidence = tuple(self.evidence)


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


COUNTED = ("found", "proposed", "known", "covered", "skipped", "capped")
"""What is counted of a stage: findings; those that were proposed; that were before; that another
finding covers; that can't be done; that are more than a dream proposes."""


class Group:
    """Which entries some findings are about, each with which others."""

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self._of: dict[str, set[int]] = {}
        for number, ids in enumerate(groups):
            for id_ in ids:
                self._of.setdefault(id_, set()).add(number)

    def covers(self, ids: Sequence[str]) -> bool:
        """Whether one finding is about all of these entries."""
        found = [self._of.get(id_) for id_ in ids]
        if not found or not all(found):
            return False
        return bool(set.intersection(*(one for one in found if one)))


@dataclass(slots=True, eq=False)
class Dream:
    """What came of a dream: its name (`run`), the counts of each stage that is done, what it did by
    itself by kind (`applied`), why it did nothing of a kind (`held`), what failed and why
    (`errors`), and the lines that the operator reads (`digest`). `findings` are what a dry run
    would propose. An `unfinished` dream ran out of time; the next one goes on with it."""

    run: str
    dry_run: bool = False
    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    applied: dict[str, int] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    proposals: Sequence[Proposal] = ()
    digest: Sequence[str] = ()
    unfinished: bool = False

    def note_proposals(self, proposals: Sequence[Proposal]) -> None:
        """Note what this dream proposed, and count what it applied."""
        self.proposals = tuple(proposals)
        for one in proposals:
            if one.decision == APPLIED:
                self.applied[one.finder] = self.applied.get(one.finder, 0) + 1

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the counts by what is counted, then by the kind of finding."""
        kinds = {kind: counts for kind, counts in self.stages.items() if kind != TIERS}
        found = {
            what: {kind: counts[what] for kind, counts in kinds.items() if counts.get(what)}
            for what in COUNTED
        }
        skipped: dict[str, int] = {}
        for what in ("known", "covered", "skipped"):
            for kind, count in found[what].items():
                skipped[kind] = skipped.get(kind, 0) + count
        return {
            "found": found["found"],
            "proposed": found["proposed"],
            "applied": dict(self.applied),
            "skipped": skipped,
            "capped": found["capped"],
        }

    def lines(self) -> list[str]:
        """A line for each stage, without text of any entry."""
        lines = [
            f"{stage}: "
            + (", ".join(f"{n} {what}" for what, n in counts.items() if n) or "nothing")
            for stage, counts in self.stages.items()
        ]
        lines += [f"{kind}: nothing was done without you: {why}" for kind, why in self.held.items()]
        return [*lines, *(f"{name} failed: {why}" for name, why in self.errors.items())]
