"""Stale chains: notes that were replaced and still stand, or are pointed at as if they did."""

from __future__ import annotations

from typing import Any

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.lifecycle.dreaming.chains import find_chains
from engrain.lifecycle.dreaming.finding import CHAIN, DreamFinding
from engrain.lifecycle.reviewing.actions import ACTIONS
from support.vaults import write_as


def find(memory: Memory) -> list[DreamFinding]:
    store = memory._ready(scan=True)
    return list(find_chains(store, ActiveNotes(store), 0.0))


def chains(memory: Memory) -> list[tuple[str, ...]]:
    return [found.entries for found in find(memory)]


def put(memory: Memory, name: str, text: str = "How it is done.", **fields: Any) -> str:
    fields = {"id": name, "kind": "workflow", "title": name, "created": "2026-01-01", **fields}
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return write_as(memory, "agent", f"Memory/workflow/{name}.md", f"---\n{head}---\n{text}\n")


def test_an_older_version_that_is_active_is_stale(memory: Memory) -> None:
    put(memory, "one")
    put(memory, "two", supersedes="one")
    put(memory, "three", supersedes="two")
    (found,) = find(memory)
    assert (found.kind, found.entries, found.score) == (CHAIN, ("one", "two", "three"), 1.0)
    assert found.action in ACTIONS


def test_a_chain_that_was_kept_well_is_not(memory: Memory) -> None:
    put(memory, "one", status="superseded")
    put(memory, "two", "It goes on from [[one]].", supersedes="one")
    assert find(memory) == []


def test_one_that_was_replaced_and_is_pointed_at_makes_it_stale(memory: Memory) -> None:
    put(memory, "one", status="superseded")
    put(memory, "two", supersedes="one")
    pointer = put(memory, "pointer", "The steps are in [[one]].")
    (found,) = find(memory)
    assert found.entries == ("one", "two")
    assert found.evidence == ((pointer, "[[one]]"),)


def test_a_text_that_says_what_it_replaces_is_believed(memory: Memory) -> None:
    old = put(memory, "old", title="How we deploy")
    said = "Replaces [[How we deploy]], which no longer holds. Push the tag."
    new = put(memory, "new", said, title="Deploying", created="2026-02-01")
    (found,) = find(memory)
    assert found.entries == (old, new)
    assert found.evidence == ((new, "Replaces [[How we deploy]], which no longer holds."),)


def test_versions_in_titles_are_a_chain_where_the_texts_are_alike(memory: Memory) -> None:
    steps = "Tag the commit, wait for the build, then roll out to {} machines."
    one = put(memory, "a", steps.format(3), title="Deploy procedure", project="p")
    two = put(memory, "b", steps.format(9), title="Deploy procedure v2", project="p")
    put(memory, "c", "Quite another matter.", title="Deploy procedure v3", project="p")
    put(memory, "d", steps.format(9), title="Deploy procedure v2", project="q")
    assert chains(memory) == [(one, two)]


def test_versions_of_what_notes_are_about_are_no_chain(memory: Memory) -> None:
    for number in (1, 2):
        put(memory, f"v{number}", "Ask for the token first.", title=f"Client API v{number}")
    assert find(memory) == []


def test_a_circle_is_told_by_the_dates_and_less_sure(memory: Memory) -> None:
    put(memory, "one", supersedes="two")
    put(memory, "two", supersedes="one", created="2026-02-01")
    (found,) = find(memory)
    assert found.entries == ("one", "two")
    assert found.score < 1


def test_where_the_newest_is_gone_nothing_is_told(memory: Memory) -> None:
    put(memory, "one")
    put(memory, "two", supersedes="one", status="archived")
    put(memory, "three", supersedes="nobody")
    assert find(memory) == []


def test_a_sentence_without_this_note_in_it_is_believed_of_two_that_may_be_versions(
    memory: Memory,
) -> None:
    long = "Each shelf has a label, and each label a number that is printed twice a year. " * 4
    put(memory, "flags", f"Superseded by [[Storage rules]].\n\n{long}", title="Flags")
    put(memory, "rules", "Rent the cold store.", title="Storage rules")
    assert find(memory) == []
    put(memory, "rules", long, title="Storage rules")
    assert chains(memory) == [("flags", "rules")]


def test_what_a_log_of_changes_says_of_a_feature_makes_no_chain(memory: Memory) -> None:
    put(memory, "log", "## 0.106\n\n- `Delete Node` was replaced by [[Delete]].", title="Changelog")
    put(memory, "delete", "Removes a note.", title="Delete")
    assert find(memory) == []


def test_the_side_of_a_link_that_names_the_note_is_the_vaults(memory: Memory) -> None:
    for name in ("a", "b"):
        put(memory, name, "See [[How it is done|new]] and [[What it is|new]].")
    put(memory, "old", "This note was replaced by [[A|new]].")
    put(memory, "new", "Another matter.")
    assert chains(memory) == [("old", "new")]
