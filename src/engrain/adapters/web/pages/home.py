"""Home: the state of the memory in words and numbers, and the last changes. Experience: tasks,
patterns and skills learned from them, and the hand-offs of agents."""

from __future__ import annotations

from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.adapters.web.words import describe_changes
from engrain.engine.core.scope import Scope

_RECENT, _NEWEST = 12, 6


def show(ask: Ask) -> Answer:
    memory = ask.memory
    survey, jobs = memory.survey(), memory.jobs.status()
    changes = memory.history(None, _RECENT)
    newest = memory.list(scope=Scope(all_projects=True), limit=_NEWEST).rows
    ran = [state.status.started for state in jobs if state.status]
    return Page(
        "home.html",
        {
            "survey": survey,
            "kinds": sorted(survey.kinds.items(), key=lambda kind: -kind[1]),
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
