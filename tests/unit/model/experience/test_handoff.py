"""Hand-offs as documents: loki's fields, and how they read as entries."""

from __future__ import annotations

import json

import pytest

from engrain.model.experience.handoff import addressed_tag, tags_for
from engrain.model.note.entry import Entry, read_entry
from support.loki import TREE

SEED = TREE["handoffs/handoff-001.json"]
"""The example of loki."""


def read(document: object) -> Entry:
    return read_entry("Memory/handoffs/x.json", json.dumps(document).encode())


def test_the_seeds_hand_off_reads_as_an_entry() -> None:
    entry = read(SEED)
    assert (entry.id, entry.kind, entry.zone) == ("handoff-001", "handoff", "working")
    assert entry.created == 1767697200.0
    assert entry.title == "eng-001-backend to qa-001-testing: Implemented POST /api/todos endpoint"
    assert entry.tags == ("for:qa-001-testing",)
    assert entry.text == (
        "- What was done: `Implemented POST /api/todos endpoint`\n"
        "- Git state: `commit abc123`\n"
        "- Artifacts: `src/routes/todos.ts`\n"
        "- Needs testing: `unit tests for validation`\n"
        "- Needs testing: `contract tests`\n"
        "- Relevant patterns: `sem-001`\n"
    )


@pytest.mark.parametrize(
    "document",
    [
        {}, {"id": 7, "to_agent": None, "context": []},
        {"context": {"what_was_done": ["x"], "artifacts": "y", "needs_testing": [1, None, ""]}},
    ],
)  # fmt: skip
def test_what_is_of_the_wrong_form_is_left_out(document: object) -> None:
    entry = read(document)
    assert (entry.title, entry.tags, entry.text) == ("nobody to nobody:", (), "")


@pytest.mark.parametrize("to", ["any", "*", " Any "])
def test_what_is_for_anyone_is_among_what_every_agent_may_take(to: str) -> None:
    assert addressed_tag(to) in tags_for("whoever")


def test_an_agent_may_take_what_is_for_it_however_its_name_is_written() -> None:
    assert addressed_tag("QA-001") in tags_for("qa-001")
    assert addressed_tag("qa-002") not in tags_for("qa-001")
