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


def test_a_rule_and_its_denial_are_told_within_a_project(memory: Memory) -> None:
    rule = put(memory, "rule", "Always squash commits before a merge.")
    denial = put(memory, "denial", "Never squash commits before a merge.", created="2026-02-01")
    put(memory, "elsewhere", "Never squash commits before a merge.", project="osprey")
    assert [found.entries for found in find(memory)] == [(denial, rule)]


def test_what_somebody_does_and_does_not_is_told_whatever_the_notes_are_about(
    memory: Memory,
) -> None:
    put(memory, "first", "By the way, Katrin Brandt speaks Spanish.", title="Lunch", project="a")
    put(memory, "second", "Katrin Brandt doesn't speak any Spanish.", title="Trip", project="b")
    assert [found.entries for found in find(memory)] == [("first", "second")]


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


def test_what_a_sentence_says_of_its_own_note_is_not_denied_by_another(memory: Memory) -> None:
    put(memory, "one", "Consumers of this library of Kestrel treat links as direct.", title="A")
    other = "Consumers of this library of Kestrel never treat links as direct."
    put(memory, "two", other, title="B")
    assert find(memory) == []
