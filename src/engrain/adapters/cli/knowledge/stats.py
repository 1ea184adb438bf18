"""Shows what tasks cost, how they ended, and how useful the memory was (S2.12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import AllProjects, Answer, MemoryCommand, option
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.language.text.instants import format_day
from engrain.lifecycle.sessions.statistics import WINDOW_DAYS, Statistics

_NAME = 11


@dataclass(kw_only=True)
class TaskFigures(AllProjects, MemoryCommand):
    """Show what tasks cost, how they ended, and how useful the memory was."""

    examples = """
engrain episode stats
engrain episode stats --days 30 --all-projects --json
"""
    days: int | None = option(f"the last N days, else {WINDOW_DAYS}", "N")

    def run_in(self, memory: Memory) -> Answer:
        days = WINDOW_DAYS if self.days is None else self.days
        found = memory.episodes.statistics(days=days, all_projects=self.all_projects)
        return _describe(found), _lines(found)


def _describe(found: Statistics) -> Data:
    cost = found.cost
    return {
        "period": f"rolling_{found.days}_days",
        **fields(found, "since@ until@"),
        "summary": fields(
            cost, "tasks_completed=tasks success_rate% avg_recovery_rate=recovery_rate%"
        ),
        "efficiency": {
            **fields(cost, "tasks outcomes retry_count=retries errors tokens success_rate%"),
            "wall_time_seconds": round(cost.seconds, 3),
            **fields(cost, "median_seconds=seconds_median% recovery_rate%"),
        },
        "access": fields(found.access, "entries sessions recalled used never_recalled=never"),
        "models": [
            fields(one, "purpose model questions tokens_in=taken tokens_out=given")
            for one in found.spending
        ],
    }


def _lines(found: Statistics) -> Iterator[str]:
    cost, access = found.cost, found.access
    first, last = (format_day(at) for at in (found.since, found.until))
    yield style("title", f"The last {found.days} days, {first} to {last}")
    counts = ", ".join(f"{count} {clean_line(name)}" for name, count in cost.outcomes.items())
    yield _row("tasks", f"{cost.tasks}{f': {counts}' if counts else ''}")
    if cost.tasks:
        yield _row("success", _percent(cost.success_rate))
        median = _span(cost.seconds_median)
        yield _row("time", f"{_span(cost.seconds)} in all, {median} the median of a task")
        tokens = f", {cost.tokens} tokens" if cost.tokens else ""
        yield _row(
            "retries",
            f"{cost.retries}; {cost.errors} errors, {_percent(cost.recovery_rate)} solved{tokens}",
        )
    yield _row(
        "memory",
        f"{access.entries} entries; in {access.sessions} sessions {access.recalled} recalled,"
        f" {access.used} used; {access.never} never recalled here",
    )
    for number, spent in enumerate(found.spending):
        name = clean_line(f"{spent.purpose} by {spent.model}")
        tokens = f"{spent.taken} tokens in, {spent.given} out"
        questions = f"{spent.questions} questions"
        yield _row("" if number else "models", f"{name}: {questions}, {tokens}")


def _row(name: str, said: str) -> str:
    return f"{name:<{_NAME}}{said}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _span(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
