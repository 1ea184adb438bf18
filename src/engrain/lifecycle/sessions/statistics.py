"""Statistics: costs and outcomes of tasks, and the use of the memory (S2.12, S4.10).

They are computed from episodes, the history and this device's state when asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

from engrain.engine.core.metering import read_prices
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.scope import own_projects
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import list_records
from engrain.model.errors import UsageError
from engrain.model.experience.metrics import (
    ACCEPTED,
    PREFERENCE,
    REJECTED,
    Cost,
    average_rewards,
    join_rewards,
    read_attempt,
    read_signal,
)
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.local_state import Signal
from engrain.seam.rows import Filter


@dataclass(slots=True, eq=False)
class Spending:
    """What one purpose and model cost: the number of questions, the tokens taken and given, and US
    dollars at today's prices, None where no prices are set."""

    purpose: str
    model: str
    questions: int = field(default=0, init=False)
    taken: int = field(default=0, init=False)
    given: int = field(default=0, init=False)
    usd: float | None = field(default=None, init=False)


def sum_spending(store: Store, since: float) -> list[Spending]:
    """Sum up what language models cost on this device, the most first. Raises ConfigError."""
    prices = read_prices(store.settings)
    found: dict[tuple[str, str], Spending] = {}
    for spend in store.device.local.spent_since(since):
        key = (spend.purpose, spend.model)
        one = found.setdefault(key, Spending(*key))
        one.questions += 1
        one.taken += spend.taken
        one.given += spend.given
    for one in found.values():
        one.usd = prices.cost(one.taken, one.given) if prices else None
    return sorted(found.values(), key=lambda one: (-(one.taken + one.given), one.purpose))


WINDOW_DAYS = 7
_MOST_DAYS = 3660
_MOST_NAMED = 5
_LONGEST = 500
_SAID = (("accepted", ACCEPTED), ("rejected", REJECTED))
"""How the history's reason of a decision begins, and its value as a preference."""


@dataclass(slots=True, eq=False)
class Named:
    """An entry that statistics name: its id, title, and in how many sessions it was recalled."""

    id: str
    title: str
    sessions: int


class Usefulness:
    """How useful the memory was on this device: the number of live entries, how many were recalled
    and used in the sessions of the time, how many never were at all, and some of their names."""

    def __init__(self, store: Store, projects: Sequence[str] | None, since: float) -> None:
        counts = store.index.counters(Filter(statuses=(ACTIVE,), zones=(LIVE,), projects=projects))
        ended = {
            session.ordinal for session in store.device.local.sessions() if session.at >= since
        }
        hits = store.device.local.hits_since(0)
        times = {
            id_: count
            for id_, ordinals in hits.items()
            if id_ in counts and (count := len(ended.intersection(ordinals)))
        }
        used = {
            id_
            for id_, ordinals in store.device.local.uses_since(min(ended, default=1) - 1).items()
            if not ended.isdisjoint(ordinals)
        }
        used |= {change.entry for change in store.index.changes(op="use") if change.at >= since}
        never = sorted(id_ for id_, (count, *_) in counts.items() if not count and id_ not in hits)
        often = sorted(times, key=lambda id_: (-times[id_], id_))
        self.entries = len(counts)
        self.sessions = len(ended)
        self.recalled = len(times)
        self.used = len(used.intersection(counts))
        self.never = len(never)
        self.recalled_named = _name(store, often, times)
        self.never_named = _name(store, never, {})


@dataclass(slots=True, eq=False)
class Statistics:
    """The statistics of `days` up to `until` (epoch seconds): costs, those of as many days before
    it, rewards by kind, what was of use, what language models cost, and how often the person
    accepted, rejected or gave feedback."""

    days: int
    since: float
    until: float
    cost: Cost
    before: Cost
    rewards: Mapping[str, float | None]
    access: Usefulness
    spending: Sequence[Spending]
    _: KW_ONLY
    accepted: int
    rejected: int
    feedback: int

    @property
    def reward(self) -> float | None:
        """All rewards as one."""
        return join_rewards(self.rewards)


def add_signals(
    store: Store,
    task: str,
    *,
    outcome: str | None = None,
    efficiency: str | None = None,
    preference: str | None = None,
    note: str = "",
) -> list[Signal]:
    """Keep on this device how a task went, in words or numbers. Raises UsageError for no judgement,
    and for one that is none."""
    judged = {"outcome": outcome, "efficiency": efficiency, "preference": preference}
    now = store.clock.now()
    task = clean_text(store, " ".join(task.split()))[:_LONGEST]
    if not task.isprintable() or not task:
        raise UsageError("not a valid task id", remedy="give the task's id")
    values = {kind: read_signal(kind, said) for kind, said in judged.items() if said is not None}
    if not values:
        raise UsageError(
            "the judgement is missing", remedy="give --outcome, --efficiency or --preference"
        )
    kept = clean_text(store, note)[:_LONGEST]
    signals = [Signal(task, kind, value, now, kept) for kind, value in values.items()]
    for signal in signals:
        store.device.local.add_signal(signal)
    return signals


def make_statistics(
    store: Store, *, days: int = WINDOW_DAYS, all_projects: bool = False
) -> Statistics:
    """The statistics of the last days, of the current project and of what has none; judgements,
    sessions and what models cost are this device's. Raises UsageError, ConfigError."""
    if not 1 <= days <= _MOST_DAYS:
        raise UsageError(f"--days is from 1 to {_MOST_DAYS}")
    store.require_index(scan=True)
    until = store.clock.now()
    since = until - days * DAY
    projects = None if all_projects else own_projects(store.project)
    only = Filter(statuses=(ACTIVE, "archived"), projects=projects, until=until)
    attempts = [
        read_attempt(note.document, note.own.get("metrics"), row.created, row.id)
        for row, note in list_records(store, "episode", replace(only, since=since - days * DAY))
        if row.created is not None
    ]
    now = [attempt for attempt in attempts if attempt.at >= since]
    decided = _decisions(store, since)
    signals = [(one.task, one.kind, one.value) for one in store.device.local.signals_since(since)]
    signals += [(f"proposal {id_}", PREFERENCE, value) for id_, value in decided.items()]
    return Statistics(
        days,
        since,
        until,
        Cost(now),
        Cost(attempt for attempt in attempts if attempt.at < since),
        average_rewards(now, signals),
        Usefulness(store, projects, since),
        sum_spending(store, since),
        accepted=sum(value == ACCEPTED for value in decided.values()),
        rejected=sum(value == REJECTED for value in decided.values()),
        feedback=store.index.count(
            Filter(kinds=("feedback",), statuses=(ACTIVE,), projects=projects, since=since)
        ),
    )


def _decisions(store: Store, since: float) -> dict[str, float]:
    found: dict[str, float] = {}
    for change in store.index.changes(op="decide"):
        said = next((value for word, value in _SAID if change.reason.startswith(word)), None)
        if said is not None and change.at >= since:
            found.setdefault(change.entry, said)
    return found


def _name(store: Store, ids: Iterable[str], times: Mapping[str, int]) -> list[Named]:
    found = (store.find_exact(id_) for id_ in list(ids)[:_MOST_NAMED])
    return [Named(row.id, row.title, times.get(row.id, 0)) for row in found if row is not None]
