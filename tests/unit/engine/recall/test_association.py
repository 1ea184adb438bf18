"""The channel `graph`: what recall brings by walking links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engrain import Memory, Scope
from engrain.engine.recall.profiles import PROFILES, WEIGHTS
from support.vaults import START
from unit.engine.core.vault_files import put, titles

DAY = 86_400.0


@pytest.fixture
def linked(memory: Memory) -> Memory:
    """Mara's note leads to her team's, that to its service; another team is as good by words."""
    memory.save("Mara Velden works in [[Team Heron]].", title="Mara Velden", kind="fix")
    memory.save(
        "It has met on Monday, in the long room upstairs, since it runs the [[Ledger]] too.",
        title="Team Heron",
        kind="fix",
    )
    memory.save("It gives up after ninety seconds.", title="Ledger", kind="fix")
    for number in range(20):
        memory.save(f"Lunch {number} was late.", title=f"Lunch {number}", kind="fix")
    for number in range(6):
        memory.save(
            f"It meets on Monday, on that day, room {number}.", title=f"Team {number}", kind="fix"
        )
    return memory


def by_graph(memory: Memory, query: str, weight: float = 4.0, **scope: object) -> dict[str, float]:
    """What the channel says of each result, where it says anything."""
    deep = PROFILES["deep"]
    profile = replace(deep, weights={**deep.weights, "graph": weight})
    found = memory.recall(query, profile=profile, explain=True, scope=Scope(**scope))  # type: ignore[arg-type]
    return {
        one.row.title: part.score
        for one in found.results
        if one.reasons
        for part in one.reasons.parts
        if part.channel == "graph" and part.score
    }


def test_what_the_words_do_not_tell_apart_the_links_do(linked: Memory) -> None:
    query = "on which day does the team of Mara Velden meet?"
    without = replace(PROFILES["deep"], weights=WEIGHTS)
    assert "Team Heron" not in titles(linked.recall(query, profile=without))[:2]
    assert titles(linked.recall(query, profile="deep"))[:2] == ["Mara Velden", "Team Heron"]


def test_what_has_none_of_the_words_is_brought_from_two_links_away(linked: Memory) -> None:
    query = "Mara Velden"
    assert "Ledger" not in titles(linked.recall(query))
    found = titles(linked.recall(query, profile="associative"))
    assert found[:3] == ["Mara Velden", "Team Heron", "Ledger"]


def test_an_id_alone_leads_to_its_neighbours(linked: Memory) -> None:
    (row,) = linked.recall("Mara Velden", limit=1).results
    found = titles(linked.recall(row.row.id, profile="associative"))
    assert found[:2] == ["Mara Velden", "Team Heron"]


def test_the_words_an_entry_lacks_are_lent_to_it_and_no_others(linked: Memory) -> None:
    told = by_graph(linked, "Mara Velden Monday team")
    assert told["Team Heron"] > told["Ledger"] > 0
    assert told.get("Mara Velden", 0.0) < told["Team Heron"]


def test_a_walk_makes_nothing_relevant(linked: Memory) -> None:
    prompt = PROFILES["prompt"]
    walking = replace(prompt, weights={**prompt.weights, "graph": 50.0})
    query = "the walrus of Archangelsk limps"
    assert linked.recall(query, profile=prompt).results == ()
    recall = linked.recall(query, profile=walking)
    assert recall.results == ()
    assert recall.relevance == linked.recall(query, profile=prompt).relevance


def test_where_there_are_no_links_nothing_changes(memory: Memory) -> None:
    for number in range(8):
        memory.save(f"The crane {number} was greased.", title=f"Crane {number}", kind="fix")
    deep = PROFILES["deep"]
    without = replace(deep, weights={**deep.weights, "graph": 0.0})
    asked = "which crane was greased"
    assert titles(memory.recall(asked)) == titles(memory.recall(asked, profile=without))
    assert by_graph(memory, asked) == {}


def test_what_is_out_of_scope_is_neither_brought_nor_walked_through(linked: Memory) -> None:
    linked.forget("team-heron")
    assert by_graph(linked, "Mara Velden") == {}


def test_what_did_not_hold_then_is_not_brought(memory: Memory, vault: Path) -> None:
    put(
        vault, "Memory/fix/mara.md",
        "---\nid: mara\nkind: fix\ncreated: 2025-01-01T00:00:00Z\n---\n# Mara Velden\n[[heron]]\n",
    )  # fmt: skip
    put(
        vault, "Memory/fix/heron.md",
        "---\nid: heron\nkind: fix\nvalid_from: 2026-01-01T00:00:00Z\n"
        "valid_to: 2026-06-01T00:00:00Z\n---\n# Heron\nIt stands.\n",
    )  # fmt: skip
    memory.scan()
    assert "Heron" in by_graph(memory, "Mara Velden", as_of=START - 160 * DAY)
    assert "Heron" not in by_graph(memory, "Mara Velden", as_of=START - 300 * DAY)


def test_the_channel_is_reported_with_the_others(linked: Memory) -> None:
    found = linked.recall("Mara Velden", profile="associative", explain=True)
    brought = {one.row.title: one.reasons for one in found.results}["Ledger"]
    assert brought is not None
    assert [part.channel for part in brought.parts if part.score] == ["graph"]
