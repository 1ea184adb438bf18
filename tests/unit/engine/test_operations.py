"""An operation that needs several commits is one change to whoever lists it or takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core import batches
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.history.record import Record, decode_record, encode_record
from engrain.seam.changes import ChangeSet
from support.vaults import make_memory

NOTES = 150
"""More than one commit of an import takes in."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes that link to each other, too many for one commit."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(NOTES):
        text = f"# Note {number}\n\nIt follows [[note-{number - 1}]], and says {number} things.\n"
        (folder / f"note-{number}.md").write_text(text)
    return folder


def names(memory: Memory) -> set[str]:
    return {row.id for row in memory.list(limit=10_000).rows}


def test_an_import_of_several_commits_is_taken_back_by_one_undo(
    memory: Memory, folder: Path
) -> None:
    kept = memory.save("It was there before.")
    memory.import_folder(str(folder))
    assert len({change.change for change in memory._open_store().index.changes(op="import")}) > 2
    undone = memory.undo()
    assert len(undone.entries) == NOTES
    assert names(memory) == {kept.id}


def test_the_undo_of_an_import_is_taken_back_by_one_undo_too(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    before = names(memory)
    first = memory.undo()
    again = memory.undo(first.change)
    assert names(memory) == before
    assert set(again.entries) == before
    memory.undo(first.undone)
    assert names(memory) == set()


def test_the_history_lists_an_import_and_its_undo_as_one_change_each(
    memory: Memory, folder: Path
) -> None:
    memory.import_folder(str(folder))
    memory.undo()
    assert [(change.op, change.files) for change in memory.history()] == [
        ("undo", NOTES), ("import", NOTES),
    ]  # fmt: skip
    assert len(memory.history(limit=1)) == 1


def test_a_part_names_the_whole(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    part = memory._open_store().index.changes(op="import")[0]
    assert part.part_of is not None
    assert memory.undo(part.change).undone == part.part_of
    assert names(memory) == set()
    with pytest.raises(ConflictError, match="was undone already"):
        memory.undo(part.change)


def test_an_import_that_died_in_the_middle_is_taken_back_or_completed(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_memory(tmp_path) as memory:
        store = memory._open_store()
        commit = store.backend.commit_all
        made: list[object] = []

        def die_at_the_third(changes: Sequence[ChangeSet]) -> list[Record | EngrainError]:
            if len(made) == 2:
                raise KeyboardInterrupt
            made.append(changes)
            return commit(changes)

        monkeypatch.setattr(batches, "_TOGETHER", 1)
        monkeypatch.setattr(store.backend, "commit_all", die_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            memory.import_folder(str(folder))
        monkeypatch.setattr(store.backend, "commit_all", commit)
        some = names(memory)
        assert 0 < len(some) < NOTES
        first = memory.undo()
        assert set(first.entries) == some and names(memory) == set()
        memory.undo(first.change)
        assert memory.import_folder(str(folder)).counts["unchanged"] == len(some)
        assert len(names(memory)) == NOTES


def test_an_undo_that_died_in_the_middle_is_completed_by_the_same_call(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_folder(str(folder))
    store = memory._open_store()
    commit = store.backend.commit
    made: list[Record] = []

    def die_at_the_second(*given: object) -> Record:
        if made:
            raise KeyboardInterrupt
        made.append(commit(*given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(store.backend, "commit", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        memory.undo()
    monkeypatch.setattr(store.backend, "commit", commit)
    assert 0 < len(names(memory)) < NOTES
    memory.undo()
    assert names(memory) == set()


def test_nothing_is_taken_back_where_a_part_can_not_be(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    found = next(row for row in memory.list(limit=1000).rows if row.title == "Note 3")
    memory.edit(found.id, expect=memory.show(found.id).entry.hash, text="It says more by now.")
    edited = memory.history(limit=1)[0].change
    imported = memory.history()[-1].change
    before = len(memory.history())
    with pytest.raises(ConflictError, match=r"was changed later, by .* \(edit\)"):
        memory.undo(imported)
    assert len(memory.history()) == before
    memory.undo(edited)
    memory.undo(imported)
    assert names(memory) == set()


def test_an_erased_entry_does_not_keep_the_rest_of_an_import(memory: Memory, folder: Path) -> None:
    memory.import_folder(str(folder))
    gone = next(row for row in memory.list(limit=1000).rows if row.title == "Note 149")
    memory.erase(memory.plan_erasure([gone.id]))
    imported = memory.history()[-1].change
    undone = memory.undo(imported)
    assert undone.erased and set(undone.erased) < {
        change.change for change in memory._open_store().index.changes(op="import")
    }
    left = names(memory)
    assert 0 < len(left) < NOTES and gone.id not in left
    with pytest.raises(ConflictError, match="were erased"):
        memory.undo(imported)


def test_several_verbs_may_be_one_change(memory: Memory) -> None:
    together = memory.as_one_change()
    one, two = together.save("The first of two."), together.save("Another of them.")
    together.link(one.id, two.id)
    memory.undo()
    assert names(memory) == set()


def test_a_record_without_a_whole_is_written_as_ever_and_a_foreign_whole_is_not_believed() -> None:
    record = Record("abc", 5, 1.0, "save", ["x"], [], part_of=None)
    line, payload = encode_record(record, "0" * 64, "salt")
    assert b"part_of" not in line
    assert decode_record(line, payload).part_of is None
    for said, read in (("abc-4", "abc-4"), ("other-4", None), ("abc-5", None), ("nonsense", None)):
        record = Record("abc", 5, 1.0, "save", ["x"], [], part_of=said)
        assert decode_record(*encode_record(record, "0" * 64, "salt")).part_of == read
