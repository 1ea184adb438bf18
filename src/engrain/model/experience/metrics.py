"""Costs and rewards of tasks, computed from episodes and judgements (S2.12).

The rewards and their weights are those of the reference that S2 names, tool orchestration: an
outcome from -1 to 1, an efficiency from 0 to 1, a preference from -1 to 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from math import isfinite
from statistics import fmean, median
from typing import Any

from engrain.model.errors import UsageError
from engrain.model.note.documents import object_of, objects_of, trimmed

OUTCOME, EFFICIENCY, PREFERENCE = "outcome", "efficiency", "preference"

_BOUNDS = {OUTCOME: (-1.0, 1.0), EFFICIENCY: (0.0, 1.0), PREFERENCE: (-1.0, 1.0)}
SIGNALS = tuple(_BOUNDS)
"""The kinds of judgement."""
WEIGHTS = {OUTCOME: 0.6, EFFICIENCY: 0.25, PREFERENCE: 0.15}
"""The share of each reward in the whole; an unknown one leaves its share to the others."""
_MODERATE_SECONDS, _MODERATE_AGENTS, _MODERATE_RETRIES = 600, 4, 1
ACCEPTED, REJECTED = 1.0, -1.0
"""The preference in a person's answer to a proposal."""

_WORDS: Mapping[str, Mapping[str, float]] = {
    OUTCOME: {"success": 1.0, "partial": 0.0, "failure": -1.0},
    EFFICIENCY: {},
    PREFERENCE: {
        "accept": ACCEPTED, "deploy": 1.0, "commit": 0.8, "no-edits": 0.6,
        "retry-different": -0.3, "manual-fix": -0.5, "revert": -1.0, "reject": REJECTED,
    },
}  # fmt: skip


@dataclass(slots=True, eq=False)
class Attempt:
    """One episode, seen as an attempt at a task. Times are in seconds."""

    task: str
    at: float
    _: KW_ONLY
    agent: str = ""
    seconds: float = 0.0
    outcome: str = ""
    retries: int = 0
    tokens: int = 0
    errors: int = 0
    resolved: int = 0


class Cost:
    """What some tasks cost. Rates and means are None without data.

    `outcomes` counts tasks by the outcome of their last attempt, `agents` by who worked on them.
    `retries` counts attempts after the first, and those that an attempt itself reports.
    `recovery_rate` is the share of errors that were resolved.
    """

    def __init__(self, attempts: Iterable[Attempt]) -> None:
        tasks = _by_task(attempts)
        all_ = [attempt for task in tasks.values() for attempt in task]
        lasts = [task[-1].outcome or "unknown" for task in tasks.values()]
        workers = [_workers(task) for task in tasks.values()]
        times = [sum(one.seconds for one in task) for task in tasks.values()]
        known = [last for last in lasts if last != "unknown"]
        self.tasks = len(tasks)
        self.outcomes = _count(lasts)
        self.agents = _count(chain.from_iterable(workers))
        self.agents_per_task = _mean([len(names) for names in workers if names])
        self.seconds = sum(times)
        self.seconds_mean = _mean(times)
        self.seconds_median = median(times) if times else None
        self.retries = sum(map(_retries, tasks.values()))
        self.tokens = sum(one.tokens for one in all_)
        self.errors = sum(one.errors for one in all_)
        self.success_rate = known.count("success") / len(known) if known else None
        resolved = sum(one.resolved for one in all_)
        self.recovery_rate = resolved / self.errors if self.errors else None


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
        agent=trimmed(episode.get("agent")),
        seconds=_number(episode.get("duration_seconds")),
        outcome=trimmed(episode.get("outcome")),
        retries=int(_number(said.get("retries"))),
        tokens=int(_number(said.get("tokens"))),
        errors=len(met),
        resolved=sum(bool(trimmed(error.get("resolution"))) for error in met),
    )


def read_signal(kind: str, written: str) -> float:
    """Return the value of a judgement, from a word or a number. Raises UsageError."""
    words, (least, most) = _WORDS[kind], _BOUNDS[kind]
    if written in words:
        return words[written]
    try:
        value = float(written)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        names = f", or {', '.join(words)}" if words else ""
        raise UsageError(
            f"{written[:40]!r} is no {kind}",
            remedy=f"give a number from {least:g} to {most:g}{names}",
        )
    return value


def score_efficiency(seconds: float, agents: int, retries: int) -> float:
    """Return the efficiency of a task, from 0 to 1, by the reference's formula, which compares it
    with a task of moderate complexity: 10 minutes, 4 agents, 1 retry."""
    time = min(1.0, _MODERATE_SECONDS / max(seconds, 1.0))
    hands = min(1.0, _MODERATE_AGENTS / max(agents, 1))
    luck = max(0.0, 1.0 - retries / (_MODERATE_RETRIES + 3))
    return 0.5 * time + 0.3 * hands + 0.2 * luck


def average_rewards(
    attempts: Iterable[Attempt], signals: Sequence[tuple[str, str, float]]
) -> dict[str, float | None]:
    """Return the mean of each kind of reward. `signals` are (task, kind, value); judgements of a
    task count instead of its episodes."""
    tasks = _by_task(attempts)
    judged: dict[str, dict[str, list[float]]] = {kind: {} for kind in SIGNALS}
    for task, kind, value in signals:
        judged[kind].setdefault(task, []).append(value)
    measured = {
        OUTCOME: {
            name: _WORDS[OUTCOME][task[-1].outcome]
            for name, task in tasks.items()
            if task[-1].outcome in _WORDS[OUTCOME]
        },
        EFFICIENCY: {
            name: score_efficiency(seconds, len(_workers(task)), _retries(task))
            for name, task in tasks.items()
            if (seconds := sum(one.seconds for one in task))
        },
        PREFERENCE: {},
    }
    return {
        kind: _mean(
            [fmean(values) for values in judged[kind].values()]
            + [value for name, value in measured[kind].items() if name not in judged[kind]]
        )
        for kind in SIGNALS
    }


def join_rewards(rewards: Mapping[str, float | None]) -> float | None:
    """Return the weighted mean of the known rewards, None if none is known."""
    known = {kind: value for kind, value in rewards.items() if value is not None}
    whole = sum(WEIGHTS[kind] for kind in known)
    return sum(WEIGHTS[kind] * value for kind, value in known.items()) / whole if known else None


def _by_task(attempts: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    """Return the attempts at each task, the earliest first."""
    tasks: dict[str, list[Attempt]] = {}
    for attempt in sorted(attempts, key=lambda one: one.at):
        tasks.setdefault(attempt.task, []).append(attempt)
    return tasks


def _workers(task: Sequence[Attempt]) -> list[str]:
    return sorted({one.agent for one in task if one.agent})


def _retries(task: Sequence[Attempt]) -> int:
    return len(task) - 1 + sum(one.retries for one in task)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


def _number(value: object) -> float:
    right = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if right and isfinite(value) and value > 0 else 0.0  # type: ignore[arg-type,operator]
