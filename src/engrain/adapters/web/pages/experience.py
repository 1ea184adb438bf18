"""Experience: tasks and what was learned from them, skills, and what agents leave to each other."""

from __future__ import annotations

from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.verbs.listing import Listing

_SHOWN = 20
_KINDS = {
    "Mistakes to avoid": "anti-pattern",
    "Patterns": "pattern",
    "Skills": "procedural",
    "Digests": "crystallized",
    "Insights": "insight",
}
"""The kinds of what was learned, by what the page calls each."""


def show(ask: Ask) -> Answer:
    memory = ask.memory
    everywhere = Scope(all_projects=True)
    values = {
        "episodes": memory.episodes.list(None, scope=everywhere, limit=_SHOWN),
        "learned": {name: (kind, _list(memory, kind)) for name, kind in _KINDS.items()},
        "handoffs": memory.handoffs.list(),
        "ledgers": memory.handoffs.list_ledgers(),
    }
    return Page("experience.html", values)


def _list(memory: Memory, kind: str) -> Listing:
    return memory.list(scope=Scope(kinds=[kind], all_projects=True), limit=_SHOWN)
