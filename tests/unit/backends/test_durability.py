"""What is on the disk when a write returns: each flush that a power cut would show missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contracts.backends import open_device_local
from contracts.storage_backend import assert_sound
from engrain.backends import confined, segments
from engrain.backends.applying import apply_files
from engrain.backends.folder import FolderBackend
from engrain.model.errors import StorageError
from engrain.model.history.line import is_blank
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator

HISTORY = ".engrain/history/dev1ce"
Flushes = list[tuple[str, object]]


@pytest.fixture
def store(tmp_path: Path) -> FolderBackend:
    made = open_device_local(tmp_path)("dev1ce")
    assert isinstance(made, FolderBackend)
    return made


@pytest.fixture
def flushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flushes:
    """What is flushed from now on: the place below the vault, with what it had at that moment (a
    file's bytes, a folder's names)."""
    seen: Flushes = []
    sync = confined.sync
    vault = os.path.realpath(tmp_path / "vault")

    def note(descriptor: int) -> None:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        content: object = None
        if os.path.isdir(path):
            content = frozenset(os.listdir(path))
        elif os.path.isfile(path):
            content = Path(path).read_bytes()
        seen.append((os.path.relpath(path, vault), content))
        sync(descriptor)

    monkeypatch.setattr(confined, "sync", note)
    return seen


def put(store: FolderBackend, place: str, raw: bytes | None, before: bytes | None = None) -> None:
    expected = None if before is None else hash_bytes(before)
    store.commit(ChangeSet("save", [Write(Locator(place), raw, place, expected)], at=1.0))


def is_flushed(flushes: Flushes, folder: str, name: str) -> bool:
    """Whether a folder was flushed while it had that name."""
    return any(path == folder and name in names for path, names in flushes)  # type: ignore[operator]


def test_a_new_segment_and_every_new_folder_have_their_names_on_the_disk(
    store: FolderBackend, flushes: Flushes
) -> None:
    put(store, "notes/below/1.md", b"one")
    assert is_flushed(flushes, HISTORY, "00000001.log")
    assert is_flushed(flushes, ".engrain/history", "dev1ce")
    assert is_flushed(flushes, ".engrain", "history")
    assert is_flushed(flushes, ".", "notes")
    assert is_flushed(flushes, "notes", "below")
    assert is_flushed(flushes, "notes/below", "1.md")


def test_a_segment_that_follows_a_full_one_has_its_name_on_the_disk(
    store: FolderBackend, flushes: Flushes, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "notes/1.md", b"one")
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 100)
    flushes.clear()
    put(store, "notes/2.md", b"two")
    assert is_flushed(flushes, HISTORY, "00000002.log")


def test_a_record_is_on_the_disk_as_a_whole_before_its_file_has_its_place(
    store: FolderBackend, flushes: Flushes
) -> None:
    put(store, "notes/1.md", b"one")
    put(store, "notes/1.md", b"two", b"one")
    log = Path(store.describe(), HISTORY, "00000001.log").read_bytes()
    whole = [n for n, (path, raw) in enumerate(flushes) if path.endswith(".log") and raw == log]
    placed = [n for n, (path, _) in enumerate(flushes) if path == "notes"]
    assert whole and whole[0] < placed[-1]


def test_a_removed_file_is_gone_from_the_disk(store: FolderBackend, flushes: Flushes) -> None:
    put(store, "notes/1.md", b"one")
    flushes.clear()
    put(store, "notes/1.md", None, b"one")
    assert ("notes", frozenset()) in flushes


def test_an_erased_payload_is_blank_on_the_disk(store: FolderBackend, flushes: Flushes) -> None:
    put(store, "notes/1.md", b"one")
    flushes.clear()
    store.erase(["dev1ce-1"])
    log = Path(store.describe(), HISTORY, "00000001.log").read_bytes()
    assert is_blank(log.split(b"\n")[1])
    assert (f"{HISTORY}/00000001.log", log) in flushes


@pytest.mark.parametrize("torn", [b'{"torn', b'{"v":1,"n":2}\n{"salt"', b"x" * 5000])
@pytest.mark.parametrize("noted", [True, False])
def test_a_torn_end_is_cut_off_before_the_next_record(
    store: FolderBackend, tmp_path: Path, torn: bytes, noted: bool
) -> None:
    put(store, "notes/1.md", b"one")
    log = Path(store.describe(), HISTORY, "00000001.log")
    with log.open("ab") as file:
        file.write(torn)
    if not noted:
        for note in tmp_path.rglob("tail.json"):
            note.unlink()
    put(store, "notes/2.md", b"two")
    raw = log.read_bytes()
    *_, (_, _, end) = segments.read_pairs(raw)
    assert end == len(raw)
    assert torn not in raw
    assert len(assert_sound(store, "dev1ce", 2)) == 2


def test_a_failed_change_is_off_the_disk_before_its_error_is_reported(
    store: FolderBackend, flushes: Flushes, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "notes/1.md", b"one")
    log = Path(store.describe(), HISTORY, "00000001.log")
    before = log.read_bytes()
    flushes.clear()

    def fail(*given: object) -> None:
        if given[3] is not None:
            raise OSError(5, "Input/output error")
        apply_files(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("engrain.backends.protocol.apply_files", fail)
    with pytest.raises(StorageError):
        put(store, "notes/2.md", b"two")
    assert log.read_bytes() == before
    assert flushes[-1] == (f"{HISTORY}/00000001.log", before)


def test_the_mark_of_a_moved_vault_is_on_the_disk(store: FolderBackend, flushes: Flushes) -> None:
    with store.hand_over("elsewhere"):
        pass
    name = confined.MOVED_FILE
    assert is_flushed(flushes, ".engrain", name)
    with pytest.raises(Exception, match="has moved to elsewhere"):
        put(store, "notes/1.md", b"one")


def test_a_branch_is_on_the_disk_before_a_copy_with_its_records_goes(
    store: FolderBackend, flushes: Flushes
) -> None:
    put(store, "notes/1.md", b"one")
    folder = Path(store.describe(), HISTORY)
    log, copy = folder / "00000001.log", folder / "00000001 (copy).log"
    forked = log.read_bytes().replace(b'"agent":""', b'"agent":"x"')
    copy.write_bytes(forked)
    flushes.clear()
    assert store.resolve_forks({})
    names = {path.name for path in folder.iterdir()}
    (branch,) = names - {log.name}
    assert copy.name not in names
    told = [content for path, content in flushes if path == HISTORY]
    assert {branch, copy.name} <= told[0]  # type: ignore[operator]
    assert told[-1] == names
