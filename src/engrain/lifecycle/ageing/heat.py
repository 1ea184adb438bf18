"""The job `heat`: load entries that are recalled again and again in every session (S1.16, DESIGN
10).

Hot entries move to `Memory/_always-load/`, cold ones back to their kind's folder. An entry becomes
hot at `heat.hits` sessions of the last `heat.window` of its scope and is cold under the lower
`heat.cold`. A session hits an always-loaded entry where its recall would have found it. Pinned
entries stay. All that one session gets fits in `heat.tokens`.

How far entries have aged on this device (S3.4, DESIGN section 6) is counted by the ordinals of
sessions, which no clock can move. A session ages the entries of its project and those that have
none. Days are counted along the sessions: two that are far apart count for a week only, whether the
operator was away or the clock had jumped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import accumulate

from engrain.engine.core.contradictions import is_contradicted_later
from engrain.engine.core.moving import demote_entry, is_pinned, promote_entry
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.recall.filling import OVERHEAD
from engrain.language.text.tokens import estimate_tokens
from engrain.lifecycle.jobs.table import JobStep, Run, do_steps
from engrain.lifecycle.policy import HeatRule, read_heat_rule
from engrain.model.errors import EngrainError
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.note.entry import Entry
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE, OPERATOR, kind_of
from engrain.model.run_result import RunResult
from engrain.seam.rows import Filter, Row
from engrain.state.local_state import Session

LONGEST_PAUSE = 90 * DAY
"""Between two sessions so far apart, time did not pass as it does while there is work."""
PAUSE = 7 * DAY
"""What such a pause counts for."""
_GRAIN = 1.0  # seconds that a time loses when written to a file


class Ageing:
    """The ages of entries at `now`, by the sessions that ended here and what they recalled."""

    def __init__(self, sessions: Sequence[Session], recalls: Mapping[str, int], now: float) -> None:
        self._recalls = recalls
        self._now = now
        self._times = [session.at for session in sessions]
        self._ordinals = [session.ordinal for session in sessions]
        self._by_project: dict[str, list[int]] = {}
        for session in sessions:
            self._by_project.setdefault(session.project, []).append(session.ordinal)
        # The latest session at or before a moment is found in these, whatever the clock did.
        self._earliest_behind = list(accumulate(reversed(self._times), min))[::-1]
        self._passed = list(accumulate(map(_count_gap, self._times, self._times[1:]), initial=0.0))

    def age(self, entry: str, project: str, born: float | None) -> tuple[int, float]:
        """Sessions in the entry's scope, and days, since it was recalled last; `born` is when it
        was made, or recalled on another device, by its file."""
        at = self._now if born is None else born
        since = bisect_right(self._ordinals, self._recalls.get(entry, 0))
        if since and at <= self._times[since - 1] + _GRAIN:
            at = self._times[since - 1]  # recalled here, and by that session's own clock
        else:
            since = bisect_right(self._earliest_behind, at)
        ordinals = self._in_scope(project)
        last = self._ordinals[since - 1] if since else 0
        return len(ordinals) - bisect_right(ordinals, last), self._days(since, at)

    def sessions_in(self, project: str, last: int) -> Sequence[int]:
        """Return the ordinals of the last so many sessions that an entry of a project is aged
        by."""
        return self._in_scope(project)[-last:] if last else []

    def _in_scope(self, project: str) -> list[int]:
        return self._by_project.get(project, []) if project else self._ordinals

    def _days(self, since: int, at: float) -> float:
        """Return the days from `at`, which is in or after the `since`-th session, to now."""
        if since == len(self._times):  # also without any session
            return _count_gap(at, self._now) / DAY
        passed = self._passed[-1] - self._passed[since] + _count_gap(at, self._times[since])
        return (passed + _count_gap(self._times[-1], self._now)) / DAY


def age_on_this_device(store: Store) -> Ageing:
    """Return the ages of a store's entries as of now."""
    return Ageing(
        store.device.local.sessions(), store.device.local.last_recalls(), store.clock.now()
    )


def last_seen(created: float | None, last_recalled: float | None) -> float | None:
    """Return the moment from which an entry ages where this device has not recalled it."""
    return max((at for at in (created, last_recalled) if at is not None), default=None)


def sessions_counter(store: Store) -> Callable[[Entry], int]:
    """Return a function that counts the sessions since an entry was recalled: those that its file
    had counted when it was written, and those on this device since."""
    ageing = age_on_this_device(store)

    def count(entry: Entry) -> int:
        born = last_seen(entry.created, entry.last_recalled)
        return entry.sessions_since_recall + ageing.age(entry.id, entry.project or "", born)[0]

    return count


def count_since_recall(store: Store, rows: Sequence[Row]) -> dict[str, int]:
    """Count, by id, the sessions in an entry's scope since its last recall, or since it was made,
    with those that its file had counted on other devices. The index must be ready."""
    ageing = age_on_this_device(store)
    counters = store.index.counters(Filter(), [row.id for row in rows])
    counted = {}
    for row in rows:
        _, last, before = counters.get(row.id, (0, None, 0))
        since, _ = ageing.age(row.id, row.project or "", last_seen(row.created, last))
        counted[row.id] = before + since
    return counted


def _count_gap(start: float, end: float) -> float:
    """Return the seconds that the time between two moments counts for."""
    gap = max(0.0, end - start)
    return gap if gap <= LONGEST_PAUSE else PAUSE


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
            room.admit(one, whether_or_not=True)
            chosen.append(one.id)
        elif stays or one.hits >= rule.hits:
            if room.admit(one):
                chosen.append(one.id)
        elif one.promoted:
            cold.append(one)
    for one in cold:
        if len(chosen) < rule.floor and room.admit(one):
            chosen.append(one.id)
    return chosen


class _Room:
    """The tokens left in the fullest session, which gets its project's entries and those without
    a project."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._used: dict[str, int] = {"": 0}

    def admit(self, one: Warmth, *, whether_or_not: bool = False) -> bool:
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


def _is_ours(store: Store, row: Row) -> bool:
    """Whether this device may demote an entry: this device promoted it, or nobody did lately. Else
    devices would promote and demote it in turn."""
    promoted = store.index.changes(entry=row.id, op="promote", limit=1) if row.always_load else ()
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
    used = store.device.local.uses_since(oldest - 1)
    for id_, row in rows.items():
        window = windows[row.project or ""]
        count = _count_within(hits.get(id_, ()), window)
        if not row.always_load and (count < rule.hits or _is_too_large(row)):
            continue
        try:
            entry = store.read_entry(row.locator)
        except EngrainError:
            continue  # `doctor` reports what can't be read
        if _stays_out(store, row, entry, used=id_ in used):
            continue
        yield Warmth(
            id_,
            row.project or "",
            hits=count,
            known=len(window) if _is_ours(store, row) else 0,
            tokens=estimate_tokens(entry.text) + OVERHEAD,
            weight=row.weight or 0.0,
            promoted=row.always_load,
            pinned=is_pinned(entry),
        )


def _stays_out(store: Store, row: Row, entry: Entry, *, used: bool) -> bool:
    """Return whether an entry may not be promoted: a later statement contradicts it, or only
    learning made it and nobody used it."""
    if row.always_load:
        return False
    learned = row.source != OPERATOR and entry.source.get("kind") == "session"
    return (learned and not used) or is_contradicted_later(store, row)


def _count_within(ordinals: Iterable[int], window: Sequence[int]) -> int:
    return sum(ordinal >= window[0] for ordinal in ordinals) if window else 0


def _is_too_large(row: Row) -> bool:
    """Whether an entry is of a kind that no session could load whole."""
    return row.kind == DAILY or kind_of(row.kind).retention in _NEVER
