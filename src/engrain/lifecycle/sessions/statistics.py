"""Statistics: costs and outcomes of tasks, and the use of the memory (S2.12, S4.10).

They are computed from episodes, the history and this device's state when asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from math import isfinite
from statistics import median
from typing import Any

from engrain.engine.core.scope import own_projects
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import list_records
from engrain.model.errors import UsageError
from engrain.model.note.documents import object_of, objects_of, trimmed
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.rows import Filter

WINDOW_DAYS = 7
_MOST_DAYS = 3660


@dataclass(slots=True, eq=False)
class Attempt:
    """One episode, seen as an attempt at a task. Times are in seconds."""

    task: str
    at: float
    _: KW_ONLY
    seconds: float = 0.0
    outcome: str = ""
    retries: int = 0
    tokens: int = 0
    errors: int = 0
    resolved: int = 0


def read_attempt(
    episode: Mapping[str, Any], metrics: object, at: float, fallback: str = ""
) -> Attempt:
    """Read the cost of an episode from its document and the `metrics` beside it; a value of the
    wrong type counts as none. A task without a name is called `fallback`."""
    said = object_of(metrics)
    met = objects_of(episode.get("errors_encountered"))
    return Attempt(
        trimmed(episode.get("task_id")) or fallback,
        at,
        seconds=_number(episode.get("duration_seconds")),
        outcome=trimmed(episode.get("outcome")),
        retries=int(_number(said.get("retries"))),
        tokens=int(_number(said.get("tokens"))),
        errors=len(met),
        resolved=sum(bool(trimmed(error.get("resolution"))) for error in met),
    )


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if isfinite(value) and value > 0 else 0.0


class Cost:
    """The cost of some tasks. Rates and means are None without data.

    `outcomes` counts tasks by the outcome of their last attempt, `retries` attempts after the first
    and those that an attempt itself reports.
    `recovery_rate` is the share of errors that were resolved.
    """

    def __init__(self, attempts: Iterable[Attempt]) -> None:
        every = sorted(attempts, key=lambda one: one.at)
        tasks: dict[str, list[Attempt]] = {}
        for attempt in every:
            tasks.setdefault(attempt.task, []).append(attempt)
        ends = [task[-1].outcome or "unknown" for task in tasks.values()]
        known = [outcome for outcome in ends if outcome != "unknown"]
        times = [sum(one.seconds for one in task) for task in tasks.values()]
        self.tasks = len(tasks)
        self.outcomes = _count(ends)
        self.seconds = sum(times)
        self.seconds_median = median(times) if times else None
        self.retries = len(every) - len(tasks) + sum(one.retries for one in every)
        self.tokens = sum(one.tokens for one in every)
        self.errors = sum(one.errors for one in every)
        self.success_rate = known.count("success") / len(known) if known else None
        resolved = sum(one.resolved for one in every)
        self.recovery_rate = resolved / self.errors if self.errors else None


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


@dataclass(slots=True, eq=False)
class Spending:
    """What one purpose and model cost: the number of questions, and the tokens taken and
    given."""

    purpose: str
    model: str
    questions: int = field(default=0, init=False)
    taken: int = field(default=0, init=False)
    given: int = field(default=0, init=False)


def sum_spending(store: Store, since: float) -> list[Spending]:
    """Sum up what language models cost on this device, the most first."""
    found: dict[tuple[str, str], Spending] = {}
    for spend in store.device.local.spent_since(since):
        key = (spend.purpose, spend.model)
        one = found.setdefault(key, Spending(*key))
        one.questions += 1
        one.taken += spend.taken
        one.given += spend.given
    return sorted(found.values(), key=lambda one: (-(one.taken + one.given), one.purpose))


class Usefulness:
    """How useful the memory was on this device: the number of live entries, how many were recalled
    and used in the sessions of the time, and how many never were recalled at all."""

    def __init__(self, store: Store, projects: Sequence[str] | None, since: float) -> None:
        local = store.device.local
        counts = store.index.counters(Filter(statuses=(ACTIVE,), zones=(LIVE,), projects=projects))
        ended = {session.ordinal for session in local.sessions() if session.at >= since}
        hits = local.hits_since(0)
        uses = local.uses_since(min(ended, default=1) - 1)
        used = {id_ for id_, ordinals in uses.items() if not ended.isdisjoint(ordinals)}
        used |= {change.entry for change in store.index.changes(op="use") if change.at >= since}
        self.entries = len(counts)
        self.sessions = len(ended)
        self.recalled = sum(not ended.isdisjoint(hits.get(id_, ())) for id_ in counts)
        self.used = len(used.intersection(counts))
        self.never = sum(not count and id_ not in hits for id_, (count, *_) in counts.items())


@dataclass(slots=True, eq=False)
class Statistics:
    """The statistics of `days` up to `until` (epoch seconds): the cost of tasks, what was of use,
    and what language models cost."""

    days: int
    since: float
    until: float
    cost: Cost
    access: Usefulness
    spending: Sequence[Spending]


def make_statistics(
    store: Store, *, days: int = WINDOW_DAYS, all_projects: bool = False
) -> Statistics:
    """Compute the statistics of the last days, of the current project and of what has none;
    sessions and what models cost are this device's. Raises UsageError."""
    if not 1 <= days <= _MOST_DAYS:
        raise UsageError(f"--days is from 1 to {_MOST_DAYS}")
    store.require_index(scan=True)
    until = store.clock.now()
    since = until - days * DAY
    projects = None if all_projects else own_projects(store.project)
    only = Filter(statuses=(ACTIVE, "archived"), projects=projects, since=since, until=until)
    attempts = (
        read_attempt(entry.note.document, entry.note.own.get("metrics"), row.created, row.id)
        for row, entry in list_records(store, "episode", only)
        if row.created is not None
    )
    return Statistics(
        days,
        since,
        until,
        Cost(attempts),
        Usefulness(store, projects, since),
        sum_spending(store, since),
    )
