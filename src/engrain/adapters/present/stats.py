"""Statistics as one screen, and as loki's dashboard (S2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean_line
from engrain.language.text.instants import format_instant
from engrain.lifecycle.sessions.statistics import Named, Spending, Statistics
from engrain.model.experience.metrics import EFFICIENCY, OUTCOME, PREFERENCE, Cost
from engrain.seam.local_state import Signal

_DIGITS = 4
_CENTS = 6
"""Digits of a dollar: a question costs a small part of a cent."""
_NAME = 11
_MOST_AGENTS = 5


def describe_statistics(found: Statistics) -> Data:
    """Loki's dashboard, with what it sums up beside it."""
    cost, access = found.cost, found.access
    return {
        "period": f"rolling_{found.days}_days",
        "since": format_instant(found.since),
        "until": format_instant(found.until),
        "summary": {
            "tasks_completed": cost.tasks,
            "success_rate": _short(cost.success_rate),
            "avg_efficiency_score": _short(found.rewards[EFFICIENCY]),
            "avg_outcome_reward": _short(found.rewards[OUTCOME]),
            "avg_preference_reward": _short(found.rewards[PREFERENCE]),
            "avg_recovery_rate": _short(cost.recovery_rate),
            "reward": _short(found.reward),
        },
        "efficiency": _describe_cost(cost),
        "before": _describe_cost(found.before),
        "preferences": {
            "accepted": found.accepted,
            "rejected": found.rejected,
            "feedback": found.feedback,
        },
        "access": {
            "entries": access.entries,
            "sessions": access.sessions,
            "recalled": access.recalled,
            "used": access.used,
            "never_recalled": access.never,
            "top_recalled": [_describe_named(one) for one in access.recalled_named],
            "some_never_recalled": [_describe_named(one) for one in access.never_named],
        },
        "models": [_describe_spending(one) for one in found.spending],
    }


def statistics_lines(found: Statistics, style: Style) -> Iterator[str]:
    cost, before, access = found.cost, found.before, found.access
    first, last = (format_instant(at)[:10] for at in (found.since, found.until))
    yield style("title", f"The last {found.days} days, {first} to {last}")
    counts = ", ".join(f"{count} {clean_line(name)}" for name, count in cost.outcomes.items())
    yield _row("tasks", f"{cost.tasks}{f': {counts}' if counts else ''}{_change(cost, before)}")
    if cost.tasks:
        rate = _percent(cost.success_rate)
        then = f", {_percent(before.success_rate)} before" if before.tasks else ""
        yield _row("success", f"{rate}{then}")
        yield _row(
            "time",
            f"{_span(cost.seconds)} in all, {_span(cost.seconds_mean)} a task,"
            f" {_span(cost.seconds_median)} the median",
        )
        yield _row("agents", _agents(cost))
        tokens = f", {cost.tokens} tokens" if cost.tokens else ""
        yield _row(
            "retries",
            f"{cost.retries}; {cost.errors} errors, {_percent(cost.recovery_rate)} solved{tokens}",
        )
    rewards = ", ".join(f"{kind} {_signed(value)}" for kind, value in found.rewards.items())
    yield _row("rewards", f"{rewards}; in all {_signed(found.reward)}")
    yield _row(
        "your word",
        f"{found.accepted} proposals accepted, {found.rejected} rejected,"
        f" {found.feedback} new notes of feedback",
    )
    yield _row(
        "memory",
        f"{access.entries} entries; in {access.sessions} sessions {access.recalled} recalled,"
        f" {access.used} used; {access.never} never recalled here",
    )
    for name, named in (("recalled", access.recalled_named), ("never", access.never_named)):
        for one in named:
            times = f" ({one.sessions} sessions)" if one.sessions else ""
            yield f"  {name:<{_NAME - 2}}{style('dim', clean_line(one.id))}  {_title(one)}{times}"
            name = ""
    for number, spent in enumerate(found.spending):
        yield _row("" if number else "models", _spending(spent))


def describe_signals(signals: Sequence[Signal]) -> Data:
    return {
        "task": signals[0].task,
        "signals": {signal.kind: signal.value for signal in signals},
        "at": format_instant(signals[0].at),
        "note": signals[0].note,
    }


def signal_lines(signals: Sequence[Signal], style: Style) -> Iterator[str]:
    said = ", ".join(f"{signal.kind} {_signed(signal.value)}" for signal in signals)
    yield f"{style('title', clean_line(signals[0].task))}: {said}"


def _describe_cost(cost: Cost) -> Data:
    return {
        "tasks": cost.tasks,
        "outcomes": cost.outcomes,
        "success_rate": _short(cost.success_rate),
        "wall_time_seconds": round(cost.seconds, 3),
        "avg_seconds": _short(cost.seconds_mean),
        "median_seconds": _short(cost.seconds_median),
        "agents": cost.agents,
        "avg_agents_per_task": _short(cost.agents_per_task),
        "retry_count": cost.retries,
        "errors": cost.errors,
        "recovery_rate": _short(cost.recovery_rate),
        "tokens": cost.tokens,
    }


def _describe_spending(spent: Spending) -> Data:
    return {
        "purpose": spent.purpose,
        "model": spent.model,
        "questions": spent.questions,
        "tokens_in": spent.taken,
        "tokens_out": spent.given,
        "usd": None if spent.usd is None else round(spent.usd, _CENTS),
    }


def _spending(spent: Spending) -> str:
    usd = "" if spent.usd is None else f", {spent.usd:.4f} US dollars"
    return (
        f"{clean_line(spent.purpose)} by {clean_line(spent.model)}: {spent.questions} questions,"
        f" {spent.taken} tokens in, {spent.given} out{usd}"
    )


def _describe_named(one: Named) -> Mapping[str, object]:
    return {"id": one.id, "title": one.title, "sessions": one.sessions}


def _agents(cost: Cost) -> str:
    names = list(cost.agents.items())
    told = [f"{clean_line(name)} {count}" for name, count in names[:_MOST_AGENTS]]
    if len(names) > _MOST_AGENTS:
        told.append(f"{len(names) - _MOST_AGENTS} more")
    return ", ".join(told) or "none named"


def _change(cost: Cost, before: Cost) -> str:
    return f" ({cost.tasks - before.tasks:+d} on the time before)" if before.tasks else ""


def _row(name: str, said: str) -> str:
    return f"{name:<{_NAME}}{said}"


def _title(one: Named) -> str:
    return clean_line(one.title)[:60]


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"


def _span(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
