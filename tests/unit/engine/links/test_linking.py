"""`link`: both ends of a link, written and taken back together (S2.9)."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.engine.links.linking import list_one_sided, mend_inverses
from engrain.model.links.link import INVERSE, RELATIONS
from support.vaults import make_memory
from unit.engine.core.vault_files import last_change, notes, put

TWO_WAY = sorted(INVERSE)
ONE_WAY = sorted(set(RELATIONS) - set(INVERSE))


@pytest.fixture
def pair(memory: Memory) -> tuple[str, str]:
    return save(memory, "One"), save(memory, "Two")


def save(memory: Memory, title: str, text: str = "") -> str:
    return memory.save(text or f"Text of {title}.", title=title, kind="fix").id


def links(memory: Memory, id_: str) -> tuple[tuple[str, str], ...]:
    return memory.show(id_).entry.links


@pytest.mark.parametrize("relation", TWO_WAY)
def test_the_other_end_says_the_inverse_in_the_same_change(
    memory: Memory, pair: tuple[str, str], relation: str
) -> None:
    one, two = pair
    before = len(memory.history())
    assert memory.link(one, two, relation).outcome == "updated"
    assert links(memory, one) == ((two, relation),)
    assert links(memory, two) == ((one, INVERSE[relation]),)
    assert len({change.change for change in memory.history()}) == before + 1


@pytest.mark.parametrize("relation", ONE_WAY)
def test_a_relation_without_an_inverse_is_read_at_the_other_end_as_a_backlink(
    memory: Memory, pair: tuple[str, str], relation: str
) -> None:
    one, two = pair
    memory.link(one, two, relation)
    assert links(memory, two) == ()
    assert [(row.id, how) for row, how in memory.show(two).links_to] == [(one, relation)]


@pytest.mark.parametrize("relation", RELATIONS)
def test_linking_and_removing_twice_is_unchanged(
    memory: Memory, vault: Path, pair: tuple[str, str], relation: str
) -> None:
    one, two = pair
    memory.link(one, two, relation)
    linked = notes(vault)
    assert memory.link(one, two, relation).outcome == "unchanged"
    assert notes(vault) == linked
    assert memory.link(one, two, relation, remove=True).outcome == "updated"
    assert (links(memory, one), links(memory, two)) == ((), ())
    assert memory.link(one, two, relation, remove=True).outcome == "unchanged"


def test_from_the_other_end_it_is_the_same_link(memory: Memory, pair: tuple[str, str]) -> None:
    one, two = pair
    memory.link(one, two, "supersedes")
    assert memory.link(two, one, "superseded_by").outcome == "unchanged"
    assert memory.link(two, one, "superseded_by", remove=True).outcome == "updated"
    assert (links(memory, one), links(memory, two)) == ((), ())


def test_undo_takes_both_ends_back(memory: Memory, vault: Path, pair: tuple[str, str]) -> None:
    before = notes(vault)
    memory.link(*pair, "contradicts")
    memory.undo(last_change(memory))
    assert notes(vault) == before


def test_removing_one_link_leaves_the_others_as_they_are_written(
    memory: Memory, vault: Path
) -> None:
    two = save(memory, "Two")
    path = put(
        vault,
        "Memory/fix/one.md",
        "---\nid: 01one\nlinks:\n  - bare-name\n  - two\n"
        "  - {to: Two, relation: contradicts}\n  - {to: 01x, relation: elaborates, note: mine}\n"
        "---\n# One\n",
    )
    memory.link("01one", two, "contradicts", remove=True)
    assert links(memory, "01one") == (
        ("bare-name", "related_to"), ("two", "related_to"), ("01x", "elaborates"),
    )  # fmt: skip
    memory.link("01one", two, remove=True)  # a bare one is `related_to`
    assert links(memory, "01one") == (("bare-name", "related_to"), ("01x", "elaborates"))
    assert "note: mine" in path.read_text()


def test_a_link_in_a_text_is_not_taken_out_of_it(memory: Memory, vault: Path) -> None:
    two = save(memory, "Two")
    one = save(memory, "One", "It says [[contradicts:: Two]].")
    before = notes(vault)
    with pytest.raises(UsageError, match="text") as caught:
        memory.link(two, one, "contradicts", remove=True)
    assert f"engrain edit {one}" in (caught.value.remedy or "")
    assert notes(vault) == before


def test_a_record_is_linked_like_a_note(memory: Memory, vault: Path) -> None:
    one = save(memory, "One")
    path = put(vault, "Memory/episodic/2026-01-06/ep-1.json", '{"id": "ep-1", "outcome": "x"}')
    memory.link("ep-1", one, "related_to")
    whole = json.loads(path.read_text())
    assert whole["engrain"]["links"] == [{"to": one, "relation": "related_to"}]
    assert (whole["id"], whole["outcome"]) == ("ep-1", "x")
    assert links(memory, one) == (("ep-1", "related_to"),)
    memory.link(one, "ep-1", remove=True)
    assert "links" not in json.loads(path.read_text())["engrain"]


def test_links_that_are_made_at_once_are_all_there(memory: Memory) -> None:
    hub = save(memory, "Hub")
    others = [save(memory, f"Spoke {number}") for number in range(6)]
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda other: memory.link(other, hub, "related_to"), others))
    assert {to for to, _ in links(memory, hub)} == set(others)
    assert all(links(memory, other) == ((hub, "related_to"),) for other in others)


def test_what_comes_from_outside_links_nothing_of_the_operator_s(
    memory: Memory, tmp_path: Path, vault: Path
) -> None:
    one = save(memory, "One")
    put(vault, "fixes/mine.md", "---\nid: 01mine\nkind: fix\n---\n# Mine\nText.\n")
    memory.scan()
    before = notes(vault)
    with make_memory(tmp_path, trust="external") as outside:
        for ends in ((one, "01mine"), ("01mine", one)):
            with pytest.raises(ConflictError, match="operator"):
                outside.link(*ends, "contradicts")
    assert notes(vault) == before
    assert memory.link(one, "01mine", "contradicts").outcome == "updated"


# What was written at one end only


def test_what_was_written_at_one_end_is_put_in_step(memory: Memory, vault: Path) -> None:
    two, three = save(memory, "Two"), save(memory, "Three")
    put(
        vault,
        "Memory/fix/one.md",
        f"---\nid: 01one\nlinks:\n  - {{to: {two}, relation: supersedes}}\n"
        f"  - {{to: {three}, relation: elaborates}}\n  - {{to: nowhere, relation: contradicts}}\n"
        "---\n# One\nAs in [[related_to:: Three]].\n",
    )
    memory.scan()
    store = memory._open_store()
    assert {(row.id, how, to.id) for row, how, to in list_one_sided(store)} == {
        ("01one", "supersedes", two), ("01one", "related_to", three),
    }  # fmt: skip
    assert "one-sided" in {flaw.rule for flaw in memory.check().found}
    assert mend_inverses(store, ["01one", "not-there"]) == 2
    assert links(memory, two) == (("01one", "superseded_by"),)
    assert links(memory, three) == (("01one", "related_to"),)
    assert list_one_sided(store) == []
    assert mend_inverses(store, ["01one"]) == 0
    assert "one-sided" not in {flaw.rule for flaw in memory.check().found}


def test_a_broken_file_does_not_keep_others_out_of_step(memory: Memory, vault: Path) -> None:
    two, three = save(memory, "Two"), save(memory, "Three")
    put(
        vault,
        "Memory/fix/one.md",
        f"---\nid: 01one\nlinks:\n  - {{to: {two}, relation: contradicts}}\n"
        f"  - {{to: {three}, relation: contradicts}}\n---\n# One\n",
    )
    memory.scan()
    put(vault, "Memory/fix/two.md", b"---\n\xff\n")
    assert mend_inverses(memory._open_store(), ["01one"]) == 1
    assert links(memory, three) == (("01one", "contradicts"),)


def test_linking_again_puts_the_other_end_in_step(memory: Memory, vault: Path) -> None:
    two = save(memory, "Two")
    put(
        vault,
        "Memory/fix/one.md",
        f"---\nid: 01one\nlinks: [{{to: {two}, relation: contradicts}}]\n---\n# One\n",
    )
    assert memory.link("01one", two, "contradicts").outcome == "updated"
    assert links(memory, "01one") == ((two, "contradicts"),)
    assert links(memory, two) == (("01one", "contradicts"),)


def test_a_successor_that_took_links_over_is_in_step(memory: Memory) -> None:
    one, two = save(memory, "One"), save(memory, "Two")
    memory.link(one, two, "related_to")
    successor = memory.evolve(one, "It is so now.").id
    assert links(memory, successor) == ((two, "related_to"),)
    assert list_one_sided(memory._open_store()) == []


@pytest.mark.parametrize("reference", ["personal:Journal/day.md", "Journal/day.md"])
def test_the_ordinary_link_finds_nothing_there(memory: Memory, reference: str) -> None:
    entry = memory.save("Words.", title="One").id
    with pytest.raises(NotFoundError):
        memory.link(entry, reference)


def test_a_relation_of_none_of_ours_is_refused(memory: Memory) -> None:
    entry = memory.save("Words.", title="One").id
    other = memory.save("Other words.", title="Two").id
    with pytest.raises(UsageError):
        memory.link(entry, other, "likes")
