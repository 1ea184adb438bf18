"""The dream: a pass over the whole vault, stage by stage, whose findings wait for the operator's
decision (S1.17).

After a dream that was killed, or whose time ran out, the next one begins with the stage that was
not finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest

from engrain.engine.core.active_notes import ActiveNotes, StoppedError
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.upkeep import Uncollected
from engrain.lifecycle.dreaming.digest import compose_digest, write_digest
from engrain.lifecycle.dreaming.finding import (
    COUNTED,
    STAGES,
    Dream,
    DreamFinding,
    DreamPlan,
    FindingGroup,
    Stage,
    note_stage,
    plan_dream,
)
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.policy import dream_days, dream_limit
from engrain.lifecycle.reviewing.actions import join_ids
from engrain.lifecycle.reviewing.proposals import Origin, Proposal
from engrain.lifecycle.reviewing.staging import (
    ProposalRequest,
    find_settling,
    list_proposals,
    propose_all,
)
from engrain.model.errors import EngrainError
from engrain.model.run_result import RunResult

_TOGETHER = 128
"""Findings that are proposed with one flush."""


def run(store: Store, run: Run) -> RunResult:
    """Run the job. Raises ConfigError for a wrong interval too."""
    dream_days(store.settings)
    return dream(store, dry_run=run.dry_run, out_of_time=run.out_of_time)


def dream(
    store: Store,
    *,
    only: Sequence[str] = (),
    limit: int | None = None,
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> Dream:
    """Find duplicates, replaced versions, contradictions and missing links, and propose what would
    mend them (S1.17).

    After an unfinished dream, one of all stages begins where that stopped. `only` names stages;
    `limit` is the most findings of each that are proposed, by default as set. `tell` is called with
    each stage as it begins. With `dry_run` nothing is written.

    Raises ConfigError, IndexUnavailableError, LockedError.
    """
    run = Run(dry_run=dry_run, out_of_time=out_of_time)
    store.require_index(scan=True)
    store = store.acting_as(Actor(JOBS))
    most = dream_limit(store.settings) if limit is None else limit
    plan = plan_dream(store, only, most, kept=not dry_run)
    with Uncollected():
        return _Dreaming(store, run, plan, tell).go()


class _Dreaming:
    """One pass, as far as it has come."""

    def __init__(
        self, store: Store, run: Run, plan: DreamPlan, tell: Callable[[str], None]
    ) -> None:
        self._store = store
        self._run = run
        self._plan = plan
        self._tell = tell
        self._notes = ActiveNotes(store)
        self._result = Dream(run=plan.run, dry_run=run.dry_run)

    def go(self) -> Dream:
        store, plan, result = self._store, self._plan, self._result
        done: dict[str, dict[str, int]] = {}
        for stage in STAGES:
            if stage.kind not in plan.stages:
                continue
            counts = None
            note_stage(store, plan, stage.kind)
            if not self._run.out_of_time():
                self._tell(stage.kind)
                counts = self._find(stage)
            if counts is None:
                result.unfinished = True
                break
            done[stage.kind] = counts
        result.note_stages(done)
        if not self._run.dry_run:
            result.proposals = tuple(list_proposals(store, decided=None, run=plan.run))
        result.digest = compose_digest(store, plan, result)
        if result.proposals:
            write_digest(store, plan, result.digest)
        if not result.unfinished:
            note_stage(store, plan, "")
        return result

    def _find(self, stage: Stage) -> dict[str, int] | None:
        """Run a stage and propose its surest findings; None where the time ran out. A stage that
        ran out of time before is finished whatever the time, or it would never be."""
        counts = dict.fromkeys(COUNTED, 0)
        late = self._give_way if self._plan.tried == stage.kind else self._run.out_of_time
        self._notes.stopped = late
        try:
            chosen = self._choose(stage, counts)
        except StoppedError:
            return None
        except EngrainError as error:
            self._result.problems.append((stage.kind, error.message))
            return counts | {"failed": 1}
        for at in range(0, len(chosen), _TOGETHER):
            if late():
                return None
            for what in self._propose(chosen[at : at + _TOGETHER]):
                counts[what] += 1
        return counts

    def _give_way(self) -> bool:
        """Let the runner give way to others, and go on whatever the time."""
        self._run.out_of_time()
        return False

    def _choose(self, stage: Stage, counts: dict[str, int]) -> list[DreamFinding]:
        """Return the surest findings that are new, or of this very dream, the surest first. Raises
        StoppedError when the time runs out."""
        proposals = list_proposals(self._store, decided=None)
        covering = self._list_covering(stage, proposals)
        others = (one for one in proposals if one.run != self._plan.run)
        known = {(one.action, one.target) for one in others}
        new: list[tuple[float, int, DreamFinding]] = []
        for number, finding in enumerate(stage.load()(self._store, self._notes, self._plan.at)):
            counts["found"] += 1
            asked = finding.action, join_ids(finding.entries)
            if covering.covers(finding.entries):
                counts["covered"] += 1
            elif asked in known and self._is_settled(*asked):
                counts["known"] += 1
            else:
                new.append((finding.score, -number, finding))
        limit = self._plan.limit
        counts["capped"] = max(0, len(new) - limit)
        return [finding for _, _, finding in nlargest(limit, new)]

    def _list_covering(self, stage: Stage, proposals: Sequence[Proposal]) -> FindingGroup:
        if self._run.dry_run:
            found = self._result.findings
            return FindingGroup(one.entries for one in found if one.kind in stage.behind)
        return FindingGroup(one.ids for one in proposals if one.open and one.finder in stage.behind)

    def _is_settled(self, action: str, target: str) -> bool:
        """Whether another dream proposed it before, so that it is not proposed again."""
        try:
            old = find_settling(self._store, action, target)
        except EngrainError:
            return False
        return old is not None and old.run != self._plan.run

    def _propose(self, findings: Sequence[DreamFinding]) -> Iterator[str]:
        """Propose some findings; yield of each how it is counted: as "known" if it is not among
        this dream's proposals, as "skipped" if what it is about went, or changed, this moment."""
        if self._run.dry_run:
            yield from (self._count(one, None) for one in findings)
            return
        asked = [
            ProposalRequest(
                one.action,
                join_ids(one.entries),
                one.reason,
                Origin(self._plan.run, one.kind, one.score, one.evidence),
            )
            for one in findings
        ]
        yield from map(self._count, findings, propose_all(self._store, asked))

    def _count(self, finding: DreamFinding, outcome: Outcome | EngrainError | None) -> str:
        """Return how a finding is counted, given what came of its proposal; None if it was not
        needed, or not made since this is a dry run."""
        if outcome is not None:
            return "skipped" if isinstance(outcome, EngrainError) else "proposed"
        try:
            old = find_settling(self._store, finding.action, join_ids(finding.entries))
        except EngrainError:
            return "skipped"
        if not self._run.dry_run:
            return "proposed" if old is not None and old.run == self._plan.run else "known"
        if old is not None:
            return "known"
        self._result.findings.append(finding)
        return "proposed"
