"""Device-local state in a file: the contract, several processes, broken files."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.local_state import AT, LocalStateContract, Reopen, describe
from engrain.model.errors import StorageError
from engrain.state.local_state import LocalState

MANY = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "vault"


@pytest.fixture
def state(folder: Path) -> Iterator[LocalState]:
    state = LocalState(str(folder))
    yield state
    state.close()


class TestFile(LocalStateContract):
    @pytest.fixture
    def reopen(self, folder: Path) -> Reopen:
        return lambda: LocalState(str(folder))


def test_nothing_is_made_before_it_is_used(folder: Path) -> None:
    LocalState(str(folder)).close()
    assert not folder.exists()


def test_nobody_else_can_read_it(state: LocalState, folder: Path) -> None:
    state.end_session("s1", "x", AT, ["a"])
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path.name
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


ENDING = """
import sys
from engrain.state.local_state import LocalState
state = LocalState(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    state.end_session(f"{sys.argv[2]}-{number}", "", 1.0, ["a", sys.argv[2]])
    state.end_session("both", "", 1.0, [sys.argv[2]])
"""


def test_sessions_that_end_in_two_processes_at_once_each_get_one_ordinal(
    state: LocalState, folder: Path
) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", ENDING, str(folder), name, str(MANY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
        assert child.returncode == 0
    ordinals = [session.ordinal for session in state.sessions()]
    assert ordinals == [*range(1, 2 * MANY + 2)]
    hits = state.hits_since(0)
    assert len(hits["a"]) == 2 * MANY
    assert len(hits["one"]) == len(hits["two"]) == MANY + 1
    assert set(hits["one"]) & set(hits["two"])  # that of the session both ended


def test_threads_share_one_state(state: LocalState) -> None:
    def end(name: str) -> None:
        for number in range(20):
            state.end_session(f"{name}{number}", "", AT, ["a"])

    threads = [threading.Thread(target=end, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(state.sessions()) == len(state.hits_since(0)["a"]) == 60


KILLED = """
import os, sys
from engrain.state.local_state import LocalState
state = LocalState(sys.argv[1])
state.end_session("s1", "", 1.0, ["a"])
def hits():
    yield "b"
    os.kill(os.getpid(), 9)
state.end_session("s2", "", 1.0, hits())
"""


def test_a_process_killed_while_it_ends_a_session_leaves_none_of_it(
    state: LocalState, folder: Path
) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert describe(state) == ([(1, "", 1.0)], {"a": 1}, {"a": [1]})


@pytest.mark.parametrize("raw", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000, b"\0" * 99])
def test_a_broken_file_is_put_aside_and_a_new_one_begun(folder: Path, raw: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / "state.sqlite").write_bytes(raw)
    (folder / "state.sqlite-wal").write_bytes(b"left over")
    state = LocalState(str(folder))
    assert state.end_session("s1", "", AT, ["a"]) == 1
    state.close()
    assert (folder / "state.sqlite.broken").read_bytes() == raw
    state = LocalState(str(folder))
    assert describe(state) == ([(1, "", AT)], {"a": 1}, {"a": [1]})
    state.close()


def test_an_empty_file_is_a_new_one(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "state.sqlite").touch()
    state = LocalState(str(folder))
    assert state.end_session("s1", "", AT, ["a"]) == 1
    state.close()
    assert not (folder / "state.sqlite.broken").exists()


def test_a_note_that_is_no_json_is_none(state: LocalState, folder: Path) -> None:
    import apsw

    state.write_note("digest", {"at": 1})
    other = apsw.Connection(str(folder / "state.sqlite"))
    other.execute("UPDATE notes SET value = '{'")
    other.close()
    assert state.read_note("digest") is None


def test_a_folder_that_is_none_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    state = LocalState(str(tmp_path / "file" / "vault"))
    for _ in range(2):
        with pytest.raises(StorageError, match="this device's state can't be kept") as caught:
            state.end_session("s1", "", AT, [])
        assert str(tmp_path) in (caught.value.path or "")
        assert "\n" not in caught.value.message
