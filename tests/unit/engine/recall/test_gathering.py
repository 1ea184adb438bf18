"""The channels: by what else than its words a passage is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.recall.profiles import PROFILES
from support.vaults import START
from unit.engine.core.vault_files import find, put, titles

DAY = 86_400.0


def only(memory: Memory, channel: str, query: str) -> list[str]:
    """What one channel finds by itself."""
    profile = replace(PROFILES["deep"], weights={channel: 1.0})
    return titles(memory.recall(query, profile=profile))


def channels_of(memory: Memory, query: str) -> dict[str, set[str]]:
    """The channels that brought each result."""
    found = memory.recall(query, explain=True, profile="deep")
    return {
        one.row.title: {part.channel for part in one.reasons.parts if part.score}
        for one in found.results
        if one.reasons
    }


def test_an_entry_is_found_by_its_id(memory: Memory) -> None:
    saved = memory.save("Words.", title="Named", kind="fix")
    memory.save("what does it say", title="Other", kind="fix")
    assert find(memory, f"what does {saved.id} say")[0] == "Named"
    assert only(memory, "id", f"see {saved.id}") == ["Named"]
    assert only(memory, "id", f"see {saved.id[:-1]}0") == []


@pytest.mark.parametrize(
    "query", ["ask Ada Lovelace", "ask ada lovelace's cat", "see ada-lovelace", "the tall one"]
)
def test_an_entry_is_found_by_its_title_slug_or_alias(
    memory: Memory, vault: Path, query: str
) -> None:
    put(
        vault, "Memory/entities/ada-lovelace.md",
        "---\nid: ada\nkind: entity\naliases: [the tall one]\n---\n# Ada Lovelace\nShe counts.\n",
    )  # fmt: skip
    memory.save("Words.", title="Someone else", kind="entity")
    assert only(memory, "name", query) == ["Ada Lovelace"]


def test_a_name_that_very_many_entries_go_by_names_none_of_them(memory: Memory) -> None:
    for number in range(30):
        memory.save(f"Day {number}.", title="Standup", kind="memory")
    memory.save("The agenda.", title="Agenda", kind="fix")
    assert only(memory, "name", "standup") == []
    assert only(memory, "name", "agenda") == ["Agenda"]


def test_an_entry_is_found_by_its_tags_and_first_by_the_most(memory: Memory) -> None:
    memory.save("x", title="Both", kind="fix", tags=["harbour", "crane"], created=START - DAY)
    memory.save("y", title="One", kind="fix", tags=["harbour"])
    memory.save("z", title="None", kind="fix")
    assert set(only(memory, "tag", "#harbour #crane")) == {"Both", "One"}
    assert set(only(memory, "tag", "about the harbour")) == {"Both", "One"}
    assert only(memory, "tag", "#pier and the harbour") == [], "tags that are marked are meant"


def test_a_tag_is_found_whatever_its_case(memory: Memory) -> None:
    memory.save("x", title="One", kind="fix", tags=["Harbour"])
    assert only(memory, "tag", "#Harbour") == ["One"]


def test_the_newest_are_found_where_a_profile_asks_for_them(memory: Memory) -> None:
    for number in range(4):
        memory.save(f"x {number}", title=f"Part {number}", created=START + number * DAY)
    assert only(memory, "recency", "whatever") == ["Part 3", "Part 2", "Part 1", "Part 0"]
    assert "recency" not in channels_of(memory, "part x")["Part 3"]


def test_channels_that_agree_count_together(memory: Memory) -> None:
    memory.save("The crane was greased.", title="Tagged", kind="fix", tags=["harbour"])
    memory.save("The crane was greased there.", title="Plain", kind="fix")
    found = channels_of(memory, "crane greased #harbour")
    assert list(found) == ["Tagged", "Plain"]
    assert "tag" in found["Tagged"]
    assert "tag" not in found["Plain"]
