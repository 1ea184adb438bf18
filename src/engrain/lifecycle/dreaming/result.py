"""What came of a dream (S1.17)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engrain.lifecycle.dreaming.finding import Finding
from engrain.lifecycle.dreaming.stages import TIERS
from engrain.lifecycle.reviewing.proposals import APPLIED, Proposal

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
        """Whether one finding is about all of these."""
        found = [self._of.get(id_) for id_ in ids]
        if not found or not all(found):
            return False
        return bool(set.intersection(*(one for one in found if one)))


class Dream:
    """What came of a dream. `run` is its name; `stages` has what was counted of each that is done,
    `applied` what it did by itself, by kind, `held` why it did nothing of a kind, `errors` what
    failed and why; `digest` are the lines that tell the operator. `findings` are what a dry run
    would propose. `unfinished`: its time ran out, and the next one goes on with it."""

    __slots__ = (
        "applied", "digest", "dry_run", "errors", "findings", "held", "proposals", "run", "stages",
        "unfinished",
    )  # fmt: skip

    def __init__(self, run: str, *, dry_run: bool = False) -> None:
        self.run = run
        self.dry_run = dry_run
        self.stages: dict[str, dict[str, int]] = {}
        self.applied: dict[str, int] = {}
        self.held: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.findings: list[Finding] = []
        self.proposals: tuple[Proposal, ...] = ()
        self.digest: tuple[str, ...] = ()
        self.unfinished = False

    def note_proposals(self, proposals: Sequence[Proposal]) -> None:
        """What this dream proposed, and what of that it did."""
        self.proposals = tuple(proposals)
        for one in proposals:
            if one.decision == APPLIED:
                self.applied[one.finder] = self.applied.get(one.finder, 0) + 1

    def counts(self) -> dict[str, dict[str, int]]:
        """By what is counted, how much of which kind."""
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
