"""The dream: a pass over the whole vault, stage by stage, whose findings wait for the operator's
decision (S1.17).

Glossary
--------
finding     a fault of one entry or several, with the action that would mend it.
finder      reads all notes and yields every fault of one sort, in a fixed order: two runs over the
            same vault find the same. It never compares all pairs.
action      a row of `reviewing.table.ACTIONS`. What each does to the entries of a finding:
            merge: the last takes over the content of the others, which are retired; contradict:
            each of two says that it contradicts the other; compact: all but the last, oldest
            first, are retired in its favour; link: the first links to the second.

After a dream that was killed, or whose time ran out, the next one begins with the stage that was
not finished: its finder starts again and finds the same, and what was proposed is known by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TypeAlias

from engrain.engine.core.active_notes import ActiveNotes, StoppedError
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.core.upkeep import Uncollected
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.language.text.fences import quote_links
from engrain.language.text.instants import format_day, format_instant
from engrain.lifecycle.jobs.table import Deferred, Run
from engrain.lifecycle.policy import check_interval
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
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note, make_id
from engrain.model.run_result import RunResult
from engrain.model.settings import read_count
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator
from engrain.seam.storage import hash_of

Finder: TypeAlias = "Callable[[Store, ActiveNotes, float], Iterator['DreamFinding']]"
"""`find(store, memos, now)`: `memos` may be read several times, in the order of their ids; `now` is
the moment at which the dream began, in epoch seconds."""

DUPLICATE, CONTRADICTION, CHAIN, LINK = "duplicate", "contradiction", "chain", "link"
_ACTIONS = {DUPLICATE: "merge", CHAIN: "compact", CONTRADICTION: "contradict", LINK: "link"}
"""By kind of finding, in the order of their stages, the action that would mend it."""
KINDS = tuple(_ACTIONS)

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
    Stage(DUPLICATE, "notes that say the same", f"{_HERE}.finders:find_duplicates"),
    Stage(CHAIN, "older versions that still stand", f"{_HERE}.finders:find_chains", (DUPLICATE,)),
    Stage(CONTRADICTION, "notes that can't both hold",
        f"{_HERE}.finders:find_contradictions", (DUPLICATE, CHAIN)),
    Stage(LINK, "links that could be made", f"{_HERE}.finders:find_missing_links",
        (DUPLICATE, CHAIN)),
)  # fmt: skip

COUNTED = ("found", "proposed", "known", "covered", "skipped", "capped")
"""Counts of a stage: all findings; those proposed now; proposed before; covered by another finding;
impossible to do; and over the limit of a dream."""


class FindingGroup:
    """The entries of some findings."""

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self._of: dict[str, set[int]] = {}
        for number, ids in enumerate(groups):
            for id_ in ids:
                self._of.setdefault(id_, set()).add(number)

    def covers(self, ids: Sequence[str]) -> bool:
        """Whether one finding is about all of these entries."""
        found = [self._of.get(id_, set()) for id_ in ids]
        return bool(found and set.intersection(*found))


@dataclass(slots=True)
class Dream(RunResult):
    """The result of a dream: its name (`run`), the counts of each stage that is done, the open
    proposals that it made, and the lines that the operator reads (`digest`). `findings` are what a
    dry run would propose. An `unfinished` dream ran out of time."""

    run: str = ""
    dry_run: bool = False
    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    findings: list[DreamFinding] = field(default_factory=list)
    proposals: Sequence[Proposal] = ()
    digest: Sequence[str] = ()

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


_NOTE = "dream"


@dataclass(slots=True, eq=False)
class DreamPlan:
    """One dream: its name, when it began (epoch seconds), its `stages`, and the most findings of
    each that it proposes. `tried` is the stage that the dream before began and did not finish, ""
    for none. This device notes the stages of a `kept` dream."""

    run: str
    at: float
    stages: Sequence[str]
    limit: int
    tried: str = ""
    kept: bool = True


def plan_dream(store: Store, only: Sequence[str], limit: int, *, kept: bool = True) -> DreamPlan:
    """Plan a dream of these stages; one of all stages continues the one before where it stopped,
    under the same name, so that what that proposed is not proposed twice."""
    now = store.clock.now()
    name = f"{format_instant(now)[:10]}-{make_id(now, store.entropy.draw(10))[-6:]}".lower()
    if only:
        return DreamPlan(name, now, [kind for kind in KINDS if kind in only], limit, kept=False)
    note = object_of(store.device.local.read_note(_NOTE)) if kept else {}
    run, at, tried = text_of(note.get("run")), note.get("at"), text_of(note.get("tried"))
    if not run or not isinstance(at, float) or tried not in KINDS:
        return DreamPlan(name, now, KINDS, limit, kept=kept)
    return DreamPlan(run, at, KINDS[KINDS.index(tried) :], limit, tried)


def note_stage(store: Store, plan: DreamPlan, stage: str) -> None:
    """Note on this device that a dream begins a stage; "": that it is done."""
    if plan.kept:
        note = {"run": plan.run, "at": plan.at, "tried": stage}
        store.device.local.write_note(_NOTE, note if stage else None)


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
    check_interval(store.settings, "dream.days")
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
    most = read_count(store.settings, "dream.limit") if limit is None else limit
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
        result.digest = tuple(_compose(store, plan, result))
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
