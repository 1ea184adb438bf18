"""Findings, the stages that find them, and the state of a dream (S1.17).

Glossary
--------
finding     a fault of one entry or several, with the action that would mend it.
finder      reads all notes and yields every fault of one sort, in a fixed order: two runs over the
            same vault find the same. It never compares all pairs.
action      a row of `reviewing.actions.ACTIONS`. What each does to the entries of a finding:
            merge: the last takes over the content of the others, which are retired; contradict:
            each of two says that it contradicts the other; compact: all but the last, oldest
            first, are retired in its favour; link: the first links to the second; insight: a new
            note says what all of them say; retag: tags of all but the last get the form of the
            last; refile, archive: the one entry.

A dream that was killed is continued: the journal on this device has the stages that are done, with
counts. An interrupted finder starts again and finds the same. Nothing that a note says is kept
outside the vault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.core.store import Store
from engrain.language.text.fences import quote_links
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.table import Deferred
from engrain.lifecycle.reviewing.proposals import APPLIED, Proposal
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.note import make_id
from engrain.model.note.strength import DAY
from engrain.seam.local_state import LocalState

Finder: TypeAlias = "Callable[[Store, ActiveNotes, float], Iterator['DreamFinding']]"
"""`find(store, memos, now)`: `memos` may be read several times, in the order of their ids; `now` is
the moment at which the dream began, in epoch seconds."""

DUPLICATE, CONTRADICTION, CHAIN, LINK, INSIGHT, TIDY = (
    "duplicate", "contradiction", "chain", "link", "insight", "tidy",
)  # fmt: skip
KINDS = (DUPLICATE, CONTRADICTION, CHAIN, LINK, INSIGHT, TIDY)

LEFT_ALONE = frozenset(
    ("anti-pattern", "checkpoint", "continuity", "daily", "entity", "episode", "features",
     "handoff", "ledger", "pattern", "plan", "progress", "proposal", "roadmap")
)  # fmt: skip
"""Kinds whose entries differ by date or author alone, or that are merged by their own rules."""


@dataclass(slots=True, eq=False)
class DreamFinding:
    """One finding: the ids of its entries, first the entry that would be changed; the action; the
    certainty from 0 to 1; a reason in one line without links; as evidence (id of an entry, words
    quoted from it); and the time in epoch seconds from which it counts."""

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
"""The stage that turns episodes into patterns, and patterns into skills."""
TIER_JOBS = ("consolidate", "patterns", "skills")
"""The jobs of that stage, in order: each sees the results of those before it."""


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


@dataclass(slots=True, eq=False)
class Dream:
    """The result of a dream: its name (`run`), the counts of each stage that is done, the number of
    changes applied by itself by kind (`applied`), why nothing of a kind was applied (`held`), what
    failed and why (`errors`), and the lines that the operator reads (`digest`). `findings` are what
    a dry run would propose. An `unfinished` dream ran out of time; the next one continues it."""

    run: str
    dry_run: bool = False
    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    applied: dict[str, int] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    findings: list[DreamFinding] = field(default_factory=list)
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
        skipped: Counter[str] = Counter()
        for what in ("known", "covered", "skipped"):
            skipped.update(found[what])
        return {
            "found": found["found"],
            "proposed": found["proposed"],
            "applied": dict(self.applied),
            "skipped": skipped,
            "capped": found["capped"],
        }

    def lines(self) -> list[str]:
        """Return a line for each stage, without text of any entry."""
        lines = [
            f"{stage}: "
            + (", ".join(f"{n} {what}" for what, n in counts.items() if n) or "nothing")
            for stage, counts in self.stages.items()
        ]
        lines += [f"{kind}: nothing was done without you: {why}" for kind, why in self.held.items()]
        return [*lines, *(f"{name} failed: {why}" for name, why in self.errors.items())]


_NOTE, _PAST = "dream", "dream.past"
_MOST_PAST = 12
"""Earlier dreams that are kept."""
_STALE = 7 * DAY
"""Seconds after which an unfinished dream is not continued: the vault has changed too much."""


@dataclass(slots=True, eq=False)
class Order:
    """The request of a dream: its stages (all if `only` is empty), the most findings of each that
    it proposes, and whether it applies reversible changes by itself."""

    only: Sequence[str] = ()
    limit: int = 0
    auto: bool = False

    def __post_init__(self) -> None:
        self.only = tuple(name for name in NAMES if not self.only or name in self.only)

    def describe(self) -> dict[str, Any]:
        """Return it as plain data, by which two are compared."""
        return {"only": list(self.only), "limit": self.limit, "auto": self.auto}


@dataclass(slots=True, eq=False)
class Journal:
    """One dream: its name, when it began (epoch seconds), its request, the counts of each stage
    that is done, and the stage that was `tried` and not finished, "" for none. Without `local`
    nothing is kept."""

    run: str
    at: float
    order: Order
    done: dict[str, dict[str, int]] = field(default_factory=dict)
    local: LocalState | None = None
    tried: str = ""

    def finish(self, stage: str, counts: Mapping[str, int]) -> None:
        """Note that a stage is done, with these counts."""
        self.done[stage] = dict(counts)
        self.tried = ""
        self.keep()

    def attempt(self, stage: str) -> bool:
        """Note that a stage begins; return whether it was begun before, and not finished."""
        again = self.tried == stage
        self.tried = stage
        self.keep()
        return again

    def close(self, entries: int) -> None:
        """End the dream; `entries` is the number of entries in the vault."""
        if self.local is None:
            return
        found = {name: counts.get("found", 0) for name, counts in self.done.items()}
        past = [one for one in read_past(self.local) if one.get("run") != self.run]
        past.append({"run": self.run, "at": self.at, "entries": entries, "found": found})
        self.local.write_note(_PAST, past[-_MOST_PAST:])
        self.local.write_note(_NOTE, None)

    def keep(self) -> None:
        """Write down how far it is."""
        if self.local is not None:
            far = {"at": self.at, "done": self.done, "tried": self.tried}
            self.local.write_note(_NOTE, {"run": self.run, **far, **self.order.describe()})


def begin(store: Store, order: Order, *, kept: bool = True) -> Journal:
    """Begin a dream; one that is not `kept` leaves no trace."""
    now = store.clock.now()
    name = f"{format_instant(now)[:10]}-{make_id(now, store.entropy.draw(10))[-6:]}".lower()
    journal = Journal(name, now, order, local=store.device.local if kept else None)
    journal.keep()
    return journal


def find_unfinished(store: Store) -> Journal | None:
    """Return the unfinished dream, None if there is none or it is too long ago."""
    note = object_of(store.device.local.read_note(_NOTE))
    run, at = text_of(note.get("run")), note.get("at")
    limit, only = note.get("limit"), note.get("only")
    if not run or not isinstance(at, int | float) or store.clock.now() - at > _STALE:
        return None
    if not isinstance(limit, int) or not isinstance(only, list):
        return None
    order = Order([str(name) for name in only], limit, note.get("auto") is True)
    done = {
        name: {key: count for key, count in object_of(counts).items() if isinstance(count, int)}
        for name, counts in object_of(note.get("done")).items()
    }
    return Journal(
        run, float(at), order, done, store.device.local, tried=text_of(note.get("tried"))
    )


def read_past(local: LocalState) -> list[dict[str, Any]]:
    """Return the earlier dreams, oldest first: `run`, `at`, the number of `entries`, and the number
    of findings of each kind that were `found`."""
    past = local.read_note(_PAST)
    return [one for one in map(object_of, past if isinstance(past, list) else ()) if one.get("run")]
