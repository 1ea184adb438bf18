"""`engrain stats`: show what tasks cost, how they ended, and which memories were useful (S2.12)."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import Data, fields, list_fields
from engrain.adapters.present.text import bold, clean_line, some_lines, style
from engrain.api.memory import Memory
from engrain.language.text.fences import shorten
from engrain.language.text.instants import format_day
from engrain.lifecycle.sessions.statistics import Statistics
from engrain.model.experience.metrics import EFFICIENCY, OUTCOME, PREFERENCE, SIGNALS, Cost

_DAYS = 7
_DIGITS = 4
_CENTS = 6
"""Digits of a dollar: a question costs a small part of a cent."""
_NAME = 11
_MOST_AGENTS = 5
_REWARDS = {
    "efficiency_score": EFFICIENCY,
    "outcome_reward": OUTCOME,
    "preference_reward": PREFERENCE,
}


def _show(memory: Memory, args: Arguments) -> Answer:
    days = _DAYS if args.days is None else args.days
    found = memory.episodes.statistics(days=days, all_projects=args.all_projects)
    return _describe(found), _lines(found)


def _signal(memory: Memory, args: Arguments) -> Answer:
    judged = {kind: getattr(args, kind) for kind in SIGNALS}
    signals = memory.episodes.add_signals(args.task, **judged, note=args.note or "")
    said = ", ".join(f"{signal.kind} {_signed(signal.value)}" for signal in signals)
    data = fields(signals[0], "task at@ note")
    data["signals"] = {signal.kind: signal.value for signal in signals}
    return data, [f"{bold(signals[0].task)}: {said}"]


def _describe(found: Statistics) -> Data:
    """Return Loki's dashboard, with the figures that it sums up."""
    cost, access = found.cost, found.access
    named = "id title sessions"
    return {
        "period": f"rolling_{found.days}_days",
        **fields(found, "since@ until@"),
        "summary": {
            **fields(cost, "tasks_completed=tasks success_rate%"),
            **{f"avg_{name}": _short(found.rewards[kind]) for name, kind in _REWARDS.items()},
            **fields(found, "avg_recovery_rate=cost.recovery_rate% reward%"),
        },
        "efficiency": _describe_cost(cost),
        "before": _describe_cost(found.before),
        "preferences": fields(found, "accepted rejected feedback"),
        "access": {
            **fields(access, "entries sessions recalled used never_recalled=never"),
            "top_recalled": list_fields(access.recalled_named, named),
            "some_never_recalled": list_fields(access.never_named, named),
        },
        "models": [
            fields(one, "purpose model questions tokens_in=taken tokens_out=given")
            | {"usd": None if one.usd is None else round(one.usd, _CENTS)}
            for one in found.spending
        ],
    }


def _describe_cost(cost: Cost) -> Data:
    means = "avg_seconds=seconds_mean% median_seconds=seconds_median%"
    return {
        **fields(cost, "tasks outcomes agents retry_count=retries errors tokens success_rate%"),
        "wall_time_seconds": round(cost.seconds, 3),
        **fields(cost, f"{means} avg_agents_per_task=agents_per_task% recovery_rate%"),
    }


def _lines(found: Statistics) -> Iterator[str]:
    cost, before, access = found.cost, found.before, found.access
    first, last = (format_day(at) for at in (found.since, found.until))
    yield style("title", f"The last {found.days} days, {first} to {last}")
    counts = ", ".join(f"{count} {clean_line(name)}" for name, count in cost.outcomes.items())
    change = f" ({cost.tasks - before.tasks:+d} on the time before)" if before.tasks else ""
    yield _row("tasks", f"{cost.tasks}{f': {counts}' if counts else ''}{change}")
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
        "decisions",
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
            named_id = style("dim", clean_line(one.id))
            title = shorten(clean_line(one.title), 60)
            yield f"  {name:<{_NAME - 2}}{named_id}  {title}{times}"
            name = ""
    for number, spent in enumerate(found.spending):
        usd = "" if spent.usd is None else f", {spent.usd:.4f} US dollars"
        name = clean_line(f"{spent.purpose} by {spent.model}")
        tokens = f"{spent.taken} tokens in, {spent.given} out"
        questions = f"{spent.questions} questions"
        yield _row("" if number else "models", f"{name}: {questions}, {tokens}{usd}")


def _agents(cost: Cost) -> str:
    counts = (f"{clean_line(name)} {count}" for name, count in cost.agents.items())
    return ", ".join(some_lines(counts, _MOST_AGENTS, "{} more")) or "none named"


def _row(name: str, said: str) -> str:
    return f"{name:<{_NAME}}{said}"


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


COMMAND = Command(
    [_show, _signal],
    f"""
<show|signal>?   show is the default
task=TASK!       signal: the task to rate
--days N/int     show: the last N days, else {_DAYS}
--all-projects   show: of all projects
# signal: a word, or a number
--outcome V      signal: success, partial, failure, or -1 to 1
--efficiency V   signal: 0 to 1
--preference V   signal: accept, commit, revert, manual-fix, …, or -1 to 1
--note TEXT      signal: why
$ engrain stats
$ engrain stats --days 30 --all-projects --json
$ engrain stats signal task-042 --outcome success --preference commit
$ engrain stats signal task-043 --efficiency 0.4 --note "three detours"
""",
    strict=True,
)
