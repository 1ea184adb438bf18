"""Typed links are drawn as wikilinks where they are made, and stay right."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.model.note.note import split_note
from unit.engine.core.vault_files import notes, put


def related(vault: Path, place: str) -> object:
    return split_note((vault / place).read_bytes()).fields.get("related")


@pytest.fixture
def linked(memory: Memory) -> tuple[str, str]:
    """Two notes, the first of which elaborates the second."""
    one = memory.save("Small ones are read.", title="Small changes", kind="insight").id
    two = memory.save("It fails on Mondays.", title="Flaky dunning test", kind="fix").id
    memory.link(one, two, "elaborates")
    return one, two


def test_both_ends_of_a_link_draw_it_until_it_is_removed(
    memory: Memory, vault: Path, linked: tuple[str, str]
) -> None:
    one, two = linked
    assert related(vault, "Memory/insight/small-changes.md") == ["[[flaky-dunning-test]]"]
    assert related(vault, "Memory/fix/flaky-dunning-test.md") is None  # it has no inverse
    memory.link(one, two, "contradicts")
    assert related(vault, "Memory/fix/flaky-dunning-test.md") == ["[[small-changes]]"]
    memory.link(one, two, "contradicts", remove=True)
    memory.link(one, two, "elaborates", remove=True)
    assert related(vault, "Memory/insight/small-changes.md") is None
    assert memory.check().found == []


def test_a_drawn_link_is_no_second_edge(memory: Memory, linked: tuple[str, str]) -> None:
    shown = memory.show(linked[0])
    assert [(to, how) for to, how, _ in shown.links_from] == [(linked[1], "elaborates")]
    (edge,) = memory.graph.read().edges
    assert (edge.origin, edge.relation) == ("field", "elaborates")


def test_a_successor_draws_what_it_replaced_and_others_follow_the_name(
    memory: Memory, vault: Path, linked: tuple[str, str]
) -> None:
    memory.evolve(linked[1], "It fails on Tuesdays.")
    old = f"[[flaky-dunning-test--{linked[1][-8:]}]]"
    assert related(vault, "Memory/fix/flaky-dunning-test.md") == [old]
    assert related(vault, "Memory/insight/small-changes.md") == ["[[flaky-dunning-test]]"]
    assert memory.check().found == []


def test_a_renaming_is_followed_in_the_same_change(
    memory: Memory, vault: Path, linked: tuple[str, str]
) -> None:
    before = notes(vault)
    renamed = memory.rename(linked[1], "Dunning on Mondays")
    assert related(vault, "Memory/insight/small-changes.md") == ["[[dunning-on-mondays]]"]
    assert memory.check().found == []
    memory.undo(renamed.changes[0])
    assert notes(vault) == before


def test_what_a_person_wrote_stays(memory: Memory, vault: Path, linked: tuple[str, str]) -> None:
    front = 'id: 01mine\nkind: fix\ncreated: 2026-01-02\nrelated:\n  - "[[small-changes]]"\n'
    theirs = f"---\n{front}---\n# Mine\n\nText.\n"
    put(vault, "Memory/fix/mine.md", theirs)
    memory.link("01mine", linked[1], "elaborates")
    assert related(vault, "Memory/fix/mine.md") == ["[[small-changes]]"]
    assert memory.check(fix=True).fixed == []
    ends = [to for to, _, _ in memory.show("01mine").links_from]
    assert sorted(ends) == sorted([linked[1], "small-changes"])


def test_existing_notes_get_it_by_one_lint_that_undo_takes_back(
    memory: Memory, vault: Path
) -> None:
    for name, more in (("a", "links: [{to: 01b, relation: elaborates}]\n"), ("b", "")):
        put(
            vault,
            f"Memory/fix/note-{name}.md",
            f"---\nid: 01{name}\nkind: fix\nslug: note-{name}\ncreated: 2026-01-02\n{more}---\n"
            f"# Note {name}\n",
        )
    substances = {row.id: memory.show(row.id).entry.note.substance() for row in memory.list().rows}
    before = notes(vault)
    linted = memory.check(fix=True)
    assert [flaw.rule for flaw in linted.fixed] == ["drawing"]
    assert related(vault, "Memory/fix/note-a.md") == ["[[note-b]]"]
    for id_, substance in substances.items():
        assert memory.show(id_).entry.note.substance() == substance
    assert memory.check(fix=True).change == ""
    memory.undo(linted.change)
    assert notes(vault) == before


def test_a_mark_that_obsidian_dropped_comes_back(
    memory: Memory, vault: Path, linked: tuple[str, str]
) -> None:
    place = vault / "Memory/insight/small-changes.md"
    place.write_text(place.read_text().replace(" # drawn by engrain", ""))
    three = memory.save("Third.", title="Third", kind="fix").id
    memory.link(linked[0], three, "elaborates")
    assert related(vault, "Memory/insight/small-changes.md") == [
        "[[flaky-dunning-test]]",
        "[[third]]",
    ]
    assert memory.check().found == []


def test_two_files_of_one_name_are_drawn_by_their_paths(memory: Memory, vault: Path) -> None:
    one = memory.save("Text.", title="One", kind="fix").id
    two = memory.save("Text.", title="Same", kind="fix").id
    put(vault, "ideas/same.md", "# Other\n")
    memory.link(one, two, "elaborates")
    assert related(vault, "Memory/fix/one.md") == ["[[Memory/fix/same]]"]


def test_an_erased_end_is_drawn_no_longer_by_its_name(
    memory: Memory, vault: Path, linked: tuple[str, str]
) -> None:
    memory.erase(memory.plan_erasure([linked[1]]))
    text = (vault / "Memory/insight/small-changes.md").read_text()
    assert "flaky" not in text


def test_records_are_not_drawn(memory: Memory, vault: Path, linked: tuple[str, str]) -> None:
    memory.facts.add("Ada", "Ada lives in Bern.")
    [row] = [row for row in memory.list().rows if row.kind == "entity"]
    memory.link(linked[0], row.id, "elaborates")
    assert related(vault, "Memory/insight/small-changes.md") == ["[[flaky-dunning-test]]"]
