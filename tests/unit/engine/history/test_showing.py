"""One change whole, what undoing it would take with it, and how many entries there were when."""

from __future__ import annotations

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from support.vaults import START


def test_a_change_shows_each_file_before_and_after(memory: Memory) -> None:
    saved = memory.save("As it was.", title="Note", kind="fix")
    memory.edit(saved.id, expect=saved.hash, text="As it is.")
    making, edit = memory.history(saved.id)[::-1]
    (made,) = memory.show_change(making.change).files
    (edited,) = memory.show_change(edit.change).files
    assert (made.path, made.entry, made.before) == (saved.locator, saved.id, None)
    assert edited.before == made.after
    assert edited.after is not None
    assert b"As it is." in edited.after


def test_a_change_of_several_commits_is_shown_whole_by_any_of_them(memory: Memory) -> None:
    together = memory.as_one_change()
    ids = [together.save(f"Text {n}.", title=f"Note {n}").id for n in range(3)]
    names = [memory.history(id_)[0].change for id_ in ids]
    for name in names:
        shown = memory.show_change(name)
        assert shown.names == tuple(names)
        assert [file.entry for file in shown.files] == ids


def test_bytes_that_were_erased_are_not_shown(memory: Memory) -> None:
    saved = memory.save("A secret of somebody.", title="Note", kind="fix")
    making = memory.history(saved.id)[0].change
    memory.erase(memory.plan_erasure([saved.id]))
    assert memory.show_change(making).files == ()


def test_what_names_no_change_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.show_change("nonsense")
    with pytest.raises(NotFoundError):
        memory.show_change("abcdefgh-7")


def test_an_undo_is_planned_without_writing_anything(memory: Memory) -> None:
    source = memory.save("The source.", title="Source")
    derived = memory.save("Derived.", title="Derived", derived_from=[source.id])
    making = memory.history(source.id)[0].change
    heads = dict(memory.heads)
    assert [row.id for row in memory.plan_undo(making)] == [derived.id]
    assert memory.heads == heads
    memory.undo(making, cascade=True)
    assert memory.heads != heads
    with pytest.raises(ConflictError):
        memory.plan_undo(making)


def test_growth_counts_the_entries_of_each_moment(memory: Memory) -> None:
    memory.save("One.", title="One")
    memory.save("Two.", title="Two", kind="fix")
    assert memory.growth([START - 1, START + 10_000]) == [0, 2]


def test_who_acts_as_another_writes_in_their_name(memory: Memory) -> None:
    saved = memory.acting_as("external").save("From outside.", title="Outside", kind="fix")
    assert memory.show(saved.id).origin == "external"
    assert memory.show(memory.save("Ours.", title="Ours").id).origin == "agent"
