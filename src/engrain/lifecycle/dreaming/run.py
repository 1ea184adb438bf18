"""The dream: a pass over the whole vault, stage by stage, whose findings wait for the operator's
decision (S1.17).

Glossary
--------
finding     a fault of one entry or several, with the action that would mend it.
finder      reads all notes and yields every fault of one sort, in a fixed order: two runs over the
            same vault find the same. It never compares all pairs.
action      a row of `reviewing.table.ACTIONS`. What each does to the entries of a finding:
            merge: the last takes over the content of the others, which are retired; contradict:
            each of two says that it contradicts the other; link: the first links to the second.

After a dream that was killed, or whose time ran out, the next one begins with the stage that was
not finished. What was proposed already is not proposed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TypeAlias

from engrain.engine.core.active_notes import ActiveNotes, StoppedError
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.upkeep import Uncollected
from engrain.language.text.fences import quote_links
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.table import Deferred, Run
from engrain.lifecycle.policy import check_interval
from engrain.lifecycle.reviewing.actions import join_ids
from engrain.lifecycle.reviewing.staging import (
    Origin,
    Proposal,
    find_settling,
    list_proposals,
    propose,
)
from engrain.model.errors import EngrainError
from engrain.model.note.note import make_id
from engrain.model.run_result import RunResult

Finder: TypeAlias = "Callable[[Store, ActiveNotes, float], Iterator['DreamFinding']]"
"""`find(store, memos, now)`: `memos` may be read several times, in the order of their ids; `now` is
the moment at which the dream began, in epoch seconds."""

DUPLICATE, CONTRADICTION, LINK = "duplicate", "contradiction", "link"
_ACTIONS = {DUPLICATE: "merge", CONTRADICTION: "contradict", LINK: "link"}
"""By kind of finding, in the order of their stages, the action that would mend it."""
JUDGED = "judged"
"""The stage in which an agent or a model compares notes; a dry run leaves it out, since it costs
tokens."""

LEFT_ALONE = frozenset(
    ("anti-pattern", "checkpoint", "continuity", "daily", "entity", "episode", "features",
     "handoff", "ledger", "pattern", "plan", "progress", "proposal", "roadmap")
)  # fmt: skip
"""Kinds whose entries differ by date or author alone, or that are merged by their own rules."""


@dataclass(slots=True, eq=False)
class DreamFinding:
    """One finding: the ids of its entries, first the entry that would be changed; the certainty
    from 0 to 1; a reason in one line without links; and as evidence (id of an entry, words quoted
    from it)."""

    kind: str
    entries: tuple[str, ...]
    score: float
    reason: str
    evidence: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        self.reason = quote_links(" ".join(self.reason.split()))
        self.evidence = tuple(self.evidence)

    @property
    def action(self) -> str:
        """The action that would mend it."""
        return _ACTIONS[self.kind]


@dataclass(slots=True, frozen=True)
class Stage:
    """One stage of a dream: the kind of finding and the place of its finder, as `module:name`.
    Findings about entries that a stage of `behind` covers already are skipped."""

    kind: str
    place: str
    behind: tuple[str, ...] = ()

    def load(self) -> Finder:
        """Import the stage's finder."""
        return Deferred[Finder](self.place).load()


_HERE = "engrain.lifecycle.dreaming"

STAGES = (
    Stage(DUPLICATE, f"{_HERE}.finders:find_duplicates"),
    Stage(LINK, f"{_HERE}.finders:find_missing_links", (DUPLICATE,)),
    Stage(JUDGED, f"{_HERE}.judged:find_judged", (DUPLICATE, CONTRADICTION)),
)

COUNTED = ("found", "proposed", "known", "covered", "skipped", "capped")
"""Counts of a stage: all findings; those proposed now; proposed before; covered by another finding;
impossible to do; and over the limit of a dream or a week."""


@dataclass(slots=True)
class Dream(RunResult):
    """The result of a dream: its name (`run`), the counts of each stage that is done, and the
    proposals that it made. `findings` are what a dry run would propose. An `unfinished` dream ran
    out of time."""

    run: str = ""
    dry_run: bool = False
    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    findings: list[DreamFinding] = field(default_factory=list)
    proposals: Sequence[Proposal] = ()

    def note_stages(self, stages: Mapping[str, Mapping[str, int]]) -> None:
        """Note the counts of the stages that are done, with a line for each."""
        self.stages = {stage: dict(counts) for stage, counts in stages.items()}
        self.counts = {what: sum(self.count(what).values()) for what in COUNTED}
        done = (
            (stage, ", ".join(f"{n} {what}" for what, n in counts.items() if n))
            for stage, counts in stages.items()
        )
        failed = (f"{name} failed: {why}" for name, why in self.problems)
        self.lines = (*(f"{stage}: {said or 'nothing'}" for stage, said in done), *failed)

    def count(self, *names: str) -> dict[str, int]:
        """Return what was counted under these names, by the kind of finding."""
        sums = {
            stage: sum(counts.get(what, 0) for what in names)
            for stage, counts in self.stages.items()
        }
        return {stage: count for stage, count in sums.items() if count}


_LIMIT = 250
"""Proposals of each kind that one dream makes at most."""
_NOTE = "dream"
"""The name of this device's note of the stage that a dream began and did not finish."""


def run(store: Store, run: Run) -> RunResult:
    """Run the job. Raises ConfigError for a wrong interval too."""
    check_interval(store.settings, "dream.days")
    return _dream(store, run)


def dream(
    store: Store,
    *,
    only: Sequence[str] = (),
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> Dream:
    """Find duplicates, contradictions and missing links, and propose what would mend them (S1.17);
    `memory.jobs.dream` explains the arguments. Raises ConfigError, IndexUnavailableError,
    LockedError."""
    run = Run(dry_run=dry_run, out_of_time=out_of_time, asked=True)
    return _dream(store, run, only, tell)


def _dream(
    store: Store, run: Run, only: Sequence[str] = (), tell: Callable[[str], None] = lambda _: None
) -> Dream:
    store.require_index(scan=True)
    store = store.acting_as(Actor(JOBS))
    with Uncollected():
        return _Dreaming(store, run, only, tell).go()


class _Dreaming:
    """One pass, as far as it has come."""

    def __init__(
        self, store: Store, run: Run, only: Sequence[str], tell: Callable[[str], None]
    ) -> None:
        self._store = store
        self._run = run
        self._tell = tell
        self._is_noted = not only and not run.dry_run
        self._tried = store.device.local.read_note(_NOTE) if self._is_noted else None
        self._stages = [
            stage
            for stage in STAGES
            if (not only or stage.kind in only) and not (run.dry_run and stage.kind == JUDGED)
        ]
        kinds = [stage.kind for stage in self._stages]
        if self._tried in kinds:
            self._stages = self._stages[kinds.index(str(self._tried)) :]
        self._now = store.clock.now()
        self._notes = ActiveNotes(store)
        name = f"{format_instant(self._now)[:10]}-{make_id(self._now, store.entropy.draw(10))[-6:]}"
        self._result = Dream(run=name.lower(), dry_run=run.dry_run)

    def go(self) -> Dream:
        result = self._result
        done: dict[str, dict[str, int]] = {}
        for stage in self._stages:
            self._note(stage.kind)
            counts = None
            if not self._run.out_of_time():
                self._tell(stage.kind)
                counts = self._find(stage)
            if counts is None:
                result.unfinished = True
                break
            done[stage.kind] = counts
        result.note_stages(done)
        if not self._run.dry_run:
            result.proposals = tuple(list_proposals(self._store, decided=None, run=result.run))
        if not result.unfinished:
            self._note(None)
        return result

    def _note(self, stage: str | None) -> None:
        """Note on this device that a dream of all stages begins one; None: that it is done."""
        if self._is_noted:
            self._store.device.local.write_note(_NOTE, stage)

    def _find(self, stage: Stage) -> dict[str, int] | None:
        """Run a stage and propose its surest findings; None where the time ran out. A stage that
        ran out of time before is finished whatever the time, or it would never be."""
        counts = dict.fromkeys(COUNTED, 0)
        late = self._yield_to_others if self._tried == stage.kind else self._run.out_of_time
        self._notes.stopped = late
        try:
            chosen = self._choose(stage, counts)
        except StoppedError:
            return None
        except EngrainError as error:
            self._result.problems.append((stage.kind, error.message))
            return counts | {"failed": 1}
        for finding in chosen:
            if late():
                return None
            counts[self._propose(finding)] += 1
        return counts

    def _yield_to_others(self) -> bool:
        """Let the runner give way to others, and go on whatever the time."""
        self._run.out_of_time()
        return False

    def _choose(self, stage: Stage, counts: dict[str, int]) -> list[DreamFinding]:
        """Return the surest findings that are new, the surest first. Raises StoppedError when the
        time runs out."""
        proposals = list_proposals(self._store, decided=None)
        known = {(one.action, one.target) for one in proposals}
        covering = [set(one.ids) for one in proposals if one.open and one.finder in stage.behind]
        covering += [set(one.entries) for one in self._result.findings if one.kind in stage.behind]
        new: list[tuple[float, int, DreamFinding]] = []
        for number, finding in enumerate(stage.load()(self._store, self._notes, self._now)):
            counts["found"] += 1
            asked = finding.action, join_ids(finding.entries)
            if any(ids.issuperset(finding.entries) for ids in covering):
                counts["covered"] += 1
            elif asked in known and self._is_settled(*asked):
                counts["known"] += 1
            else:
                new.append((finding.score, -number, finding))
        counts["capped"] = max(0, len(new) - _LIMIT)
        return [finding for _, _, finding in nlargest(_LIMIT, new)]

    def _is_settled(self, action: str, target: str) -> bool:
        """Whether it was proposed before, so that it is not proposed again."""
        try:
            return find_settling(self._store, action, target) is not None
        except EngrainError:
            return False

    def _propose(self, finding: DreamFinding) -> str:
        """Propose a finding; return how it is counted: as "known" if it was proposed meanwhile, as
        "skipped" if what it is about went, or changed, this moment."""
        action, target = finding.action, join_ids(finding.entries)
        try:
            if self._run.dry_run:
                self._result.findings.append(finding)
                return "proposed"
            origin = Origin(self._result.run, finding.kind, finding.score, finding.evidence)
            capped, why = not self._run.asked, finding.reason
            made = propose(self._store, action, target, why, origin=origin, capped=capped)
        except EngrainError:
            return "skipped"
        if made is not None:
            return "proposed"
        return "known" if find_settling(self._store, action, target) else "capped"
