"""The index kept in step with the store: replay, scan, rebuild, edits by others (S1.3, S1.19)."""

from __future__ import annotations

import gc
import sqlite3
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.upkeep import NOTED_CHANGES
from engrain.model.errors import EngrainError, StorageError
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.seam.rows import Filter
from support.vaults import make_memory
from unit.engine.core.vault_files import delete_index, find, index_folder, notes, put, titles


def differences(memory: Memory) -> list[str]:
    return memory._open_store().upkeep.verify()


def test_a_scan_takes_in_what_came_changed_and_went(memory: Memory, vault: Path) -> None:
    kept = memory.save("lock", title="Kept", kind="fix")
    gone = memory.save("lock", title="Gone", kind="fix")
    memory.scan()
    put(vault, "Memory/fix/new.md", "# New\nlock\n")
    put(vault, "Memory/deep/er/and/deeper.md", "# Deeper\nlock\n")
    put(vault, "Memory/fix/bad.md", "---\n")
    (vault / kept.locator).write_text("# Changed\nlock\n")
    (vault / gone.locator).unlink()
    counts = memory.scan().counts
    assert [counts[what] for what in ("changed", "dropped", "unreadable")] == [3, 1, 1]
    assert set(titles(memory.recall("lock", scan=False))) == {"Changed", "New", "Deeper"}
    assert differences(memory) == []


def test_a_scan_that_finds_nothing_records_nothing(memory: Memory, vault: Path) -> None:
    memory.save("lock", title="One", kind="fix")
    put(vault, "Memory/fix/by-hand.md", "# By hand\n")
    memory.scan()
    before = memory.history()
    for _ in range(3):
        assert memory.scan().counts["dropped"] == 0
    assert [change.change for change in memory.history()] == [change.change for change in before]


def test_progress_is_reported(memory: Memory, vault: Path) -> None:
    for number in range(3):
        put(vault, f"Memory/fix/note-{number}.md", "text\n")
    told: list[tuple[int, int | None]] = []
    memory.reindex(lambda done, total: told.append((done, total)))
    assert told[-1] == (3, 3)
    told.clear()
    memory.scan(lambda done, total: told.append((done, total)))
    assert told[-1][0] == 3


def test_garbage_is_collected_again_after_a_rebuild(memory: Memory) -> None:
    memory.save("A note, so that there is something to tell of.")
    told: list[bool] = []
    memory.reindex(lambda *_: told.append(gc.isenabled()))
    assert told and not any(told)
    assert gc.isenabled()


def test_a_recall_without_a_scan_shows_the_file_as_it_is_and_no_new_one(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take the lock.", title="One", kind="fix")
    gone = memory.save("Take the lock.", title="Two", kind="fix")
    memory.scan()
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"Take the lock.", b"Skip the lock."))
    (vault / gone.locator).unlink()
    put(vault, "Memory/fix/new.md", "# New\nlock\n")
    (found,) = memory.recall("lock", scan=False).results
    assert found.text == "Skip the lock.\n"
    assert titles(memory.recall("take", scan=False)) == []
    assert set(find(memory, "lock")) == {"One", "New"}


def test_the_index_differs_from_edited_files_until_a_scan(memory: Memory, vault: Path) -> None:
    saved = memory.save("lock", title="One", kind="fix")
    gone = memory.save("lock", title="Two", kind="fix")
    memory.scan()
    (vault / saved.locator).write_text("# Changed\n")
    (vault / gone.locator).unlink()
    put(vault, "Memory/fix/new.md", "# New\n")
    told = differences(memory)
    assert len(told) == 3
    assert all(
        any(name in line for line in told) for name in (saved.locator, gone.locator, "new.md")
    )
    memory.scan()
    assert differences(memory) == []


def test_a_rebuild_reads_everything_anew(memory: Memory, vault: Path) -> None:
    memory.save("lock", title="One", kind="fix")
    put(vault, "Memory/fix/by-hand.md", "# By hand\nlock\n")
    put(vault, "Memory/fix/bad.md", "---\n")
    counts = memory.reindex().counts
    assert [counts[what] for what in ("seen", "changed", "unreadable")] == [3, 2, 1]
    assert set(titles(memory.recall("lock", scan=False))) == {"One", "By hand"}


def test_an_index_of_another_version_is_rebuilt(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.save("lock", title="One", kind="fix")
        memory.list()
    (file,) = index_folder(tmp_path / "state").glob("*.sqlite")
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with make_memory(tmp_path) as memory:
        assert find(memory, "lock") == ["One"]


# Notes made by hand


@pytest.mark.parametrize(
    "raw", ["Only text about the lock.\n", "# Heading\n\nlock\n", "---\n---\nlock\n"]
)
def test_a_note_without_an_id_keeps_the_one_it_goes_by(
    memory: Memory, vault: Path, tmp_path: Path, raw: str
) -> None:
    path = put(vault, "Memory/fix/by-hand.md", raw)
    (found,) = memory.recall("lock").results
    id_ = found.row.id
    path.write_text(raw + "More.\n")
    assert [one.row.id for one in memory.recall("lock").results] == [id_]
    memory.reindex()
    delete_index(tmp_path / "state")
    assert [one.row.id for one in memory.recall("lock").results] == [id_]
    with make_memory(tmp_path, device="other", seed=4) as other:
        assert [one.row.id for one in other.recall("lock").results] == [id_]
    assert path.read_text() == raw + "More.\n"


def test_a_note_by_hand_is_filed_by_its_folder(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/decision/queues.md", "Two queues.\n")
    put(vault, "preferences/reviews.md", "Small ones.\n")
    put(vault, "Memory/_inbox/raw.md", "Raw.\n")
    rows = {row.slug: row for row in memory.list().rows}
    assert {slug: (row.kind, row.tier) for slug, row in rows.items()} == {
        "queues": ("decision", "T3"),
        "reviews": ("preference", "T2"),
    }
    entry = memory.show("raw").entry
    assert (entry.status, entry.zone) == ("inbox", "inbox")


def test_a_note_by_hand_is_recorded_as_external_once(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/by-hand.md", "# By hand\nlock\n")
    for _ in range(3):
        memory.recall("lock")
    (change,) = memory.history("by-hand")
    assert (change.op, change.trust, change.before_hash) == (
        "external",
        "external",
        change.after_hash,
    )


def test_many_notes_by_hand_are_all_recorded(memory: Memory, vault: Path) -> None:
    for number in range(150):
        put(vault, f"Memory/fix/note-{number:03}.md", f"# Note {number}\nlock\n")
    large = "x" * (MAX_NOTE_BYTES - 20)
    for number in range(3):
        put(vault, f"Memory/fix/large-{number}.md", large)
    assert memory.list().total == 153
    changes = memory.history()
    assert {change.op for change in changes} == {"external"}
    assert len({change.locator for change in changes}) == len(changes) == 153
    (report,) = memory.trust.survey().chains
    assert report.wrong is None
    assert report.links == len({change.change for change in changes})


def test_bytes_that_come_back_by_hand_are_not_recorded_again(memory: Memory, vault: Path) -> None:
    saved = memory.save("lock", title="One", kind="fix")
    path = vault / saved.locator
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"lock", b"fence"))
    memory.scan()
    path.write_bytes(raw)
    memory.scan()
    assert [change.op for change in memory.history()] == ["external", "save"]
    assert find(memory, "lock") == ["One"]


def test_a_file_that_can_not_be_read_is_not_recorded_and_not_touched(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Memory/fix/bad.md", b"---\nid: [\n---\n")
    put(vault, "Memory/fix/utf16.md", "text".encode("utf-16"))
    before = notes(vault)
    memory.scan()
    assert memory.history() == []
    assert notes(vault) == before


def test_a_file_that_was_mended_is_found(memory: Memory, vault: Path) -> None:
    path = put(vault, "Memory/fix/bad.md", b"---\nid: [\n---\nlock\n")
    assert find(memory, "lock") == []
    path.write_bytes(b"---\nid: [a]\n---\n# Mended\nlock\n")
    assert find(memory, "lock") == ["Mended"]
    path.write_bytes(b"---\nid: [\n---\nlock\n")
    assert find(memory, "lock") == []


def test_a_write_is_in_the_index_at_once(memory: Memory) -> None:
    memory.save("lock", title="One", kind="fix")
    memory.recall("lock")
    saved = memory.save("lock", title="Two", kind="fix")
    assert set(titles(memory.recall("lock", scan=False))) == {"One", "Two"}
    memory.evolve(saved.id, "fence")
    assert titles(memory.recall("fence", scan=False)) == ["Two"]
    memory.undo()
    assert titles(memory.recall("fence", scan=False)) == []
    assert differences(memory) == []


def test_own_changes_are_indexed_sixteen_at_a_time_and_at_the_end(tmp_path: Path) -> None:
    memory = make_memory(tmp_path)
    memory.list()
    index = memory._open_store().index
    for number in range(NOTED_CHANGES + 3):
        memory.save(f"Number {number}.", title=f"Note {number}", kind="fix")
        assert index.count(Filter()) == (0 if number < NOTED_CHANGES - 1 else NOTED_CHANGES)
    memory.close()
    assert index.count(Filter()) == NOTED_CHANGES + 3


def test_what_one_process_has_not_indexed_yet_another_finds(tmp_path: Path) -> None:
    writer, reader = make_memory(tmp_path), make_memory(tmp_path)
    reader.list()
    writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    assert [found.row.title for found in reader.recall("lighthouse", scan=False).results] == [
        "Waves"
    ]


@pytest.mark.parametrize("seen", [True, False])
def test_an_edit_that_a_reader_met_first_is_in_the_history_once_it_was_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    writer, reader = make_memory(tmp_path), make_memory(tmp_path, device="other", seed=4)
    reader.list()
    saved = writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    if seen:
        reader.list()
    monkeypatch.setattr("engrain.backends.confined.FINE_NS", -1)
    path = tmp_path / "vault" / saved.locator
    path.write_text(path.read_text() + "\nEdited elsewhere.\n")
    reader.recall("lighthouse", scan=False)
    reader.scan()
    assert [change.op for change in reader.history()] == ["external", "save"]
    assert reader.history()[0].after_hash == reader.show(saved.id).entry.hash


def test_while_the_history_cannot_be_read_the_files_answer_and_nothing_is_recorded(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("lock", title="One", kind="fix")
    memory.list()
    changes = len(memory.history())
    backend = memory._open_store().backend

    def fail(*_: object) -> None:
        raise StorageError("the history can't be read: Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(type(backend), "heads", fail)
        found = memory.recall("lock")
        assert titles(found) == ["One"]
        assert "the history can't be read" in str(found.degraded)
        patch.setattr(type(backend), "chain", fail)
        with pytest.raises(EngrainError, match="the history can't be read"):
            memory.trust.survey()
    assert len(memory.history()) == changes


def test_a_rebuild_numbers_passages_in_the_order_of_writing(memory: Memory, vault: Path) -> None:
    def newest() -> list[str]:
        with memory._ready().index.view() as view:
            found = view.newest_passages(None, 100)
            places = view.locators(found)
        return [places[passage] for passage in found]

    for title in ("Zebra", "Heron", "Adder", "Mouse"):
        memory.save(f"About the {title}.", title=title, kind="fix")
    entry = memory.show("zebra").entry
    memory.edit(entry.id, expect=entry.hash, text="About stripes.")
    put(vault, "Another.md", "# Another\n\nBy another program.\n")
    memory.scan()
    kept = newest()
    assert kept[0] == "Another.md"
    assert [place.rpartition("/")[2] for place in kept[1:]] == [
        "zebra.md", "mouse.md", "adder.md", "heron.md",
    ]  # fmt: skip
    memory.reindex()
    assert newest() == kept
