"""A change of a few files: in which order its record, files and folders are flushed, and what
happens where files without names can't be had."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain.backends import applying, confined, placing
from engrain.model.errors import ConflictError, StorageError
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend

PLACE = Locator("notes/one.md")


@pytest.fixture
def store(store: StorageBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StorageBackend:
    """A store that writes files without names."""
    with confined.Descriptor(os.open(tmp_path, os.O_RDONLY)) as place:
        try:
            os.close(confined.open_unnamed(place, 0o600))
        except OSError:
            pytest.skip("this file system has no files without names")
    monkeypatch.setattr(applying, "keeps_named", lambda _: True)
    return store


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is flushed, by what its descriptor shows, and each name that a file without one gets."""
    seen: list[str] = []
    sync, name_unnamed = confined.sync, placing.name_unnamed

    def sync_one(descriptor: int) -> None:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        nameless = os.fstat(descriptor).st_nlink == 0
        seen.append("unnamed" if nameless else Path(path).suffix or Path(path).name)
        sync(descriptor)

    def name_one(folder: int, unnamed: int, name: str) -> bool:
        done = name_unnamed(folder, unnamed, name)
        seen.append(f"name {Path(name).suffix}")
        return done

    monkeypatch.setattr(confined, "sync", sync_one)
    monkeypatch.setattr(applying, "name_unnamed", name_one)
    return seen


def write(store: StorageBackend, raw: bytes, before: bytes | None = None) -> None:
    expected = None if before is None else hash_bytes(before)
    store.commit(ChangeSet("save", [Write(PLACE, raw, "one", expected)], at=1.0))


def leftovers(folder: Path) -> list[Path]:
    return list(folder.rglob(".~engrain-*"))


def test_a_file_gets_its_name_after_its_record_and_its_bytes_were_flushed(
    store: StorageBackend, steps: list[str], tmp_path: Path
) -> None:
    write(store, b"new")
    assert steps[:3] == [".log", "unnamed", "name .md"]
    assert steps[-1] == "notes"
    assert len(steps) == 4
    steps.clear()
    write(store, b"newer", b"new")
    assert steps[:3] == [".log", "unnamed", "name .tmp"]
    assert steps[-1] == "notes"
    assert store.read(PLACE).raw == b"newer"
    assert not leftovers(tmp_path)


def test_without_a_journal_a_file_gets_a_temporary_name_before_its_bytes_are_flushed(
    store: StorageBackend, steps: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(applying, "keeps_named", lambda _: False)
    write(store, b"new")
    assert steps[:2] == [".log", "name .tmp"]
    assert "unnamed" not in steps
    assert steps[-1] == "notes"
    assert len(steps) == 4
    write(store, b"newer", b"new")
    assert store.read(PLACE).raw == b"newer"
    assert not leftovers(tmp_path)


@pytest.mark.parametrize("missing", ["files without names", "names of descriptors"])
def test_where_a_file_needs_a_name_to_be_written_it_gets_a_temporary_one(
    store: StorageBackend, missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if missing == "files without names":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    else:
        monkeypatch.setattr(applying, "name_unnamed", lambda *_: False)
    names: list[str] = []
    write_new = confined.write_new

    def write_one(folder: int, name: str, *rest: object) -> None:
        names.append(name)
        write_new(folder, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(confined, "write_new", write_one)
    write(store, b"new")
    write(store, b"newer", b"new")
    assert [name.endswith(".tmp") for name in names] == [True, True]
    assert store.read(PLACE).raw == b"newer"
    assert not leftovers(tmp_path)


def test_a_new_file_never_takes_a_name_that_another_program_took_meanwhile(
    store: StorageBackend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    theirs = tmp_path / "vault/notes/one.md"
    name_unnamed = placing.name_unnamed

    def come_first(folder: int, unnamed: int, name: str) -> bool:
        theirs.write_bytes(b"theirs")
        return name_unnamed(folder, unnamed, name)

    monkeypatch.setattr(applying, "name_unnamed", come_first)
    with pytest.raises(ConflictError):
        write(store, b"ours")
    assert theirs.read_bytes() == b"theirs"
    assert not leftovers(tmp_path)


def test_a_disk_that_is_full_before_the_record_leaves_no_record(
    store: StorageBackend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = len(list(store.chain("device")))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(confined, "write_all", fail)
    with pytest.raises(StorageError, match="nothing was changed"):
        write(store, b"new")
    monkeypatch.undo()
    assert len(list(store.chain("device"))) == before
    write(store, b"new")


@pytest.mark.parametrize(("said", "keeps"), [("26818\n", True), ("<none>\n", False), (None, False)])
def test_only_ext4_with_a_journal_keeps_a_file_that_was_flushed_before_it_got_its_name(
    said: str | None, keeps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said:
        (tmp_path / "task").write_text(said)
    monkeypatch.setattr(applying, "_KEEPING", {})
    monkeypatch.setattr(os, "readlink", lambda _: "../../block/sda/sda1")
    opened = os.open

    def open_this(path: str, *flags: int) -> int:
        assert path == "/sys/fs/ext4/sda1/journal_task"
        return opened(tmp_path / "task", *flags)

    monkeypatch.setattr(os, "open", open_this)
    assert applying.keeps_named(0) is keeps


def test_a_file_keeps_its_mode_when_it_is_replaced(store: StorageBackend, tmp_path: Path) -> None:
    write(store, b"new")
    place = tmp_path / "vault/notes/one.md"
    place.chmod(0o600)
    write(store, b"newer", b"new")
    assert place.stat().st_mode & 0o777 == 0o600
