"""The job `heat`: load entries that are recalled again and again in every session (S1.16, DESIGN
10).

Hot entries move to `Memory/_always-load/`, cold ones back to their kind's folder. An entry becomes
hot at `heat.hits` sessions of the last `heat.window` of its scope and is cold under the lower
`heat.cold`. A session hits an always-loaded entry where its recall would have found it. Pinned
entries stay. All that one session gets fits in `heat.tokens`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial

from engrain.engine.core.moving import demote_entry, is_pinned, promote_entry
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.recall.filling import OVERHEAD
from engrain.language.text.tokens import estimate_tokens
from engrain.lifecycle.ageing.sessions import Ageing
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.jobs.table import JobStep, do_steps
from engrain.lifecycle.policy import HeatRule, read_heat_rule
from engrain.model.errors import EngrainError
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE, kind_of
from engrain.model.run_result import RunResult
from engrain.seam.rows import Filter, Row

_OWN = Filter(statuses=(ACTIVE,), zones=(LIVE,), tiers=("T3",))
_ELSEWHERE = 90 * DAY
"""Seconds after which any device may demote an entry that another promoted."""
_NEVER = ("episode", "kept")
"""Retention classes of entries that are too large to load."""


@dataclass(slots=True, eq=False)
class Warmth:
    """The use of one entry: how many of the last sessions of its scope hit it, how many of those
    this device knows, its cost in tokens, and whether it is promoted or pinned."""

    id: str
    project: str
    _: KW_ONLY
    hits: int
    known: int
    tokens: int
    weight: float = 0.0
    promoted: bool = False
    pinned: bool = False


def choose_promoted(entries: Iterable[Warmth], rule: HeatRule) -> list[str]:
    """Choose the ids to promote, as a pure policy: all pinned ones, then promoted ones, then the
    hottest, as far as the tokens go.

    A promoted entry stays until it is cold by a whole window of sessions; the warmest `floor` stay
    however cold.
    """
    ranked = sorted(
        entries, key=lambda one: (not one.pinned, not one.promoted, -one.hits, -one.weight, one.id)
    )
    chosen: list[str] = []
    cold: list[Warmth] = []
    room = _Room(rule.tokens)
    for one in ranked:
        stays = one.promoted and (one.hits >= rule.cold or one.known < rule.window)
        if one.pinned:
            room.take(one, whether_or_not=True)
            chosen.append(one.id)
        elif stays or one.hits >= rule.hits:
            if room.take(one):
                chosen.append(one.id)
        elif one.promoted:
            cold.append(one)
    for one in cold:
        if len(chosen) < rule.floor and room.take(one):
            chosen.append(one.id)
    return chosen


class _Room:
    """The tokens left in the fullest session, which gets its project's entries and those without
    a project."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._used: dict[str, int] = {"": 0}

    def take(self, one: Warmth, *, whether_or_not: bool = False) -> bool:
        own = self._used.get(one.project, 0)
        if one.project:
            used = own + self._used[""]
        else:
            used = own + max((n for name, n in self._used.items() if name), default=0)
        if used + one.tokens > self._tokens and not whether_or_not:
            return False
        self._used[one.project] = own + one.tokens
        return True


def run(store: Store, run: Run) -> RunResult:
    """Run the job: promote hot entries, demote cold ones."""
    store.require_index(scan=True)
    rule = read_heat_rule(store.settings)
    rows = {row.id: row for row in store.index.find(_OWN)}
    found = list(_measure(store, rows, rule))
    chosen = choose_promoted(found, rule)
    promoted = {one.id for one in found if one.promoted}
    reasons = {
        one.id: "pinned"
        if one.pinned
        else f"recalled in {one.hits} of the last {rule.window} sessions"
        for one in found
    }
    own = store.acting_as(Actor(JOBS))
    steps = []
    for id_ in (*sorted(promoted.difference(chosen)), *chosen):  # demotions make room first
        reason = reasons[id_]
        about = f"{id_}: {reason}"
        if id_ not in chosen:
            steps.append(JobStep("demoted", about, partial(demote_entry, own, id_, reason)))
        elif id_ not in promoted and rows[id_].source != EXTERNAL:
            # An unattested entry is not loaded unasked (S1.7).
            steps.append(JobStep("promoted", about, partial(promote_entry, own, id_, reason)))
    return do_steps(run, steps, ("demoted", "promoted"))


def _is_ours(store: Store, id_: str) -> bool:
    """Whether this device may demote an entry: this device promoted it, or nobody did lately. Else
    devices would promote and demote it in turn."""
    promoted = store.index.changes(entry=id_, op="promote", limit=1)
    return all(
        one.device == store.backend.device or one.at < store.clock.now() - _ELSEWHERE
        for one in promoted
    )


def _measure(store: Store, rows: Mapping[str, Row], rule: HeatRule) -> Iterator[Warmth]:
    """Measure the entries that may be hot, and those that are promoted."""
    ageing = Ageing(store.device.local.sessions(), {}, store.clock.now())
    projects = {row.project or "" for row in rows.values()}
    windows = {project: ageing.sessions_in(project, rule.window) for project in projects}
    oldest = min((window[0] for window in windows.values() if window), default=0)
    hits = store.device.local.hits_since(oldest - 1)
    for id_, row in rows.items():
        window = windows[row.project or ""]
        count = _count_within(hits.get(id_, ()), window)
        if not row.always_load and (count < rule.hits or _is_too_large(row)):
            continue
        try:
            entry = store.read_entry(row.locator)
        except EngrainError:
            continue  # `doctor` reports what can't be read
        ours = not row.always_load or _is_ours(store, id_)
        yield Warmth(
            id_,
            row.project or "",
            hits=count,
            known=len(window) if ours else 0,
            tokens=estimate_tokens(entry.text) + OVERHEAD,
            weight=row.weight or 0.0,
            promoted=row.always_load,
            pinned=is_pinned(entry),
        )


def _count_within(ordinals: Sequence[int], window: Sequence[int]) -> int:
    return sum(ordinal >= window[0] for ordinal in ordinals) if window else 0


def _is_too_large(row: Row) -> bool:
    """Whether an entry is of a kind that no session could load whole."""
    return row.kind == DAILY or kind_of(row.kind).retention in _NEVER
