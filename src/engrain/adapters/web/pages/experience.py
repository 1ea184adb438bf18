"""Experience: tasks, patterns and skills learned from them, and the hand-offs of agents."""

from __future__ import annotations

from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.engine.core.scope import Scope

_SHOWN = 20
_KINDS = {
    "anti-pattern": ("Mistakes to avoid", "engrain jobs run consolidate", "finds them in tasks"),
    "pattern": ("Patterns", "engrain jobs run consolidate", "makes them of tasks that went alike"),
    "procedural": ("Skills", "engrain skill", "lists drafts, and takes in your own"),
    "crystallized": ("Digests", "engrain jobs run crystallize", "makes one of a phase of work"),
    "insight": ("Insights", "engrain save --kind insight", "keeps one"),
}
"""The kinds of learned entries: heading, the command that makes some, what the command does."""


def show(ask: Ask) -> Answer:
    memory = ask.memory
    newest = memory.newest(_KINDS, _SHOWN + 1)
    shown = {kind: rows[:_SHOWN] for kind, rows in newest.items()}
    values = {
        "episodes": memory.episodes.list(None, scope=Scope(all_projects=True), limit=_SHOWN),
        "kinds": _KINDS,
        "learned": shown,
        "more": {kind for kind, rows in newest.items() if len(rows) > _SHOWN},
        "evidence": memory.sources_of([row.id for rows in shown.values() for row in rows]),
        "handoffs": memory.handoffs.list(all_projects=True),
        "ledgers": memory.handoffs.list_ledgers(),
    }
    return Page("experience.html", values)
