"""Links from entries to the operator's own notes: shown, and never followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, NotFoundError, UsageError
from engrain.engine.links.personal_links import link_personal


def link(memory: Memory, reference: str, place: str, relation: str = "related_to") -> str:
    return link_personal(memory._ready(), reference, place, relation).outcome


def test_a_link_is_added_once_beside_those_that_are_there(memory: Memory) -> None:
    entry = memory.save("Words.", title="One").id
    other = memory.save("Other words.", title="Two").id
    memory.link(entry, other)
    assert link(memory, entry, "Journal/day.md") == "updated"
    assert link(memory, entry, "Journal/day.md") == "unchanged"
    assert link(memory, entry, "Journal/day.md", "elaborates") == "updated"
    assert memory.show(entry).entry.links == (
        (other, "related_to"),
        ("personal:Journal/day.md", "related_to"),
        ("personal:Journal/day.md", "elaborates"),
    )


def test_a_link_means_no_entry_of_the_same_name(memory: Memory, vault: Path) -> None:
    entry = memory.save("Words.", title="One").id
    for title in ("day", "Journal/day.md", "personal:Journal/day.md"):
        memory.save("Other words.", title=title, slug="day")
    link(memory, entry, "Journal/day.md")
    assert memory.show(entry).links_from == (("personal:Journal/day.md", "related_to", None),)
    assert memory.show(memory.list().rows[-1].id).entry.title == "One"
    day = next(row.id for row in memory.list().rows if row.title == "day")
    assert not memory.show(day).links_to


@pytest.mark.parametrize("reference", ["personal:Journal/day.md", "Journal/day.md"])
def test_the_ordinary_link_finds_nothing_there(memory: Memory, reference: str) -> None:
    entry = memory.save("Words.", title="One").id
    with pytest.raises(NotFoundError):
        memory.link(entry, reference)


def test_a_relation_of_none_of_ours_is_refused(memory: Memory) -> None:
    entry = memory.save("Words.", title="One").id
    with pytest.raises(UsageError):
        link(memory, entry, "Journal/day.md", "likes")
    with pytest.raises(NotFoundError):
        link(memory, "nobody", "Journal/day.md")
