"""The dream: a pass over the whole vault, stage by stage, whose findings wait for the operator's
decision (S1.17).

The next dream continues one that was killed, or whose time ran out, and makes the same proposals
under the same names.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from heapq import heappush, heapreplace
from typing import Any

from engrain.engine.core.active_notes import ActiveNotes, StoppedError
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.upkeep import Uncollected
from engrain.lifecycle.dreaming.applying import apply_reversible
from engrain.lifecycle.dreaming.digest import compose_digest, write_digest
from engrain.lifecycle.dreaming.finding import (
    COUNTED,
    STAGES,
    TIER_JOBS,
    TIERS,
    Dream,
    DreamFinding,
    FindingGroup,
    Journal,
    Order,
    Stage,
    begin,
    find_unfinished,
)
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.jobs.table import JOBS as TABLE
from engrain.lifecycle.policy import dream_auto_limit, dream_days, dream_limit, dreams_by_itself
from engrain.lifecycle.reviewing.actions import join_ids, split_ids
from engrain.lifecycle.reviewing.proposals import Origin, Proposal
from engrain.lifecycle.reviewing.staging import (
    ProposalRequest,
    find_base,
    find_settling,
    list_again,
    propose_all,
)
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.note.documents import object_of
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import STAGING
from engrain.seam.rows import CURRENT

_NOTE = "found."
"""The prefix of local notes that are dropped once an entry is erased."""
_BASES = "bases"
_TOGETHER = 128
"""Findings that are proposed with one flush."""
_FORM = 1
"""The version of finders and of what is kept: raise it when a finder finds something else, or when
an entry's state has another hash."""


class EarlierDreams:
    """The findings of earlier dreams in the vault as it is when this is made, and the hashes of
    the entries that were proposed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        versions = store.index.versions(without=STAGING)
        self._mark = _make_mark(store, versions)
        self._seen = array("q", map(hash, versions))
        note = object_of(store.device.local.read_note(_NOTE + _BASES))
        same = note.get("mark") == self._mark
        self._bases: dict[str, Any] = object_of(note.get("bases")) if same else {}
        self._kept = len(self._bases)

    def recall(self, stage: Stage) -> Iterator[DreamFinding] | None:
        """Return what a stage found in the same vault, with empty quotes; None where it did not
        run."""
        note = object_of(self._store.device.local.read_note(_NOTE + stage.kind))
        found = note.get("found")
        if note.get("mark") != self._mark or not isinstance(found, list):
            return None
        return (
            DreamFinding(
                kind, tuple(ids), action, score, reason, [(id_, "") for id_ in quoted], due=due
            )
            for kind, ids, action, score, reason, quoted, due in found
        )

    def keep(self, stage: Stage, found: Sequence[DreamFinding]) -> None:
        """Remember all that a stage found, unless something changed meanwhile."""
        versions = self._store.index.versions(without=STAGING)
        if _make_mark(self._store, versions) == self._mark:
            kept = [
                (
                    one.kind, one.entries, one.action, one.score, one.reason,
                    [id_ for id_, _ in one.evidence], one.due,
                )
                for one in found
            ]  # fmt: skip
            self._store.device.local.write_note(
                _NOTE + stage.kind, {"mark": self._mark, "found": kept}
            )

    def find_base(self, action: str, target: str) -> str:
        """Return the hash of a target's present state. Raises as `staging.find_base`."""
        key = f"{action} {target}"
        if key not in self._bases:
            self._bases[key] = find_base(self._store, action, target)
        return str(self._bases[key])

    def keep_bases(self, proposals: Iterable[Proposal]) -> None:
        """Remember the hashes found, and those of new proposals, unless one of their entries
        changed meanwhile."""
        self._bases.update((f"{one.action} {one.target}", one.base) for one in proposals)
        if len(self._bases) == self._kept:
            return
        ids = {id_ for key in self._bases for id_ in split_ids(key.partition(" ")[2])}
        now = self._store.index.versions(without=STAGING, ids=sorted(ids))
        if len(now) >= len(ids) and set(self._seen).issuperset(map(hash, now)):
            found = {"mark": self._mark, "bases": self._bases}
            self._store.device.local.write_note(_NOTE + _BASES, found)


def quote(store: Store, stage: Stage, chosen: Sequence[DreamFinding], now: float) -> None:
    """Fill in the quotes of remembered findings by running the stage on their notes alone."""
    bare = {
        (one.action, one.entries): one
        for one in chosen
        if one.evidence and not any(words for _, words in one.evidence)
    }
    ids: set[str] = set()
    for one in bare.values():
        ids.update(one.entries, (id_ for id_, _ in one.evidence))
        one.evidence = ()
    for said in stage.load()(store, ActiveNotes(store, ids), now) if bare else ():
        if known := bare.get((said.action, said.entries)):
            known.evidence = said.evidence


def _make_mark(store: Store, versions: Sequence[object]) -> str:
    """Hash all that finders read: the `versions` of all entries outside of the staging folder, and
    the settings."""
    digest = blake2b(digest_size=16)
    digest.update(repr((_FORM, sorted(store.settings.items()))).encode())
    for version in versions:
        digest.update(repr(version).encode())
    return digest.hexdigest()


def run(store: Store, run: Run) -> Report:
    """Run the job. Raises ConfigError for a wrong interval too."""
    dream_days(store.settings)
    dream_auto_limit(store.settings)
    done = dream(store, dry_run=run.dry_run, out_of_time=run.out_of_time)
    counts = {name: sum(each.values()) for name, each in done.counts().items()}
    return Report(counts, done.lines(), unfinished=done.unfinished)


def dream(
    store: Store,
    *,
    only: Sequence[str] = (),
    limit: int | None = None,
    auto: bool | None = None,
    resume: bool = False,
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> Dream:
    """Find duplicates, contradictions, replaced versions, missing links, untidy notes and common
    statements, and propose what would mend them (S1.17).

    An unfinished dream with the same request is continued; with `resume` whatever its request.
    `only` names stages; `limit` is the most findings of each that are proposed; with `auto` changes
    that are reversible and lose nothing are applied at once; both default to the settings. `tell`
    is called with each stage as it begins. With `dry_run` nothing is written.

    Raises ConfigError; NotFoundError where there is nothing to resume; IndexUnavailableError,
    LockedError.
    """
    run = Run(dry_run=dry_run, out_of_time=out_of_time, scanned=True)
    store.require_index(scan=True)
    store = store.acting_as(Actor(JOBS))
    order = Order(
        only,
        dream_limit(store.settings) if limit is None else limit,
        dreams_by_itself(store.settings) if auto is None else auto,
    )
    unfinished = None if run.dry_run else find_unfinished(store)
    if resume and unfinished is None:
        raise NotFoundError("no dream was left unfinished", remedy="`engrain dream` begins one")
    if unfinished is None or not (resume or unfinished.order.describe() == order.describe()):
        journal = begin(store, order, kept=not run.dry_run)
    else:
        journal = unfinished
    with Uncollected():
        return _Dreaming(store, run, journal, tell).go()


class _Dreaming:
    """One pass, as far as it has come."""

    def __init__(
        self, store: Store, run: Run, journal: Journal, tell: Callable[[str], None]
    ) -> None:
        self._store = store
        self._run = run
        self._journal = journal
        self._tell = tell
        # Made when the tiers are joined.
        self._memos: ActiveNotes | None = None
        self._memory: EarlierDreams | None = None
        self._proposals: Sequence[Proposal] = ()
        self._listed = False
        # New proposals that are not listed yet.
        self._written: list[Entry] = []
        self._made: set[str] = set()
        self._result = Dream(journal.run, dry_run=run.dry_run)

    def go(self) -> Dream:
        journal = self._journal
        for name in journal.order.only:
            if name in journal.done:
                continue
            if self._run.out_of_time():
                return self._stop()
            self._tell(name)
            counts = self._join_tiers() if name == TIERS else self._find(name)
            if counts is None:
                return self._stop()
            journal.finish(name, counts)
        return self._close()

    def _close(self) -> Dream:
        store, journal, result = self._store, self._journal, self._result
        result.stages = dict(journal.done)
        if self._run.dry_run:
            result.digest = compose_digest(store, journal, result)
            return result
        entries = store.index.count(replace(CURRENT, successions=0))
        if journal.order.auto and apply_reversible(store, self._run, journal, entries, result):
            return self._stop()
        self._listed = False  # they may have been decided meanwhile
        result.note_proposals([one for one in self._list_proposals() if one.run == journal.run])
        if self._memory is not None:
            # Proposals of a process that was killed may be about an earlier state.
            self._memory.keep_bases(one for one in result.proposals if one.id in self._made)
        result.digest = compose_digest(store, journal, result)
        if result.proposals:
            write_digest(store, journal, result.digest)
        journal.close(entries)
        return result

    def _stop(self) -> Dream:
        self._result.stages = dict(self._journal.done)
        self._result.unfinished = True
        return self._result

    def _join_tiers(self) -> dict[str, int] | None:
        """Run the jobs of the tiers; None where the time ran out."""
        counts: dict[str, int] = {}
        for name in TIER_JOBS:
            try:
                report = TABLE[name].load()(self._store, self._run)
            except EngrainError as error:
                self._result.errors[name] = error.message
                counts["failed"] = counts.get("failed", 0) + 1
                continue
            if report.unfinished:
                return None
            counts |= {f"{name} {what}": count for what, count in report.counts.items() if count}
        return counts

    def _find(self, name: str) -> dict[str, int] | None:
        """Run a stage and propose its surest findings; None where the time ran out. A stage that
        ran out of time before is finished whatever the time, or it would never be."""
        stage = next(stage for stage in STAGES if stage.kind == name)
        counts = dict.fromkeys(COUNTED, 0)
        again = self._journal.attempt(name)
        late = self._go_on if again else self._run.out_of_time
        try:
            chosen = self._choose(stage, counts, late)
        except StoppedError:
            return None
        except EngrainError as error:
            self._result.errors[name] = error.message
            return counts | {"failed": 1}
        quote(self._store, stage, chosen, self._journal.at)
        for at in range(0, len(chosen), _TOGETHER):
            if late():
                return None
            for what in self._stage(chosen[at : at + _TOGETHER]):
                counts[what] += 1
        return counts

    def _go_on(self) -> bool:
        """Let the runner give way to others, and go on whatever the time."""
        self._run.out_of_time()
        return False

    def _choose(
        self, stage: Stage, counts: dict[str, int], late: Callable[[], bool]
    ) -> list[DreamFinding]:
        """Return the surest findings that are new, or of this very dream, the surest first. Raises
        StoppedError when it is `late`."""
        limit = self._journal.order.limit
        proposals = self._list_proposals()
        behind = self._covering(stage, proposals)
        known: dict[tuple[str, str], list[Proposal]] = {}
        for one in proposals:
            known.setdefault((one.action, one.target), []).append(one)
        heap: list[tuple[float, int, DreamFinding]] = []
        for number, finding in enumerate(self._look(stage, late)):
            if finding.due >= self._journal.at:
                continue
            counts["found"] += 1
            if behind.covers(finding.entries):
                counts["covered"] += 1
                continue
            olds = known.get((finding.action, join_ids(finding.entries)))
            if olds and self._is_settled(finding, olds):
                counts["known"] += 1
                continue
            ranked = (finding.score, -number, finding)
            if len(heap) < limit:
                heappush(heap, ranked)
            else:
                counts["capped"] += 1
                if heap and ranked[:2] > heap[0][:2]:
                    heapreplace(heap, ranked)
        return [finding for _, _, finding in sorted(heap, key=lambda one: (-one[0], -one[1]))]

    def _look(self, stage: Stage, late: Callable[[], bool]) -> Iterator[DreamFinding]:
        """Yield all that a stage finds, or found before in the same vault."""
        if self._memory is None:
            self._memory = EarlierDreams(self._store)
        found = self._memory.recall(stage)
        if found is not None:
            yield from found
            return
        if self._memos is None:
            self._memos = ActiveNotes(self._store)
        self._memos.stopped = late
        looked = []
        for finding in stage.load()(self._store, self._memos, self._journal.at):
            looked.append(finding)
            yield finding
        if not self._run.dry_run:
            self._memory.keep(stage, looked)

    def _list_proposals(self) -> Sequence[Proposal]:
        if not self._listed:
            self._proposals = list_again(self._store, self._proposals, self._written)
            self._listed = True
            self._written.clear()
        return self._proposals

    def _covering(self, stage: Stage, proposals: Sequence[Proposal]) -> FindingGroup:
        if self._run.dry_run:
            found = self._result.findings
            return FindingGroup(one.entries for one in found if one.kind in stage.behind)
        return FindingGroup(one.ids for one in proposals if one.open and one.finder in stage.behind)

    def _is_settled(self, finding: DreamFinding, olds: Sequence[Proposal]) -> bool:
        """Whether another dream proposed it before, so that it is not proposed again."""
        others = [old for old in olds if old.run != self._journal.run]
        if self._memory is None or not others:
            return False
        try:
            base = self._memory.find_base(finding.action, join_ids(finding.entries))
        except EngrainError:
            return False
        return any(old.settles(base) for old in others)

    def _stage(self, findings: Sequence[DreamFinding]) -> Iterator[str]:
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
                Origin(self._journal.run, one.kind, one.score, one.evidence),
            )
            for one in findings
        ]
        outcomes, written = propose_all(self._store, asked)
        self._written += written
        self._made.update(one.id for one in written)
        self._listed = False
        yield from map(self._count, findings, outcomes)

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
            return "proposed" if old is not None and old.run == self._journal.run else "known"
        if old is not None:
            return "known"
        self._result.findings.append(finding)
        return "proposed"
