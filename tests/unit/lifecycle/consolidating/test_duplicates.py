"""Patterns that say the same are proposed as one, and nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engrain import Memory
from support.loki import PATTERN

TWIN = {
    **PATTERN,
    "id": "sem-002",
    "confidence": 0.8,
    "source_episodes": ["ep-3", "ep-2026-01-06-001"],
    "usage_count": 3,
    "last_used": "2026-02-01T00:00:00Z",
    "links": [{"to": "sem-009", "relation": "elaborates"}],
}
ANTI = {
    "id": "anti-1",
    "what_fails": "TypeScript compilation",
    "why": "Missing return type annotation",
    "prevention": "Annotate the handler",
    "source": "ep-1",
    "engrain": {"actions": ["run_test"], "confidence": 0.6},
}


def put(memory: Memory, *patterns: dict[str, Any], project: str | None = None) -> None:
    """These patterns and anti-patterns, each in a tree of its own."""
    for pattern in patterns:
        name = "anti-patterns" if "what_fails" in pattern else "patterns"
        files = [(f"semantic/{name}.json", json.dumps([pattern]).encode())]
        imported = memory.exchange.import_layout(
            "loki", files, name=f"tree-{pattern['id']}", project=project
        )
        assert imported.counts == {"created": 1}


def propose(memory: Memory) -> int:
    """The number of merges that a dream proposes."""
    return memory.jobs.dream(only=["duplicate"]).counts["proposed"]


def test_two_that_say_the_same_are_one_by_the_operators_word(memory: Memory) -> None:
    put(memory, PATTERN, TWIN)
    assert (propose(memory), propose(memory)) == (1, 0)
    [proposal] = memory.review.list("merge")
    _, lines = memory.review.show(proposal.id)
    assert any("ep-3" in line for line in lines)
    memory.review.accept(proposal.id)
    gone, kept = (memory.show(id_).entry for id_ in proposal.ids)
    assert kept.status == "active"
    sources = kept.fields["source_episodes"]
    assert isinstance(sources, list)
    assert {*sources} == {"ep-2026-01-06-001", "ep-2026-01-05-012", "ep-3"}
    assert kept.fields["usage_count"] == 11
    assert kept.fields["last_used"] == "2026-02-01T00:00:00Z"
    assert {*kept.links} >= {(gone.id, "supersedes")}
    assert (gone.status, gone.zone) == ("superseded", "archive")
    assert (kept.id, "superseded_by") in gone.links


@pytest.mark.parametrize(
    "changes",
    [
        {"correct_approach": "Regenerate the client, then restart the server"},
        {"pattern": f"{PATTERN['pattern']} of version 2"},
        {"correct_approach": f"Never {PATTERN['correct_approach']}"},
    ],
    ids=["another-approach", "another-number", "negated"],
)
def test_what_says_something_else_stays(memory: Memory, changes: dict[str, Any]) -> None:
    put(memory, PATTERN, {**TWIN, **changes})
    assert propose(memory) == 0


def test_projects_are_not_merged(memory: Memory) -> None:
    put(memory, PATTERN, project="one")
    put(memory, TWIN, project="other")
    assert propose(memory) == 0


def test_anti_patterns_are_merged_too(memory: Memory) -> None:
    other = {**ANTI, "id": "anti-2", "source": "ep-2", "engrain": {"actions": ["build"]}}
    put(memory, ANTI, other)
    assert propose(memory) == 1
    [proposal] = memory.review.list("merge")
    memory.review.accept(proposal.id)
    kept = memory.show(proposal.ids[1]).entry
    assert kept.fields["sources"] == ["ep-1", "ep-2"]
    assert kept.fields["actions"] == ["build", "run_test"]
