"""`show`: one entry, by whatever names it."""

from __future__ import annotations

import pytest

from engrain import Memory, NotFoundError, UsageError
from support.vaults import START

DAY = 86400.0


def test_an_entry_is_shown_by_id_beginning_of_an_id_path_or_slug(memory: Memory) -> None:
    saved = memory.save("Take it.", title="Nightly lock", kind="fix")
    memory.save("Other.", title="Other", kind="fix", created=START - 900 * DAY)
    for reference in (saved.id, saved.id[:12], saved.locator, "nightly-lock"):
        assert memory.show(reference).entry.id == saved.id
    for reference in ("", "zebra", saved.id[:3], "Memory/fix", "../vault/Memory/fix/other.md"):
        with pytest.raises(NotFoundError):
            memory.show(reference)


def test_a_reference_to_several_entries_names_them(memory: Memory) -> None:
    first = memory.save("x", title="Notes", kind="fix")
    second = memory.save("x", title="Notes", kind="decision")
    with pytest.raises(UsageError, match="2 entries") as caught:
        memory.show("notes")
    assert first.id in caught.value.message
    assert second.locator in caught.value.message
    memory.forget(first.id)
    assert memory.show("notes").entry.id == second.id


def test_an_entry_is_shown_with_its_links_both_ways(memory: Memory) -> None:
    old = memory.save("Take it.", title="Nightly lock", kind="fix")
    saved = memory.save(
        "See [[Nightly lock]], [[elaborates:: nightly-lock]] and [[nowhere]].", title="Notes"
    )
    shown = memory.show(saved.id)
    assert [(to, relation, row and row.id) for to, relation, row in shown.links_from] == [
        ("Nightly lock", "", old.id),
        ("nightly-lock", "elaborates", old.id),
        ("nowhere", "", None),
    ]
    assert [(row.id, relation) for row, relation in memory.show(old.id).links_to] == [
        (saved.id, ""),
        (saved.id, "elaborates"),
    ]


def test_a_replaced_entry_names_its_successor(memory: Memory) -> None:
    old = memory.save("Take it.", title="Nightly lock", kind="fix")
    assert memory.show(old.id).successors == ()
    new = memory.evolve(old.id, "Leave it.")
    assert [row.id for row in memory.show(old.id).successors] == [new.id]
