"""What is recalled is what the files say now, whatever happened to the index (S1.19)."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engrain import Memory, NotFoundError
from engrain.engine.recall.profiles import PROFILES
from support.vaults import make_memory
from unit.engine.core.vault_files import delete_index, find, index_folder


def in_place(path: Path, raw: bytes) -> None:
    with path.open("r+b") as file:
        file.write(raw)
        file.truncate()


def by_rename(path: Path, raw: bytes) -> None:
    temp = path.with_suffix(".tmp")
    temp.write_bytes(raw)
    temp.replace(path)


def with_old_times(path: Path, raw: bytes) -> None:
    before = path.stat()
    path.write_bytes(raw)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def by_rename_with_old_times(path: Path, raw: bytes) -> None:
    before = path.stat()
    by_rename(path, raw)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def into_the_past(path: Path, raw: bytes) -> None:
    path.write_bytes(raw)
    os.utime(path, (0, 0))


@pytest.mark.parametrize(
    "write", [in_place, by_rename, with_old_times, by_rename_with_old_times, into_the_past]
)
@pytest.mark.parametrize("new", [b"Use the fence.", b"Use the fence, not the lock.", b"Fence."])
def test_an_edit_by_another_program_is_what_is_shown(
    memory: Memory, vault: Path, write: Callable[[Path, bytes], None], new: bytes
) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix")
    assert find(memory, "nightly") == ["Nightly job"]
    path = vault / saved.locator
    write(path, path.read_bytes().replace(b"Take the lock.", new))
    (found,) = memory.recall("nightly").results
    assert found.text == new.decode() + "\n"
    assert memory.show(saved.id).entry.text == new.decode() + "\n"
    assert find(memory, "fence") == ["Nightly job"]
    assert find(memory, "take") == []


def test_a_new_title_status_and_tag_by_hand_are_what_is_shown(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix", tags=["old"])
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"Nightly", b"Morning").replace(b"old", b"new"))
    (found,) = memory.recall("lock").results
    assert (found.row.title, found.row.tags) == ("Morning job", ("new",))
    path.write_bytes(path.read_bytes().replace(b"status: active", b"status: deleted"))
    assert find(memory, "lock") == []


def test_a_file_that_was_emptied_is_shown_empty_and_never_with_its_old_text(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix")
    (vault / saved.locator).write_bytes(b"")
    assert find(memory, "take") == []
    assert [found.text for found in memory.recall("nightly").results] == [""]


def test_a_file_that_was_broken_is_not_returned(memory: Memory, vault: Path) -> None:
    memory.save("Take the lock.", title="Good", kind="fix")
    saved = memory.save("Take the lock.", title="Bad", kind="fix")
    path = vault / saved.locator
    path.write_bytes(path.read_bytes()[:40])
    assert find(memory, "lock") == ["Good"]


def test_a_file_that_was_removed_is_not_returned(memory: Memory, vault: Path) -> None:
    memory.save("Take the lock.", title="Kept", kind="fix")
    saved = memory.save("Take the lock.", title="Gone", kind="fix")
    assert set(find(memory, "lock")) == {"Kept", "Gone"}
    (vault / saved.locator).unlink()
    assert find(memory, "lock") == ["Kept"]
    with pytest.raises(NotFoundError):
        memory.show(saved.id)


def test_a_file_that_was_moved_keeps_its_id(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly job", kind="fix")
    moved = vault / "Memory" / "workflow" / "renamed.md"
    moved.parent.mkdir()
    (vault / saved.locator).rename(moved)
    (found,) = memory.recall("lock").results
    assert (found.row.id, found.row.locator) == (saved.id, "Memory/workflow/renamed.md")


def test_a_folder_of_notes_that_was_moved_is_found_where_it_is(memory: Memory, vault: Path) -> None:
    for number in range(5):
        memory.save("Take the lock.", title=f"Part {number}", kind="fix")
    (vault / "Memory" / "fix").rename(vault / "Memory" / "fixes")
    found = memory.recall("lock").results
    assert {one.row.locator for one in found} == {
        f"Memory/fixes/part-{number}.md" for number in range(5)
    }


@pytest.mark.parametrize(
    "write", [in_place, by_rename, with_old_times, by_rename_with_old_times, into_the_past]
)
def test_an_edit_that_no_scan_has_seen_is_what_is_shown(
    memory: Memory, vault: Path, write: Callable[[Path, bytes], None]
) -> None:
    saved = memory.save("Take the lock, then the table.", title="Nightly job", kind="fix")
    memory.recall("nightly")
    path = vault / saved.locator
    write(path, path.read_bytes().replace(b"lock", b"mask"))
    (found,) = memory.recall("nightly lock", scan=False, profile="deep").results
    assert found.text == "Take the mask, then the table.\n"
    assert find(memory, "take the mask, then the table") == ["Nightly job"]
    assert memory.recall("lock", scan=False).results == ()


def test_the_passage_shown_of_a_long_note_is_that_of_the_file_now(
    memory: Memory, vault: Path
) -> None:
    filler = "The crane was greased by the harbour crew again and again. " * 18
    text = "".join(f"## {name}\n\n{name} first. {filler}\n\n" for name in ("Red", "Green"))
    saved = memory.save(text, title="Cranes", kind="domain-reference")
    (before,) = memory.recall("green first", budget=350).results
    assert before.text.startswith("## Green\n\nGreen first.")
    path = vault / saved.locator
    raw = path.read_bytes().replace(b"## Red\n", b"## Red\n\nOne more line at the top.\n")
    with_old_times(path, raw.replace(b"Green first.", b"Green later."))
    (found,) = memory.recall("green later", budget=350, scan=False, profile="deep").results
    assert found.part
    assert found.text.startswith("## Green\n\nGreen later.")


def test_while_a_file_is_rewritten_again_and_again_title_and_text_are_of_one_version(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Version 0 of the crane.", title="Crane 0", kind="fix")
    path = vault / saved.locator
    raw = path.read_bytes()
    done = threading.Event()

    def rewrite() -> None:
        version = 0
        while not done.is_set():
            version += 1
            number = str(version).encode()
            new = raw.replace(b"Crane 0", b"Crane " + number)
            by_rename(path, new.replace(b"Version 0", b"Version " + number))

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        seen = [found for _ in range(60) for found in memory.recall("crane version").results]
    finally:
        done.set()
        writer.join()
    pairs = {(one.row.title.split()[1], one.text.split()[1]) for one in seen}
    assert all(title == text for title, text in pairs)
    (found,) = memory.recall("crane version").results
    assert found.text.encode() in path.read_bytes()


def test_without_a_scan_too_what_is_shown_is_the_files_own(memory: Memory, vault: Path) -> None:
    saved = memory.save("The lighthouse counts.", title="Old title", kind="fix")
    memory.recall("lighthouse")
    note = vault / saved.locator
    note.write_text(note.read_text().replace("Old title", "New title"))
    (found,) = memory.recall("lighthouse", scan=False).results
    assert found.row.title == "New title"
    note.write_text(note.read_text().replace("status: active", "status: deleted"))
    assert memory.recall("lighthouse", scan=False).results == ()


EVERYTHING = replace(PROFILES["prompt"], reject=False, budget=None)


def answers(memory: Memory) -> list[tuple[str, str, str]]:
    return [
        (found.row.id, found.row.locator, found.text)
        for found in memory.recall("lock nightly", profile=EVERYTHING, limit=50).results
    ]


def filled(memory: Memory) -> list[tuple[str, str, str]]:
    for number in range(12):
        memory.save(f"The nightly lock, part {number}." * (number + 1), title=f"Part {number}")
    memory.forget("part-3")
    memory.evolve("part-4", "The lock of the morning.")
    return answers(memory)


def test_results_are_the_same_after_the_index_was_deleted(memory: Memory, tmp_path: Path) -> None:
    before = filled(memory)
    changes = [change.change for change in memory.history()]
    delete_index(tmp_path / "state")
    assert len(before) == 11
    assert sorted(answers(memory)) == sorted(before)
    assert [change.change for change in memory.history()] == changes


def test_results_are_the_same_after_all_of_the_state_was_deleted(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        before = filled(memory)
    shutil.rmtree(tmp_path / "state")
    with make_memory(tmp_path, seed=99) as memory:
        assert sorted(answers(memory)) == sorted(before)


@pytest.mark.parametrize("raw", [b"", b"garbage " * 4096, b"SQLite format 3\0" + b"\xff" * 65536])
@pytest.mark.parametrize("reopened", [True, False])
def test_results_are_the_same_after_the_index_was_corrupted(
    tmp_path: Path, raw: bytes, reopened: bool
) -> None:
    with make_memory(tmp_path) as memory:
        before = filled(memory)
        if reopened:
            memory.close()
        for file in index_folder(tmp_path / "state").iterdir():
            # SQLite maps this one into memory: to cut it short would kill whoever has it open.
            if reopened or not file.name.endswith("-shm"):
                file.write_bytes(raw)
        assert sorted(answers(memory)) == sorted(before)
        saved = memory.save("The lock, once more.", title="After", kind="fix")
        assert memory.show(saved.id).entry.title == "After"


def test_a_corrupted_page_of_the_index_changes_no_answer(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        before = filled(memory)
        memory.close()
        (file,) = index_folder(tmp_path / "state").glob("*.sqlite")
        raw = bytearray(file.read_bytes())
        raw[8192:] = bytes(len(raw) - 8192)
        file.write_bytes(raw)
        assert sorted(answers(memory)) == sorted(before)
