"""Many changes at once: each stays one of its own, and all of them share their flushes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain.backends import applying, confined
from engrain.backends.folder import FolderBackend
from engrain.model.errors import ConflictError, LockedError, StorageError
from engrain.model.history.record import Record
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend

FILES = 64
CHANGES = 8


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    """The store's folder: one in memory has no flush of all its file system."""
    return on_disk


@pytest.fixture
def flushes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is flushed from now on, by its path; all of a file system as `all`."""
    seen: list[str] = []
    sync, find = confined.sync, applying.find_flush

    def sync_one(descriptor: int) -> None:
        seen.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        sync(descriptor)

    def find_all(folder: int):  # type: ignore[no-untyped-def]
        flush = find(folder)

        def flush_all() -> None:
            seen.append("all")
            assert flush is not None
            flush()

        return flush and flush_all

    monkeypatch.setattr(confined, "sync", sync_one)
    monkeypatch.setattr(applying, "find_flush", find_all)
    return seen


def changes(folders: int = 1, files: int = FILES) -> list[ChangeSet]:
    return [
        ChangeSet(
            "import",
            [
                Write(Locator(f"notes/{n % folders}/{change}-{n}.md"), b"text", f"{change}-{n}")
                for n in range(files)
            ],
            at=1.0,
        )
        for change in range(CHANGES)
    ]


def read(store: StorageBackend, place: str) -> bytes:
    return store.read(Locator(place)).raw


def leftovers(store: FolderBackend) -> list[Path]:
    return list(Path(store.describe()).rglob(".~engrain-*"))


def is_supported(store: FolderBackend) -> bool:
    root = os.open(store.describe(), os.O_RDONLY)
    try:
        return applying.find_flush(root) is not None
    finally:
        os.close(root)


@pytest.mark.parametrize("folders", [1, 40])
def test_five_hundred_files_are_flushed_four_or_five_times(
    store: FolderBackend, flushes: list[str], folders: int
) -> None:
    if not is_supported(store):
        pytest.skip("this file system has no flush of its own")
    records = store.commit_all(changes(folders))
    assert [record.n for record in records if isinstance(record, Record)] == list(range(2, 10))
    logs = [path for path in flushes if path.endswith(".log")]
    assert len(logs) == 1
    assert flushes.count("all") == (1 if folders < applying.MANY else 2)
    assert len(flushes) <= 4
    assert flushes.index(logs[0]) < flushes.index("all")
    assert len(list(store.scan())) == CHANGES * FILES + 1
    assert not leftovers(store)


def test_where_no_flush_of_all_can_be_had_each_file_is_flushed(
    store: FolderBackend, flushes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "find_flush", lambda _: None)
    store.commit_all(changes(files=4))
    assert sum(".tmp" in path for path in flushes) == CHANGES * 4


def test_one_that_expects_other_bytes_is_refused_and_the_others_are_made(
    store: FolderBackend,
) -> None:
    some = changes(files=4)
    wrong = Write(Locator("notes/first.md"), b"other", "first", hash_bytes(b"not these"))
    some[3] = ChangeSet("import", [wrong], at=1.0)
    outcomes = store.commit_all(some)
    assert isinstance(outcomes[3], ConflictError)
    assert [isinstance(one, Record) for one in outcomes].count(True) == CHANGES - 1
    assert read(store, "notes/first.md") == b"first"
    assert read(store, "notes/0/7-0.md") == b"text"


def test_two_that_write_to_one_place_are_made_in_turn(store: FolderBackend) -> None:
    place = Locator("notes/one.md")
    twice = [ChangeSet("import", [Write(place, text, "one")], at=1.0) for text in (b"a", b"b")]
    first, second = store.commit_all(twice)
    assert isinstance(first, Record)
    assert isinstance(second, ConflictError)
    assert read(store, "notes/one.md") == b"a"
    assert not leftovers(store)


def test_a_flush_that_fails_changes_nothing(
    store: FolderBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(applying, "find_flush", lambda _: fail)
    before = len(list(store.chain("device")))
    outcomes = store.commit_all(changes(files=20))
    assert all(isinstance(one, StorageError) for one in outcomes)
    assert len(list(store.scan())) == 1
    assert len(list(store.chain("device"))) == before
    assert not leftovers(store)


def test_a_lock_that_others_hold_refuses_all_of_them(
    store: FolderBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise LockedError("held")

    monkeypatch.setattr("engrain.backends.protocol.WriteProtocol._hold", refuse)
    assert all(isinstance(one, LockedError) for one in store.commit_all(changes(files=2)))


def test_an_older_kernel_and_another_file_system_are_not_relied_on(
    store: FolderBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_supported(store):
        pytest.skip("this file system has no flush of its own")
    monkeypatch.setattr(applying, "_kernel", lambda: (5, 7))
    assert not is_supported(store)
    monkeypatch.undo()
    monkeypatch.setattr(applying, "_RELIABLE", frozenset())
    assert not is_supported(store)
