"""Ledgers: what an agent says of itself comes to what is there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engrain.model.errors import UsageError
from engrain.model.experience.ledger import Progress, advance, fresh_ledger
from support.loki import TREE

AT = "2026-01-06T10:00:00Z"
SEED: dict[str, Any] = TREE["ledgers/eng-001-backend.json"]
"""The example of loki."""


def test_a_ledger_has_the_seeds_fields_in_their_order() -> None:
    made = advance(
        fresh_ledger("eng-001-backend"),
        Progress(
            task="task-042",
            goal="Implement CRUD for todos",
            completed=12,
            files=["src/routes/todos.ts"],
            commit="abc123",
            uncommitted=True,
            tech=["express", "typescript", "sqlite"],
            patterns=["sem-001", "sem-005"],
        ),
        AT,
    )
    assert json.dumps(made) == json.dumps(SEED)


def test_what_is_not_said_stays_and_the_time_is_now() -> None:
    later = advance(SEED, Progress(), "2026-01-07T10:00:00Z")
    assert later == {**SEED, "last_checkpoint": "2026-01-07T10:00:00Z"}


def test_the_ledger_given_is_not_changed() -> None:
    before = json.dumps(SEED)
    advance(SEED, Progress(files=["x"], added=1, uncommitted=False), AT)
    assert json.dumps(SEED) == before


def test_lists_grow_and_nothing_is_in_them_twice() -> None:
    later = advance(SEED, Progress(files=["b", "src/routes/todos.ts", "b"], tech=["go"]), AT)
    assert later["state"]["files_modified"] == ["src/routes/todos.ts", "b"]
    assert later["context"]["tech_stack"] == ["express", "typescript", "sqlite", "go"]


def test_tasks_are_set_or_added() -> None:
    assert advance(SEED, Progress(added=1), AT)["tasks_completed"] == 13
    assert advance(SEED, Progress(completed=5, added=2), AT)["tasks_completed"] == 7
    with pytest.raises(UsageError):
        advance(SEED, Progress(added=-13), AT)


def test_what_another_program_left_of_a_ledger_is_made_whole() -> None:
    broken = {"agent_id": "x", "state": "?", "context": {"tech_stack": [{"a": 1}]}, "own": 1}
    later = advance(broken, Progress(tech=["go"], files=["f"]), AT)
    assert later["state"]["files_modified"] == ["f"]
    assert later["context"]["tech_stack"] == [{"a": 1}, "go"]
    assert later["own"] == 1
