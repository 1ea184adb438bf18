"""Contradictions: notes that can't both hold, unless one of them is told of already or replaced."""

from __future__ import annotations

from typing import Any

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.lifecycle.dreaming.finders import find_contradictions
from engrain.lifecycle.dreaming.run import CONTRADICTION, DreamFinding
from engrain.lifecycle.reviewing.table import ACTIONS
from support.vaults import write_as


def find(memory: Memory) -> list[DreamFinding]:
    store = memory._ready(scan=True)
    return list(find_contradictions(store, ActiveNotes(store), 0.0))


def put(memory: Memory, name: str, text: str, **fields: Any) -> str:
    title = f"Facts about the orders exporter, {name}"
    fields = {"id": name, "kind": "fix", "title": title, "project": "kestrel", **fields}
    fields.setdefault("created", "2026-01-01")
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return write_as(memory, "agent", f"Memory/fix/{name}.md", f"---\n{head}---\n{text}\n")


def test_two_values_are_told_with_the_words_that_say_them(memory: Memory) -> None:
    early = put(memory, "early", "Some words first. The orders exporter listens on port 8080.")
    late = put(memory, "late", "The port of it is 9090.", created="2026-02-01")
    (found,) = find(memory)
    assert (found.kind, found.entries) == (CONTRADICTION, (late, early))
    assert found.action in ACTIONS
    assert found.evidence == (
        (late, "The port of it is 9090."),
        (early, "The orders exporter listens on port 8080."),
    )


def test_what_is_linked_or_replaced_is_told_already(memory: Memory) -> None:
    put(memory, "one", "It listens on port 8080.")
    put(memory, "two", "It listens on port 9090.", links="[{to: one, relation: contradicts}]")
    assert find(memory) == []
    put(memory, "two", "It listens on port 9090.", supersedes="one")
    assert find(memory) == []


def test_replaced_at_a_distance_is_replaced(memory: Memory) -> None:
    put(memory, "one", "It listens on port 8080.")
    put(memory, "two", "It runs.", supersedes="one")
    put(memory, "three", "It listens on port 9090.", supersedes="two")
    assert find(memory) == []


def test_what_very_many_say_differently_is_a_series(memory: Memory) -> None:
    for number in range(6):
        put(memory, f"week-{number}", f"The orders exporter runs with {number + 2} workers.")
    assert find(memory) == []


def test_code_tables_and_headings_state_nothing(memory: Memory) -> None:
    put(memory, "one", "```\nThe port of it is 9090.\n```\n")
    put(memory, "two", "| The port of it is 9091. |\n")
    put(memory, "three", "## The port of it is 9092\n")
    put(memory, "four", "The port of it is 9093.\n")
    assert find(memory) == []
