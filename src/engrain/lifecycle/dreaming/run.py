"""The dream: a pass over the whole vault, stage by stage, whose findings wait for the operator's
decision (S1.17).

After a dream that was killed, or whose time ran out, the next one begins with the stage that was
not finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import nlargest

from engrain.engine.core.active_notes import ActiveNotes, StoppedError
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.upkeep import Uncollected
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.language.text.instants import format_day, format_instant
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
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.policy import dream_days, dream_limit
from engrain.lifecycle.reviewing.actions import join_ids
from engrain.lifecycle.reviewing.staging import (
    FOLDER,
    KIND,
    Origin,
    Proposal,
    ProposalRequest,
    find_settling,
    list_proposals,
    propose_all,
)
from engrain.model.errors import EngrainError
from engrain.model.links.link import as_label, write_link
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note, make_id
from engrain.model.run_result import RunResult
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator
from engrain.seam.storage import hash_of

NAME = "digest.md"
_MOST = 200
"""Proposals of a kind that are listed."""
_NAMED = 3
"""Entries of a finding that are named."""
_REST = (
    ("known", "were proposed before"),
    ("covered", "are about what another finding settles"),
    ("skipped", "could not be proposed: what they are about changed"),
    ("capped", "more than a dream proposes: the next one has them"),
)


def compose_digest(store: Store, plan: DreamPlan, result: Dream) -> tuple[str, ...]:
    """The page, as lines; of a dry run of what it would propose."""
    return tuple(_compose(store, plan, result))


def write_digest(store: Store, plan: DreamPlan, lines: Sequence[str]) -> None:
    """Write the page beside the proposals; repeating it changes nothing."""
    place = make_locator(f"{FOLDER}/{plan.run}/{NAME}")
    body = clean_text(store, "\n".join(lines) + "\n")
    before = store.find_stored(place)
    id_ = store.read_entry(place).id if before else make_id(plan.at, store.entropy.draw(10))
    fields: dict[str, Value] = {
        "id": id_,
        "kind": KIND,
        "status": "proposed",
        "created": format_instant(plan.at),
        "generated": True,
        "run": plan.run,
        "source": stamp_source(store.actor, KIND, None),
    }
    note = compose_note(fields, body)
    check_size(note)
    if before is not None:
        if before.raw == note.raw:
            return
        store.preserve(place, before, id_)
    store.commit("index", [Write(place, note.raw, id_, hash_of(before))])


def _compose(store: Store, plan: DreamPlan, result: Dream) -> Iterator[str]:
    yield f"# Dream of {format_day(plan.at)}"
    yield ""
    waiting = sum(one.open for one in result.proposals)
    if result.dry_run:
        yield f"{len(result.findings)} would be proposed. Nothing was written."
    elif waiting:
        one = waiting == 1
        wait = "proposal waits" if one else "proposals wait"
        yield f"{waiting} {wait} for your decision until {'it expires' if one else 'they expire'}:"
        yield f"`engrain review list --run {plan.run}`, `engrain review show ID`,"
        yield f"`engrain review accept --all --run {plan.run}`."
    else:
        yield "Nothing new needs your decision."
    with store.index.view() as view:
        label_first = view.label_first
    for stage in STAGES:
        counts = result.stages.get(stage.kind, {})
        if any(counts.values()):
            yield from _show_stage(store, stage, counts, result, label_first)
    if result.problems:
        yield from ("", "## What failed", "")
        yield from (f"- {name}: {why}" for name, why in result.problems)


def _show_stage(
    store: Store, stage: Stage, counts: Mapping[str, int], result: Dream, label_first: bool
) -> Iterator[str]:
    proposals = [one for one in result.proposals if one.finder == stage.kind]
    found = [one for one in result.findings if one.kind == stage.kind]
    proposals.sort(key=lambda one: (not one.open, -(one.score or 0.0), one.target))
    lines = [_show(one, label_first) for one in proposals]
    lines += [f"- {one.action}: {_name(store, one)}: {one.reason}" for one in found]
    if len(lines) > _MOST:
        lines = [*lines[:_MOST], f"- and {len(lines) - _MOST} more"]
    lines += [f"- {counts[what]} {words}" for what, words in _REST if counts.get(what)]
    title = f"{stage.meaning.capitalize()} ({len(proposals) or len(found)})"
    yield from ["", f"## {title}", "", *lines]


def _name(store: Store, finding: DreamFinding) -> str:
    rows = [store.find_exact(id_) for id_ in finding.entries[:_NAMED]]
    titles = [row.title for row in rows if row is not None]
    more = len(finding.entries) - _NAMED
    return " · ".join([*titles, *([f"{more} more"] if more > 0 else [])])


def _show(one: Proposal, label_first: bool) -> str:
    name = one.path.removesuffix(".md")
    link = write_link(name, as_label(one.title), label_first=label_first)
    state = "" if one.open else f" ({one.decision})"
    return f"- {link}{state}: {one.reason}" if one.reason else f"- {link}{state}"


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
