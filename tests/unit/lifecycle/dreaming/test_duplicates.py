"""Duplicates: of notes that say the same one is kept, and what only looks alike is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.lifecycle.dreaming.finders import find_duplicates
from engrain.lifecycle.dreaming.run import DUPLICATE, DreamFinding
from engrain.lifecycle.reviewing.table import ACTIONS
from support.vaults import write_as

TITLE = "Restarting the ledger importer"
TEXT = (
    "The ledger importer hangs after a failover of the message broker. Restart it with the runbook "
    "command and wait for 3 minutes. Mara knows the credentials of the vault."
)


def find(memory: Memory) -> list[DreamFinding]:
    store = memory._ready(scan=True)
    return list(find_duplicates(store, ActiveNotes(store), 0.0))


def put(memory: Memory, name: str, text: str = TEXT, trust: str = "agent", **fields: Any) -> str:
    fields = {"id": name, "kind": "fix", "title": TITLE, "created": "2026-01-01", **fields}
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    place = f"Memory/{fields['kind']}/{name}.md"
    return write_as(memory, trust, place, f"---\n{head}---\n{text}\n")


def test_of_two_copies_the_older_is_kept(memory: Memory) -> None:
    later = put(memory, "later", created="2026-02-01")
    earlier = put(memory, "earlier")
    (found,) = find(memory)
    assert (found.kind, found.entries, found.score) == (DUPLICATE, (later, earlier), 1.0)
    assert found.action in ACTIONS


def test_of_two_near_copies_the_one_that_says_more_is_kept(memory: Memory) -> None:
    short = put(memory, "short")
    long = put(memory, "long", TEXT + " Ask the operators first.", created="2026-02-01")
    (found,) = find(memory)
    assert found.entries == (short, long)
    assert 0.6 <= found.score < 1


def test_the_more_trusted_is_kept_whatever_it_says(memory: Memory) -> None:
    theirs = put(memory, "theirs", TEXT + " Ask the operators first.", trust="external")
    ours = put(memory, "ours", created="2026-02-01")
    (found,) = find(memory)
    assert found.entries == (theirs, ours)


def test_one_project_does_not_lose_what_another_has_too(memory: Memory) -> None:
    put(memory, "ours", project="ours")
    put(memory, "theirs", project="theirs")
    put(memory, "everybodys")
    assert find(memory) == []
    copy = put(memory, "copy", project="ours", created="2026-02-01")
    (found,) = find(memory)
    assert found.entries == (copy, "ours")


def test_a_chain_of_copies_ends_at_one(memory: Memory) -> None:
    for number in range(30):
        put(memory, f"copy-{number:02}", created=f"2026-01-{number + 1:02}")
    found = find(memory)
    assert len(found) == 29
    assert {one.entries[1] for one in found} == {"copy-00"}
    assert len({one.entries[0] for one in found}) == 29


def test_what_differs_in_a_number_a_name_or_the_project_is_left_alone(memory: Memory) -> None:
    put(memory, "first", project="ledger")
    put(memory, "number", TEXT.replace("3 minutes", "30 minutes"), project="ledger")
    put(memory, "name", TEXT.replace("Mara", "Jonas"), project="ledger")
    put(memory, "elsewhere", "As ever: " + TEXT, project="billing")
    assert find(memory) == []


def test_days_and_hand_offs_are_left_alone(memory: Memory) -> None:
    for name in ("one", "two"):
        put(memory, name, kind="daily")
    assert find(memory) == []


def test_a_second_look_finds_the_same(memory: Memory) -> None:
    for number in range(6):
        put(memory, f"note-{number}", TEXT + f" Seen by {'abc'[number % 3]}{number % 3}.")
    first, second = find(memory), find(memory)
    assert [(one.entries, one.score) for one in first] == [
        (one.entries, one.score) for one in second
    ]
    assert len(first) == 3


def test_what_was_read_is_read_anew_where_many_others_were_looked_at_since(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for more in ("", " Ask first of all.", " Wait a little then.", " Look at the queue."):
        put(memory, f"note-{len(more)}", TEXT + more)
    whole = [one.entries for one in find(memory)]
    monkeypatch.setattr("engrain.lifecycle.dreaming.finders._READINGS", 1)
    assert [one.entries for one in find(memory)] == whole
    assert len(whole) == 2
