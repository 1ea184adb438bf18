"""The one read-modify-write, and how a reference finds its entry (S1.14)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from engrain import Memory, NotFoundError
from engrain.seam.locator import Locator
from support.vaults import make_memory
from unit.engine.core.vault_files import find, put


def together(work: Callable[[int], None], count: int) -> None:
    threads = [Thread(target=work, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_of_many_changes_to_one_entry_at_once_none_is_lost(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        hub = memory.save("x", title="Hub")
        targets = [memory.save("x", title=f"Target {number}").id for number in range(12)]
        memory.list()

        def link(number: int) -> None:
            with make_memory(tmp_path, device=f"device-{number}", seed=number + 20) as own:
                for target in targets[number::4]:
                    own.link(hub.id, target)

        together(link, 4)
        assert sorted(to for to, _ in memory.show(hub.id).entry.links) == sorted(targets)
        changes = memory.history(hub.id)
        assert [change.op for change in changes] == ["link"] * 12 + ["save"]
        assert len({change.change.rpartition("-")[0] for change in changes}) == 5
        assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_of_many_that_forget_one_entry_at_once_one_does(tmp_path: Path) -> None:
    outcomes: list[str] = []
    with make_memory(tmp_path) as memory:
        saved = memory.save("x", title="Note")
        memory.list()
        together(lambda _: outcomes.append(memory.forget(saved.id).outcome), 4)
        assert memory.show(saved.id).entry.status == "deleted"
        assert set(outcomes) <= {"deleted", "unchanged"}
        assert "deleted" in outcomes
        assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_a_note_that_came_just_now_is_found_by_every_verb(memory: Memory, vault: Path) -> None:
    memory.list()
    put(vault, "Memory/fix/by-hand.md", "# By hand\n")
    assert memory.show("by-hand").entry.title == "By hand"
    put(vault, "Memory/fix/another.md", "---\nid: 01another\n---\n# Another\n")
    assert memory.forget("01another").outcome == "deleted"


def test_a_note_that_was_moved_just_now_is_changed_where_it_is(memory: Memory, vault: Path) -> None:
    saved = memory.save("x", title="Note", kind="fix")
    memory.list()
    moved = vault / "Memory" / "moved.md"
    (vault / saved.locator).rename(moved)
    assert memory.forget(saved.id).locator == "Memory/moved.md"
    assert "status: deleted" in moved.read_text()
    assert not (vault / saved.locator).exists()


def test_a_note_whose_id_was_changed_just_now_is_not_found_by_the_old_one(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("x", title="Note", kind="fix")
    path = vault / saved.locator
    path.write_text(path.read_text().replace(saved.id, "01other"))
    with pytest.raises(NotFoundError):
        memory.forget(saved.id)
    assert memory.forget("01other").outcome == "deleted"


def test_an_exact_id_or_path_wins_over_a_slug_of_that_name(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/one.md", "---\nid: alpha\n---\n# One\n")
    put(vault, "Memory/fix/alpha.md", "---\nid: 01two\n---\n# Two\n")
    assert memory.show("alpha").entry.title == "One"
    assert memory.show("Memory/fix/alpha.md").entry.title == "Two"


def test_an_active_entry_wins_over_retired_ones_of_its_name(memory: Memory) -> None:
    first = memory.save("x", title="Note", kind="fix")
    second = memory.evolve(first.id, "y")
    old = f"Memory/_archive/fix/note--{first.id[-8:]}.md"
    store = memory._ready()

    # as earlier versions wrote it
    store.update(Locator(old), lambda entry: entry.note.patch({"slug": "note"}), "edit")
    assert memory.show("note").entry.id == second.id
    memory.forget(second.id)
    assert memory.show("note").entry.id == second.id, "the other one lies in the archive"


def test_a_change_says_who_made_it(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as operator:
        saved = operator.save("x", title="Note", kind="preference")
    with make_memory(tmp_path, trust="tool", seed=8) as tool:
        tool.link(saved.id, tool.save("y", title="Other").id)
        assert [change.trust for change in tool.history(saved.id)] == ["tool", "operator"]
        assert find(tool, "other") == ["Other"]
