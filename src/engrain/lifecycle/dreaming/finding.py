"""Findings, the stages that find them, and the state of a dream (S1.17).

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
from typing import TypeAlias

from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.core.store import Store
from engrain.language.text.fences import quote_links
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.table import Deferred
from engrain.lifecycle.reviewing.staging import Proposal
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.note import make_id
from engrain.model.run_result import RunResult

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
