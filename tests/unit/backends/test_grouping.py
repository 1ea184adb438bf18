"""Threads that commit at once share flushes; each change stays one of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engrain.backends import applying, confined, protocol
from engrain.backends.device_local import open_backend
from engrain.backends.folder import FolderBackend
from engrain.backends.grouping import CommitRequest, Commits
from engrain.backends.lock import hold_lock
from engrain.model.errors import ConflictError, EngrainError, LockedError
from engrain.model.history.line import GENESIS, MOST_TOGETHER
from engrain.model.history.record import Record, check_link, decode_record
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import BackendRequest
from support.vaults import make_memory


class Crowd:
    """A store, and threads that want to commit to it while another holds its lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.vault = folder / "vault"
        request = BackendRequest(
            str(self.vault), state=str(folder), device="device", entropy=os.urandom, create=True
        )
        store = open_backend(request)
        assert isinstance(store, FolderBackend)
        self.store = store
        self.pool = ThreadPoolExecutor(64)
        self.futures: list[Future[Record]] = []

    @property
    def commits(self) -> Commits:
        writer = self.store._protocol()
        return writer._commits

    @contextmanager
    def held_up(self) -> Iterator[None]:
        """Nobody can commit before the end of the block."""
        with hold_lock(str(self.vault), str(self.folder / self.store.key)):
            yield

    def commit(self, path: str, text: bytes | None, before: bytes | None = None) -> Future[Record]:
        """Have another thread commit, behind those that came before."""
        locator = Locator(path)
        hash_ = None if before is None else hash_bytes(before)
        change = ChangeSet("save", [Write(locator, text, path, hash_)], at=1.0)
        there = self.waiting
        future = self.pool.submit(self.store.commit, change)
        wait_for(lambda: self.waiting > there or future.done())
        return future

    @property
    def waiting(self) -> int:
        return len(self.commits._waiting)

    def records(self) -> list[Record]:
        """The whole history, checked."""
        prev, found = GENESIS, []
        for n, link in enumerate(self.store.chain("device"), 1):
            assert check_link(link.line, link.payload, prev, n) is None
            prev = hash_bytes(link.line)
            found.append(decode_record(link.line, link.payload))
        return found

    def read(self, path: str) -> bytes:
        return self.store.read(Locator(path)).raw


def wait_for(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.001)


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[Crowd]:
    made = Crowd(tmp_path)
    made.store.commit(ChangeSet("save", [], at=1.0))
    yield made
    made.pool.shutdown()


@pytest.fixture
def flushes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every descriptor that is flushed from now on, by what it is of."""
    told: list[str] = []
    sync = confined.sync

    def tell(descriptor: int) -> None:
        told.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        sync(descriptor)

    monkeypatch.setattr(confined, "sync", tell)
    return told


def test_threads_that_wait_are_committed_with_one_flush_of_history_and_folder(
    crowd: Crowd, flushes: list[str]
) -> None:
    (crowd.vault / "notes").mkdir()
    with crowd.held_up():
        futures = [crowd.commit(f"notes/{number}.md", b"%d" % number) for number in range(8)]
        assert not any(future.done() for future in futures)
    records = [future.result() for future in futures]
    assert [record.n for record in records] == list(range(2, 10))
    assert [record.change for record in crowd.records()[1:]] == [r.change for r in records]
    for number in range(8):
        assert crowd.read(f"notes/{number}.md") == b"%d" % number
    assert sum(path.endswith(".log") for path in flushes) == 1
    assert sum(path.endswith("/notes") for path in flushes) == 1


def test_one_thread_alone_writes_records_as_ever(crowd: Crowd) -> None:
    crowd.commit("one.md", b"one").result()
    (link,) = list(crowd.store.chain("device"))[1:]
    assert b"together" not in link.line


def test_nothing_is_acknowledged_before_the_flush_that_is_shared(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    early: list[bool] = []
    sync = confined.sync

    def watch(descriptor: int) -> None:
        early.extend(future.done() for future in futures)
        sync(descriptor)

    with crowd.held_up():
        futures = [crowd.commit(f"{number}.md", b"x") for number in range(4)]
        monkeypatch.setattr(confined, "sync", watch)
    for future in futures:
        future.result()
    assert early
    assert not any(early)


def test_of_those_that_write_to_one_place_one_wins_and_the_others_are_reported(
    crowd: Crowd,
) -> None:
    with crowd.held_up():
        futures = [crowd.commit("same.md", b"%d" % number) for number in range(6)]
    assert futures[0].result().n == 2
    for future in futures[1:]:
        with pytest.raises(ConflictError):
            future.result()
    assert crowd.read("same.md") == b"0"


def test_changes_of_one_place_that_build_on_each_other_are_all_made(crowd: Crowd) -> None:
    with crowd.held_up():
        futures = [
            crowd.commit("same.md", b"%d" % n, b"%d" % (n - 1) if n else None) for n in range(5)
        ]
    assert [future.result().n for future in futures] == [2, 3, 4, 5, 6]
    assert crowd.read("same.md") == b"4"


def test_one_that_expects_other_bytes_is_refused_by_itself(crowd: Crowd) -> None:
    with crowd.held_up():
        good = [crowd.commit("a.md", b"a")]
        bad = crowd.commit("b.md", b"b", b"what is not there")
        good.append(crowd.commit("c.md", b"c"))
    assert [future.result().n for future in good] == [2, 3]
    with pytest.raises(ConflictError) as caught:
        bad.result()
    assert caught.value.path == "b.md"
    assert len(crowd.records()) == 3


def test_one_that_cannot_be_written_is_refused_by_itself_and_the_others_are_made(
    crowd: Crowd,
) -> None:
    (crowd.folder / "elsewhere").mkdir()
    with crowd.held_up():
        first = crowd.commit("a.md", b"a")
        bad = crowd.commit("led/out.md", b"b")
        last = crowd.commit("c.md", b"c")
        (crowd.vault / "led").symlink_to(crowd.folder / "elsewhere")
    assert [first.result().n, last.result().n] == [2, 3]
    with pytest.raises(EngrainError):
        bad.result()
    assert os.listdir(crowd.folder / "elsewhere") == []
    assert [record.n for record in crowd.records()] == [1, 2, 3]


@pytest.mark.parametrize("breaks", range(1, 9))
def test_a_flush_that_fails_is_told_to_whom_it_concerns_and_nothing_is_half_made(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch, breaks: int
) -> None:
    sync, calls = confined.sync, [0]

    def fail_once(descriptor: int) -> None:
        calls[0] += 1
        if calls[0] == breaks:
            raise OSError(28, "No space left on device")
        sync(descriptor)

    with crowd.held_up():
        futures = [crowd.commit(f"{number}.md", b"x%d" % number) for number in range(3)]
        monkeypatch.setattr(confined, "sync", fail_once)
    made = {}
    for number, future in enumerate(futures):
        try:
            made[f"{number}.md"] = future.result().n
        except EngrainError as error:
            assert "nothing was changed" in error.message
    monkeypatch.setattr(confined, "sync", sync)
    assert [record.n for record in crowd.records()[1:]] == sorted(made.values())
    for number in range(3):
        assert (crowd.vault / f"{number}.md").exists() == (f"{number}.md" in made)
    # Each had another try by itself, and a flush failed but once.
    assert len(made) == 3


def test_an_interrupted_leader_leaves_the_others_to_the_next_one() -> None:
    commits = Commits()
    change = ChangeSet("save", [], at=1.0)
    led: list[CommitRequest] = []
    started, others = [], 3

    def lead(request: CommitRequest, take: Callable[[], object]) -> None:
        led.append(request)
        if len(led) == 1:
            wait_for(lambda: len(commits._waiting) == 1 + others)
            take()
            raise KeyboardInterrupt
        for one in take():  # type: ignore[attr-defined]
            one.record = Record("d", len(led), 1.0, "save", [], [])

    def ask() -> CommitRequest:
        request = CommitRequest(change)
        started.append(request)
        commits.make(request, lead)
        return request

    with ThreadPoolExecutor(1 + others) as pool:
        first = pool.submit(ask)
        wait_for(lambda: bool(led))
        rest = [pool.submit(ask) for _ in range(others)]
        with pytest.raises(KeyboardInterrupt):
            first.result()
        for future in rest:
            assert future.result().outcome().n == 2
    assert not commits._waiting
    assert not commits._led


def test_who_gets_no_lock_is_told_after_the_wait_of_one_however_many_wait(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol.WriteProtocol._lead, "__defaults__", (2.0,))
    with crowd.held_up():
        started = time.monotonic()
        futures = [crowd.commit(f"{number}.md", b"x") for number in range(6)]
        for future in futures:
            with pytest.raises(LockedError):
                future.result()
        assert time.monotonic() - started < 8  # and not six times two seconds
    assert crowd.commit("later.md", b"x").result().n == 2


def test_no_more_are_flushed_together_than_a_reader_believes(crowd: Crowd) -> None:
    with crowd.held_up():
        futures = [crowd.commit(f"{number}.md", b"x") for number in range(MOST_TOGETHER + 8)]
    assert [future.result().n for future in futures] == list(range(2, MOST_TOGETHER + 10))
    together = [record.together for record in crowd.records()[1:]]
    assert together == [*range(MOST_TOGETHER), *range(8)]


# Three threads commit together; the process dies before it puts the file of the given number.
DIES = """
import os, signal, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from engrain.backends import applying
from unit.backends.test_grouping import Crowd

crowd, left = Crowd(Path(sys.argv[1])), [int(sys.argv[2])]
put = applying._place
def die(*arguments):
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    return put(*arguments)
applying._place = die
with crowd.held_up():
    for number in range(3):
        crowd.commit(f"notes-{number}/{number}.md", b"x")
time.sleep(60)
"""


@pytest.mark.parametrize("made", range(3))
def test_changes_that_were_flushed_together_are_all_completed_after_a_death(
    crowd: Crowd, made: int
) -> None:
    died = subprocess.run(
        [sys.executable, "-c", DIES, str(crowd.folder), str(made)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        check=False,
    )
    assert died.returncode == -signal.SIGKILL
    there = [n for n in range(3) if (crowd.vault / f"notes-{n}" / f"{n}.md").exists()]
    assert there == list(range(made))
    completed = crowd.store.recover()
    assert [record.n for record in completed] == list(range(2 + made, 5))
    for number in range(3):
        assert crowd.read(f"notes-{number}/{number}.md") == b"x"
    assert [record.n for record in crowd.records()] == [1, 2, 3, 4]
    assert list(crowd.vault.rglob(".~engrain-*")) == []
    assert crowd.store.recover() == []


def test_a_change_before_the_last_flush_is_never_made_again(crowd: Crowd) -> None:
    crowd.commit("old.md", b"old").result()
    crowd.commit("new.md", b"new").result()
    (crowd.vault / "old.md").unlink()  # as its owner wants it
    (crowd.folder / crowd.store.key / "tail.json").unlink()
    crowd.store.recover()
    assert not (crowd.vault / "old.md").exists()


def test_a_reader_that_comes_between_the_records_and_their_files_finds_all_of_them_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_memory(tmp_path) as writer, make_memory(tmp_path) as reader:

        def find() -> int:
            return len(reader.recall("lighthouse", scan=False).results)

        writer.save("The first lighthouse.", title="First", kind="fix")
        assert find() == 1
        apply = applying.apply_files
        between: list[int] = []

        def look_first(*arguments: Any) -> None:
            between.append(find())
            apply(*arguments)

        monkeypatch.setattr(protocol, "apply_files", look_first)
        store = writer._open_store().backend
        assert isinstance(store, FolderBackend)
        commits = store._protocol()._commits
        with ThreadPoolExecutor(4) as pool:
            with hold_lock(str(tmp_path / "vault"), str(store._state)):
                futures = [
                    pool.submit(writer.save, f"The lighthouse {n}.", title=f"Note {n}", kind="fix")
                    for n in range(4)
                ]
                wait_for(lambda: len(commits._waiting) == 4)
            for future in futures:
                future.result()
        assert between == [1]
        assert find() == 5
