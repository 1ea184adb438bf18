"""A change that a dead writer left half done, and an error that passes while another process
completes it: the change is complete afterwards, and no error is taken for an end of the history."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any
from zlib import crc32

import pytest

from contracts.backends import open_device_local
from engrain.backends import applying, confined, segments
from engrain.backends.folder import FolderBackend
from engrain.model.errors import EngrainError, StorageError
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator

CALLS = (
    "open", "read", "pread", "stat", "lstat", "fstat", "listdir", "write", "pwrite", "fsync",
    "rename", "link", "unlink", "mkdir", "ftruncate",
)  # fmt: skip
PASSING = (errno.EIO, errno.EACCES)
OLD, NEW, SEEN, LINKED = b"# Old\n\nprecious\n", b"# New\n\nprecious\n", b"[[Old]]\n", b"[[New]]\n"
AFTER = {"notes/new.md": NEW, "other/seen.md": LINKED}


def write(place: str, raw: bytes | None, before: bytes | None) -> Write:
    return Write(Locator(place), raw, place, None if before is None else hash_bytes(before))


RENAME = ChangeSet(
    "rename",
    [
        write("notes/old.md", None, OLD),
        write("notes/new.md", NEW, None),
        write("other/seen.md", LINKED, SEEN),
    ],
    at=2.0,
)


def open_folder_store(folder: Path) -> FolderBackend:
    store = open_device_local(folder)("dev1ce")
    assert isinstance(store, FolderBackend)
    return store


def bring_back(kept: Path, folder: Path) -> None:
    """Make a store as it was, in the same folder: a copy would have another state."""
    for part in ("vault", "state"):
        for child in (folder / part).iterdir():
            rmtree(child) if child.is_dir() else child.unlink()
        copytree(kept / part, folder / part, dirs_exist_ok=True)


def contents(store: FolderBackend) -> dict[str, bytes]:
    return {str(one.locator): store.read(one.locator).raw for one in store.scan()}


@pytest.fixture(params=range(3))
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store whose writer died before it put the file of this number in its place."""
    folder = tmp_path / "killed"
    store = open_folder_store(folder)
    first = [write("notes/old.md", OLD, None), write("other/seen.md", SEEN, None)]
    store.commit(ChangeSet("save", first, at=1.0))
    if not (child := os.fork()):
        place, left = applying._place, [request.param]

        def die(*given: Any) -> None:
            if not left[0]:
                os._exit(9)
            left[0] -= 1
            place(*given)

        applying._place = die  # type: ignore[assignment]
        store.commit(RENAME)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert contents(store) != AFTER
    return folder


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], list[int]]:
    """Lets the n-th call from now on fail, and returns a list with the number of calls."""
    real = {name: getattr(os, name) for name in CALLS}

    def arm(n: int, error: int) -> list[int]:
        made = [0]

        def counted(name: str) -> Callable[..., Any]:
            def call(*given: Any, **named: Any) -> Any:
                made[0] += 1
                if made[0] == n:
                    raise OSError(error, os.strerror(error))
                return real[name](*given, **named)

            return call

        for name in CALLS:
            monkeypatch.setattr(os, name, counted(name))
        return made

    return arm


def recover(store: FolderBackend) -> None:
    store.recover()


def commit(store: FolderBackend) -> None:
    store.commit(ChangeSet("save", [write("notes/later.md", b"later\n", None)], at=3.0))


@pytest.mark.parametrize("error", PASSING, ids=errno.errorcode.get)
@pytest.mark.parametrize("act", [recover, commit])
def test_whichever_call_fails_a_half_done_rename_is_completed_by_the_next_opener(
    killed: Path,
    tmp_path: Path,
    act: Callable[[FolderBackend], None],
    error: int,
    fail: Callable[[int, int], list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = copytree(killed, tmp_path / "kept")
    for n in range(1, 400):
        bring_back(kept, killed)
        store = open_folder_store(killed)
        acknowledged = False
        made = fail(n, error)
        try:
            act(store)
            acknowledged = act is commit
        except EngrainError as told:
            assert told.message, n
        finally:
            monkeypatch.undo()
        later = open_folder_store(killed)
        later.recover()
        wanted = AFTER | ({"notes/later.md": b"later\n"} if acknowledged else {})
        assert contents(later) == wanted, f"call {n}"
        assert not list(killed.rglob(".~engrain-*")), f"call {n}"
        if made[0] < n:
            assert n > 10
            return
    pytest.fail("it never got through")


@pytest.mark.parametrize("name", ["open", "pread", "listdir"])
def test_an_error_of_reading_the_history_is_reported_and_ends_no_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    store = open_folder_store(tmp_path / "store")
    for n in range(3):
        store.commit(ChangeSet("save", [write(f"notes/{n}.md", b"text", None)], at=1.0))
    segments._listed.clear()
    real = getattr(os, name)

    def fail(*given: Any, **named: Any) -> Any:
        if name != "open" or str(given[0]).endswith(".log"):
            raise OSError(errno.EIO, "Input/output error")
        return real(*given, **named)

    monkeypatch.setattr(os, name, fail)
    for read in (
        lambda: list(store.chain(store.device)),
        lambda: store.heads(),
        lambda: store.unread(store.device),
        lambda: store.find_change(store.device, 2),
    ):
        with pytest.raises(StorageError, match="the history can't be read: Input/output error"):
            read()


def test_an_unfinished_change_that_cannot_be_completed_is_an_obstacle(
    killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_folder_store(killed)

    def fail(*_: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(segments, "find_record", fail)
        assert store.recover() == []
        assert ["cut off" in one.message for one in store.obstacles()] == [True]
    assert len(store.recover()) == 1
    assert list(store.obstacles()) == []


def test_a_folder_that_cannot_be_opened_is_never_left_out_of_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_folder_store(tmp_path / "store")
    store.commit(ChangeSet("save", [write("notes/1.md", b"text", None)], at=1.0))
    real = os.open

    def fail(place: Any, *given: Any, **named: Any) -> int:
        if place == "notes":
            raise OSError(errno.EIO, "Input/output error")
        return real(place, *given, **named)

    monkeypatch.setattr(os, "open", fail)
    with pytest.raises(StorageError, match="can't be copied"):
        list(store.copy_files())


def test_whether_a_vault_has_moved_is_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_folder_store(tmp_path / "store")
    real = os.stat

    def fail(place: Any, *given: Any, **named: Any) -> Any:
        if place == confined.MOVED:
            raise OSError(errno.EIO, "Input/output error")
        return real(place, *given, **named)

    monkeypatch.setattr(os, "stat", fail)
    with pytest.raises(StorageError):
        store.commit(ChangeSet("save", [write("notes/1.md", b"text", None)], at=1.0))
    with pytest.raises(StorageError):
        open_folder_store(tmp_path / "store")


@pytest.mark.parametrize("is_known", [True, False])
def test_what_a_killed_writer_moved_aside_is_swept_only_if_its_bytes_are_in_the_history(
    killed: Path, is_known: bool
) -> None:
    swap = killed / "vault/other" / f".~engrain-dev1ce-0-{crc32(b'seen.md'):08x}.swap"
    swap.write_bytes(SEEN if is_known else b"typed by a person meanwhile\n")
    store = open_folder_store(killed)
    store.recover()
    assert not swap.exists()
    found = contents(store)
    typed = [place for place, raw in found.items() if raw.startswith(b"typed")]
    assert {place: raw for place, raw in found.items() if place not in typed} == AFTER
    assert len(typed) == (0 if is_known else 1)
