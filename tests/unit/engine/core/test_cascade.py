"""`undo --cascade`: what was derived from what is taken back goes with it (S1.17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory
from engrain.engine.core.moving import promote_entry
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import JOBS, Actor
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import last_change, notes, put


def change_of(memory: Memory, saved: Outcome, op: str = "save") -> str:
    return next(change.change for change in memory.history(saved.id) if change.op == op)


def family(memory: Memory) -> tuple[Outcome, Outcome, Outcome, Outcome]:
    """A source, its child, its grandchild, and a stranger."""
    source = memory.save("A page.", title="Source", kind="fix")
    child = memory.save("Summed up.", title="Child", kind="fix", derived_from=[source.id])
    grand = memory.save("Again.", title="Grandchild", kind="fix", derived_from=[child.id])
    return source, child, grand, memory.save("Else.", title="Stranger", kind="fix")


def statuses(memory: Memory, *saved: Outcome) -> list[str]:
    return [memory.show(one.id).entry.status for one in saved]


def test_undoing_names_what_was_derived_and_leaves_it(memory: Memory) -> None:
    source, child, grand, stranger = family(memory)
    undone = memory.undo(change_of(memory, source))
    assert [row.id for row in undone.derived] == [child.id, grand.id]
    assert not undone.cascaded
    assert statuses(memory, source, child, grand, stranger) == [
        "deleted", "active", "active", "active",
    ]  # fmt: skip


def test_a_cascade_takes_all_of_it_back_in_one_change_and_undoing_that_returns_every_byte(
    memory: Memory, vault: Path
) -> None:
    source, child, grand, stranger = family(memory)
    before = notes(vault)
    count = len({change.change for change in memory.history()})
    undone = memory.undo(change_of(memory, source), cascade=True)
    assert undone.cascaded
    assert set(undone.entries) == {source.id, child.id, grand.id}
    assert len({change.change for change in memory.history()}) == count + 1
    assert statuses(memory, source, child, grand, stranger) == [
        "deleted", "deleted", "deleted", "active",
    ]  # fmt: skip
    memory.undo(undone.change)
    assert notes(vault) == before


def test_after_a_cascade_the_last_change_is_one_that_still_stands(memory: Memory) -> None:
    source, _, _, stranger = family(memory)
    memory.undo(change_of(memory, source), cascade=True)
    assert memory.undo().entries == (stranger.id,)
    with pytest.raises(Exception, match="no change"):
        memory.undo()


def test_what_was_forgotten_already_is_neither_named_nor_touched(memory: Memory) -> None:
    source, child, grand, _ = family(memory)
    memory.forget(grand.id)
    undone = memory.undo(change_of(memory, source), cascade=True)
    assert [row.id for row in undone.derived] == [child.id]


def test_a_later_change_of_what_was_derived_refuses_the_whole_and_is_named(
    memory: Memory, vault: Path
) -> None:
    source, child, grand, _ = family(memory)
    shown = memory.show(grand.id).entry
    memory.edit(grand.id, expect=shown.hash, text="By hand.")
    edit = last_change(memory)
    before = notes(vault)
    with pytest.raises(ConflictError, match=edit) as caught:
        memory.undo(change_of(memory, source), cascade=True)
    assert grand.locator in caught.value.message
    assert notes(vault) == before
    memory.undo(edit)
    memory.undo(change_of(memory, source), cascade=True)
    assert statuses(memory, source, child, grand) == ["deleted"] * 3


def test_counters_that_were_folded_in_are_no_later_change(memory: Memory, vault: Path) -> None:
    source, child, _, _ = family(memory)
    path = vault / child.locator
    path.write_bytes(path.read_bytes().replace(b"---\n", b"---\nrecall_count: 4\n", 1))
    before = notes(vault)
    undone = memory.undo(change_of(memory, source), cascade=True)
    assert statuses(memory, child) == ["deleted"]
    memory.undo(undone.change)
    assert notes(vault) == before


def test_what_is_older_than_an_edit_was_not_made_from_it(memory: Memory) -> None:
    source = memory.save("A page.", title="Source", kind="fix")
    memory.save("Old.", title="Older", kind="fix", derived_from=[source.id])
    memory.edit(source.id, expect=source.hash, text="Another page.")
    edit = last_change(memory)
    younger = memory.save("New.", title="Younger", kind="fix", derived_from=[source.id])
    undone = memory.undo(edit, cascade=True)
    assert [row.id for row in undone.derived] == [younger.id]
    assert memory.show(source.id).entry.text == "A page.\n"


def test_what_only_moves_an_entry_has_nothing_derived_from_it(memory: Memory) -> None:
    source, _, _, _ = family(memory)
    memory.archive(source.id)
    assert memory.undo().derived == ()


def test_an_entry_that_came_to_derive_from_it_by_hand_gets_its_bytes_back(
    memory: Memory, vault: Path
) -> None:
    source, _, _, stranger = family(memory)
    path = vault / stranger.locator
    before = path.read_bytes()
    path.write_bytes(before.replace(b"---\n", f"---\nderived_from: [{source.id}]\n".encode(), 1))
    memory.scan()
    undone = memory.undo(change_of(memory, source), cascade=True)
    assert stranger.id in [row.id for row in undone.derived]
    assert path.read_bytes() == before


def test_a_successor_that_came_to_derive_from_it_is_as_it_was_evolved_again(
    memory: Memory, vault: Path
) -> None:
    source, _, _, stranger = family(memory)
    evolved = memory.evolve(stranger.id, "Newer.")
    path = vault / evolved.locator
    path.write_bytes(
        path.read_bytes().replace(b"---\n", f"---\nderived_from: [{source.id}]\n".encode(), 1)
    )
    memory.scan()
    undone = memory.undo(change_of(memory, source), cascade=True)
    assert evolved.id in [row.id for row in undone.derived]
    assert memory.show(evolved.id).entry.text == "Newer.\n"


def test_a_cycle_of_derivation_hangs_nothing(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/a.md", "---\nid: 01aaaa\nderived_from: [01bbbb]\n---\n# A\n")
    put(vault, "Memory/fix/b.md", "---\nid: 01bbbb\nderived_from: [01aaaa]\n---\n# B\n")
    memory.scan()
    undone = memory.undo(last_change(memory), cascade=True)
    assert set(undone.entries) == {"01aaaa", "01bbbb"}


def test_a_clock_that_was_set_back_changes_nothing_of_it(tmp_path: Path, vault: Path) -> None:
    clock = FakeClock()
    with make_memory(tmp_path, clock=clock) as memory:
        source = memory.save("A page.", title="Source", kind="fix")
        memory.edit(source.id, expect=source.hash, text="Another page.")
        edit = last_change(memory)
        clock.at -= 365 * 86400.0
        child = memory.save("New.", title="Child", kind="fix", derived_from=[source.id])
        undone = memory.undo(edit, cascade=True)
        assert [row.id for row in undone.derived] == [child.id]
        assert statuses(memory, child) == ["deleted"]


def test_without_a_name_what_a_job_did_is_not_meant(memory: Memory) -> None:
    promoted = memory.save("The lock is 4711.", title="Lock", kind="fix")
    mine = memory.save("Deploys go out on Tuesdays.", title="Deploys", kind="workflow")
    promote_entry(memory._ready().acting_as(Actor(JOBS)), promoted.id)
    assert memory.undo().undone == change_of(memory, mine)
