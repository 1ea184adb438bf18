"""Home: the state of the memory in words and numbers, and the last changes. Experience: tasks,
patterns and skills learned from them, and the hand-offs of agents."""

from __future__ import annotations

import time
from functools import lru_cache
from math import log1p

from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.adapters.web.words import describe_changes
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope

_POINTS = 12
_YEAR, _MONTH = 365.25 * 86_400, 30.0 * 86_400
_RECENT, _NEWEST = 12, 6
_HOUR = 3600


def show(ask: Ask) -> Answer:
    memory, now = ask.memory, time.time()
    survey, jobs = memory.survey(), memory.jobs.status()
    span, growth = _count_growth(memory, round(100 * log1p(survey.entries)), int(now // _HOUR))
    changes = memory.history(None, _RECENT)
    newest = memory.list(scope=Scope(all_projects=True), limit=_NEWEST).rows
    ran = [state.status.started for state in jobs if state.status]
    return Page(
        "home.html",
        {
            "survey": survey,
            "kinds": sorted(survey.kinds.items(), key=lambda kind: -kind[1]),
            "span": span,
            "growth": growth,
            "paces": ask.around.paces(),
            "ran": max(ran, default=None),
            "due": [state.job.name for state in jobs if state.due],
            "failed": [
                state.job.name
                for state in jobs
                if state.status and state.status.outcome == "failed"
            ],
            "facts": ask.around.status(),
            "newest": newest,
            "texts": memory.texts(newest),
            "told": describe_changes(changes, memory.titles({one.entry for one in changes})),
        },
    )


@lru_cache(maxsize=4)
def _count_growth(memory: Memory, size: int, hour: int) -> tuple[str, list[int]]:  # noqa: ARG001
    """Return (year or month, the numbers of entries at moments of that time): of the last year, or
    of the last month if there were none before. This takes longer than the rest of the page, so it
    is counted again only each hour, and when the vault has grown by about a hundredth (`size`)."""
    end = (hour + 1) * _HOUR

    def count(seconds: float) -> list[int]:
        step = seconds / _POINTS
        return memory.growth([end - number * step for number in range(_POINTS, -1, -1)])

    growth = count(_YEAR)
    return ("year", growth) if any(growth[:-1]) else ("month", count(_MONTH))


_SHOWN = 20
_KINDS = {
    "anti-pattern": ("Mistakes to avoid", "engrain jobs run consolidate", "finds them in tasks"),
    "pattern": ("Patterns", "engrain jobs run consolidate", "makes them of tasks that went alike"),
    "procedural": ("Skills", "engrain skill", "lists drafts, and takes in your own"),
    "crystallized": ("Digests", "engrain jobs run crystallize", "makes one of a phase of work"),
    "insight": ("Insights", "engrain save --kind insight", "keeps one"),
}
"""The kinds of learned entries: heading, the command that makes some, what the command does."""


def show_experience(ask: Ask) -> Answer:
    memory = ask.memory
    newest = memory.newest(_KINDS, _SHOWN + 1)
    shown = {kind: rows[:_SHOWN] for kind, rows in newest.items()}
    episodes = memory.episodes.list(None, scope=Scope(all_projects=True), limit=_SHOWN)
    values = {
        "episodes": episodes,
        "kinds": _KINDS,
        "learned": shown,
        "more": {kind for kind, rows in newest.items() if len(rows) > _SHOWN},
        "evidence": memory.sources_of([row.id for rows in shown.values() for row in rows]),
        "handoffs": memory.handoffs.list(all_projects=True),
        "ledgers": memory.handoffs.list_ledgers(),
        "texts": memory.texts([*episodes.rows, *(row for rows in shown.values() for row in rows)]),
    }
    return Page("experience.html", values)
