"""Catching up with recorded changes: it ends, reads each note once, and never holds up a hook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from engrain import Memory
from engrain.backends.lock import hold_lock
from engrain.engine.core import replaying
from engrain.model.errors import NotFoundError
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter
from support.vaults import START, make_memory
from unit.engine.core.vault_files import titles


class Counts:
    """Counts what a memory's store is asked for: records of chains, and notes read."""

    def __init__(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        backend = memory._open_store().backend
        chain, read_all = backend.chain, backend.read_all
        self.records: list[str] = []
        self.notes: Counter[str] = Counter()

        def count_chain(device: str, after: str | None = None):  # type: ignore[no-untyped-def]
            for link in chain(device, after):
                self.records.append(link.cursor)
                yield link

        def count_read(locators: Iterable[Locator]):  # type: ignore[no-untyped-def]
            for locator, stored in read_all(locators):
                self.notes[locator] += 1
                yield locator, stored

        monkeypatch.setattr(backend, "chain", count_chain)
        monkeypatch.setattr(backend, "read_all", count_read)

    def take(self) -> tuple[int, int]:
        """How many records and notes were read since the last look."""
        found = len(self.records), self.notes.total()
        self.records.clear()
        self.notes.clear()
        return found


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Memory, Memory]:
    """A writer, and a reader on another device that has seen everything so far."""
    writer = make_memory(tmp_path)
    reader = make_memory(tmp_path, device="other", seed=4)
    reader.list()
    return writer, reader


def write_notes(memory: Memory, names: list[str], text: str, *, at_once: int = 1) -> None:
    """Commit a note for each name, so many in a change."""
    backend = memory._open_store().backend
    for start in range(0, len(names), at_once):
        writes = []
        for name in names[start : start + at_once]:
            place = Locator(f"Memory/fix/{name}.md")
            raw = f"---\nid: {name}\nkind: fix\n---\n# {name}\n\n{text}\n".encode()
            try:
                before = backend.read(place).hash
            except NotFoundError:
                before = None
            writes.append(Write(place, raw, name, before))
        backend.commit(ChangeSet("save", writes, at=START, trust="agent"))


def edit(path: Path) -> None:
    path.write_text(path.read_text() + "\nEdited elsewhere.\n")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "meddle", [edit, Path.unlink, make_folder, lambda path: path.write_bytes(b"---\nid: [\n---\n")]
)
def test_a_newest_change_whose_file_is_another_by_now_is_replayed_once(
    pair: tuple[Memory, Memory],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    meddle: Callable[[Path], None],
) -> None:
    writer, reader = pair
    saved = writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    meddle(tmp_path / "vault" / saved.locator)
    reader.list()
    counts = Counts(reader, monkeypatch)
    for scan in (False, True, False, True):
        reader.recall("nothing of the kind", scan=scan)
    assert counts.take()[0] == 0


def test_an_edited_file_is_found_as_it_is_by_a_reader_that_did_not_know_it(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    writer, reader = pair
    saved = writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    edit(tmp_path / "vault" / saved.locator)
    assert titles(reader.recall("edited", scan=False)) == ["Waves"]


def test_a_change_is_replayed_until_its_writer_is_through(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    writer, reader = pair
    saved = writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    place, elsewhere = tmp_path / "vault" / saved.locator, tmp_path / "not-yet.md"
    place.rename(elsewhere)
    with hold_lock(str(tmp_path / "vault"), str(tmp_path / "notes")):
        assert titles(reader.recall("lighthouse", scan=False)) == []
        elsewhere.rename(place)
    assert titles(reader.recall("lighthouse", scan=False)) == ["Waves"]


def test_a_file_that_arrives_behind_its_record_is_found_by_a_scan_and_explained_by_it(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    writer, reader = pair
    saved = writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    place, elsewhere = tmp_path / "vault" / saved.locator, tmp_path / "not-yet.md"
    place.rename(elsewhere)
    assert titles(reader.recall("lighthouse")) == []
    elsewhere.rename(place)
    assert titles(reader.recall("lighthouse")) == ["Waves"]
    assert [change.op for change in reader.history()] == ["save"]


def test_a_change_that_a_dead_writer_left_is_in_the_index_once_it_is_completed(
    tmp_path: Path,
) -> None:
    writer = make_memory(tmp_path)
    reader = make_memory(tmp_path)
    reader.list()
    saved = writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    (tmp_path / "vault" / saved.locator).unlink()  # as its writer's death would leave it
    store = reader._open_store()
    store.upkeep.drain()  # at the moment of that death: nothing was completed yet
    (note,) = tmp_path.glob("state/vaults/*/tail.json")
    note.unlink()
    assert titles(reader.recall("lighthouse", scan=False)) == ["Waves"]


def test_a_rebuild_does_not_miss_a_file_that_is_just_being_written(tmp_path: Path) -> None:
    writer = make_memory(tmp_path)
    saved = writer.save("The lighthouse counts the waves.", title="Waves", kind="fix")
    place, elsewhere = tmp_path / "vault" / saved.locator, tmp_path / "not-yet.md"
    place.rename(elsewhere)
    reader = make_memory(tmp_path)
    with hold_lock(str(tmp_path / "vault"), str(tmp_path / "notes")):
        reader._open_store().upkeep.make_anew()
        elsewhere.rename(place)
    assert titles(reader.recall("lighthouse", scan=False)) == ["Waves"]


def test_a_note_that_changed_many_times_is_read_once(
    pair: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = pair
    names = [f"n{number}" for number in range(4)]
    monkeypatch.setattr(replaying, "BATCH", 3)  # so that its changes are in several batches
    for turn in range(5):
        write_notes(writer, names, f"turn {turn} of the lighthouse")
    counts = Counts(reader, monkeypatch)
    reader._open_store().upkeep.drain()
    assert counts.take() == (20, 4)
    assert len(titles(reader.recall("turn 4 lighthouse", scan=False))) == 4
    assert reader._open_store().upkeep.verify() == []


def test_more_changed_notes_than_the_index_holds_are_a_rebuild(
    pair: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = pair
    monkeypatch.setattr(replaying, "ALWAYS_REPLAYED", 10)
    upkeep = reader._open_store().upkeep
    generation = reader._open_store().index._generations.current
    before = generation()
    write_notes(writer, [f"a{number}" for number in range(10)], "few", at_once=5)
    upkeep.drain()
    assert generation() == before
    write_notes(writer, [f"b{number}" for number in range(10)], "as many as are known", at_once=5)
    upkeep.drain()
    assert generation() == before
    write_notes(writer, [f"c{number}" for number in range(21)], "more than are known", at_once=5)
    upkeep.drain()
    assert generation() != before
    assert reader._open_store().index.count(Filter()) == 41
    assert upkeep.verify() == []


@pytest.mark.parametrize(("places", "entries", "rebuilds"), [
    (2_000, 0, False), (2_001, 0, True), (2_001, 2_000, True), (2_001, 2_001, False),
    (20_000, 100_000, False), (100_001, 100_000, True),
])  # fmt: skip
def test_the_way_is_chosen_by_count(places: int, entries: int, rebuilds: bool) -> None:
    assert replaying.is_rebuild_cheaper(places, entries) is rebuilds


def hurried(memory: Memory) -> None:
    assert memory._open_store().freshness.ensure_quickly() is None


def test_a_reader_in_a_hurry_takes_in_a_bounded_part_and_answers_from_what_is_indexed(
    pair: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = pair
    monkeypatch.setattr(replaying, "HURRIED", 10)
    write_notes(writer, [f"n{number:02}" for number in range(17)], "lighthouse")
    counts = Counts(reader, monkeypatch)
    index = reader._open_store().index
    for known in (5, 10, 15, 17):
        hurried(reader)
        records, notes = counts.take()
        assert records <= 6
        assert notes <= 5
        assert index.count(Filter()) == known
    hurried(reader)
    assert counts.take() == (0, 0)
    assert reader._open_store().upkeep.verify() == []


def test_a_reader_in_a_hurry_leaves_a_change_of_many_files_to_one_who_has_time(
    pair: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = pair
    monkeypatch.setattr(replaying, "HURRIED", 10)
    write_notes(writer, [f"n{number:02}" for number in range(40)], "lighthouse", at_once=40)
    counts = Counts(reader, monkeypatch)
    hurried(reader)
    assert counts.take() == (1, 0)
    assert len(titles(reader.recall("lighthouse", scan=False, limit=50))) == 40
