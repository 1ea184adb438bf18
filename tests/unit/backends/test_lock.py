"""The write lock, held by real processes."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock, Thread

import pytest

from engrain.backends.lock import hold_lock
from engrain.model.errors import LockedError, StorageError
from support.vaults import make_memory

HOLDER = """
import sys, time
from engrain.backends.lock import hold_lock
with hold_lock(*sys.argv[1:3]):
    print("held", flush=True)
    time.sleep(60)
"""

# Counts in a file the way a store writes: read, write beside, rename, acknowledge. One in
# `odds` counts ends with the death of the process, before the rename or after the acknowledgement.
COUNTER = """
import os, random, signal, sys, time
from engrain.backends.lock import hold_lock
folder, notes, counter, acknowledged, times, odds = sys.argv[1:]
temp = f"{counter}-{os.getpid()}"
for _ in range(int(times)):
    dies = int(odds) and random.randrange(int(odds)) == 0
    late = random.randrange(2)
    with hold_lock(folder, notes, 60):
        with open(counter) as file:
            count = int(file.read())
        time.sleep(0.0005)  # long enough for the processes to meet
        with open(temp, "w") as file:
            file.write(str(count + 1))
        if dies and not late:
            os.kill(os.getpid(), signal.SIGKILL)
        os.rename(temp, counter)
        with open(acknowledged, "a") as file:
            file.write(".")
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "vault").mkdir()
    return str(tmp_path / "vault")


@pytest.fixture
def notes(tmp_path: Path) -> str:
    (tmp_path / "notes").mkdir()
    return str(tmp_path / "notes")


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process, too, sees a file system without locks."""

    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)


def run(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.PIPE,
        text=True,
    )


class Holder:
    """Another process that holds the lock."""

    def __init__(self, folder: str, notes: str) -> None:
        self._process = run(HOLDER, folder, notes)
        self.pid = self._process.pid
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "held\n"

    def stop(self) -> None:
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def holders() -> Iterator[list[Holder]]:
    started: list[Holder] = []
    yield started
    for holder in started:
        holder.kill()


def count(folder: str, notes: str, counter: Path, odds: int) -> int:
    """Count 200 times, in as many processes as it takes; how many of them died."""
    acknowledged = counter.with_name(f"acknowledged-{os.urandom(4).hex()}")
    acknowledged.touch()
    deaths = 0
    while (left := 200 - acknowledged.stat().st_size) > 0:
        process = run(COUNTER, folder, notes, counter, acknowledged, left, odds)
        process.communicate()
        assert process.returncode in ((0, -signal.SIGKILL) if odds else (0,))
        deaths += process.returncode != 0
    return deaths


@pytest.mark.parametrize("odds", [0, 80], ids=["all-live", "some-die"])
def test_eight_processes_that_count_lose_no_count(
    odds: int, folder: str, notes: str, tmp_path: Path
) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(count, folder, notes, counter, odds) for _ in range(8)]
        deaths = sum(job.result() for job in jobs)
    assert counter.read_text() == "1600"
    assert bool(deaths) == bool(odds)
    assert os.listdir(folder) == []


def test_a_killed_holder_frees_the_lock_at_once(
    folder: str, notes: str, holders: list[Holder]
) -> None:
    for _ in range(3):
        holder = Holder(folder, notes)
        holders.append(holder)
        holder.kill()
        started = time.monotonic()
        with hold_lock(folder, notes):
            assert time.monotonic() - started < 2


def test_a_suspended_holder_is_waited_for_and_then_named(
    folder: str, notes: str, holders: list[Holder]
) -> None:
    holder = Holder(folder, notes)
    holders.append(holder)
    holder.stop()
    started = time.monotonic()
    with pytest.raises(LockedError) as caught, hold_lock(folder, notes, 0.3):
        pass
    assert 0.3 <= time.monotonic() - started < 2
    assert f"another process (pid {holder.pid}) has been writing for " in caught.value.message
    assert caught.value.path == folder
    assert caught.value.remedy == f"wait for it, or stop process {holder.pid}"


def test_without_a_wait_it_is_tried_once(folder: str, notes: str, holders: list[Holder]) -> None:
    holders.append(Holder(folder, notes))
    started = time.monotonic()
    with pytest.raises(LockedError), hold_lock(folder, notes, 0):
        pass
    assert time.monotonic() - started < 0.1
    holders[0].kill()
    with hold_lock(folder, notes, 0):
        pass


def test_two_threads_exclude_each_other(folder: str, notes: str) -> None:
    inside = Lock()

    def enter(_: int) -> None:
        for _ in range(50):
            with hold_lock(folder, notes, 60):
                assert inside.acquire(blocking=False)
                time.sleep(0.0001)
                inside.release()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(enter, range(2)))


def test_a_thread_is_told_of_another_thread(folder: str, notes: str) -> None:
    caught: list[LockedError] = []

    def contend() -> None:
        try:
            with hold_lock(folder, notes, 0.01):
                pass
        except LockedError as error:
            caught.append(error)

    with hold_lock(folder, notes):
        contender = Thread(target=contend)
        contender.start()
        contender.join()
    [error] = caught
    assert error.message == "another thread of this process has been writing for 0 s"


@pytest.mark.parametrize(
    "note",
    [b"", b"{}", b"{", b"[]", b"\xff", b'{"pid": 0, "since": 1.0}', b'{"pid": "1", "since": 1.0}'],
)
def test_a_holder_that_left_no_note_is_unknown(
    folder: str, notes: str, holders: list[Holder], note: bytes
) -> None:
    holders.append(Holder(folder, notes))
    Path(notes, "writer.json").write_bytes(note)
    with pytest.raises(LockedError) as caught, hold_lock(folder, notes, 0):
        pass
    assert caught.value.message == "the vault is held by an unknown process"


def test_the_note_of_a_dead_writer_blames_nobody(
    folder: str, notes: str, holders: list[Holder]
) -> None:
    dead = run("pass")
    dead.communicate()
    holders.append(Holder(folder, notes))
    Path(notes, "writer.json").write_text(f'{{"pid": {dead.pid}, "since": 1.0}}')
    with pytest.raises(LockedError) as caught, hold_lock(folder, notes, 0):
        pass
    assert caught.value.message == "the vault is held by an unknown process"


def test_a_writer_that_is_done_is_not_blamed_for_another_program(
    folder: str, notes: str, holders: list[Holder]
) -> None:
    with hold_lock(folder, notes):
        pass
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        with pytest.raises(LockedError) as caught, hold_lock(folder, notes, 0):
            pass
    finally:
        os.close(descriptor)
    assert caught.value.message == "the vault is held by an unknown process"


def test_a_note_that_cannot_be_written_stops_nobody(folder: str, tmp_path: Path) -> None:
    with hold_lock(folder, str(tmp_path / "no" / "such" / "folder")):
        assert os.listdir(folder) == []


@pytest.mark.parametrize("fails", [False, True])
def test_the_lock_is_free_after_the_block_however_it_ends(
    folder: str, notes: str, fails: bool
) -> None:
    def hold() -> None:
        with hold_lock(folder, notes):
            with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                pass
            if fails:
                raise ValueError

    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        try:
            hold()
        except ValueError:
            assert fails
    with hold_lock(folder, notes, 0):
        pass
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_child_forked_after_the_block_closes_no_file_of_its_own(folder: str, notes: str) -> None:
    with hold_lock(folder, notes):
        pass
    opened = os.open(folder, os.O_RDONLY)  # has the number that the lock had
    child = os.fork()
    if not child:
        try:
            os.fstat(opened)
        except OSError:
            os._exit(1)
        os._exit(0)
    os.close(opened)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_holder_of_another_user_is_named(
    folder: str, notes: str, holders: list[Holder], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    holders.append(Holder(folder, notes))
    monkeypatch.setattr(os, "kill", refuse)
    with (
        pytest.raises(LockedError, match=r"another process \(pid [0-9]+\)"),
        hold_lock(folder, notes, 0),
    ):
        pass


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_child_forked_meanwhile_does_not_keep_the_lock(folder: str, notes: str) -> None:
    with hold_lock(folder, notes):
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
    try:
        with hold_lock(folder, notes, 0):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_folder_put_in_the_place_of_the_locked_one_is_locked_anew(
    folder: str, notes: str
) -> None:
    with hold_lock(folder, notes):
        os.rename(folder, f"{folder}-moved")
        os.mkdir(folder)
        with hold_lock(folder, notes, 0):
            pass
        with pytest.raises(LockedError), hold_lock(f"{folder}-moved", notes, 0):
            pass


def test_a_folder_swapped_between_opening_and_locking_is_not_taken_for_the_vault(
    folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = fcntl.flock, []

    def swap_first(descriptor: int, operation: int) -> None:
        calls.append(operation)
        if len(calls) == 1:
            os.rename(folder, f"{folder}-moved")
            os.mkdir(folder)
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", swap_first)
    with hold_lock(folder, notes):
        assert len(calls) == 2
        with pytest.raises(LockedError), hold_lock(folder, notes, 0):
            pass


def test_a_missing_folder_is_an_error_of_the_file_system(folder: str, notes: str) -> None:
    os.rmdir(folder)
    with pytest.raises(FileNotFoundError), hold_lock(folder, notes):
        pass


def test_other_errors_of_the_kernel_are_reported_as_they_are(
    folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int, operation: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(OSError, match="Input/output error"), hold_lock(folder, notes):
        pass
    assert os.listdir(notes) == []


@pytest.mark.usefixtures("no_locks")
def test_a_file_system_without_locks_is_named(folder: str, notes: str) -> None:
    with pytest.raises(StorageError, match="no locks of files") as caught, hold_lock(folder, notes):
        pass
    assert "a file system with locks" in (caught.value.remedy or "")
    assert os.listdir(notes) == []


def test_a_lock_that_cannot_be_given_back_does_not_make_a_save_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock

    def fail_to_unlock(file: int, operation: int) -> None:
        if operation == fcntl.LOCK_UN:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", fail_to_unlock)
    with make_memory(tmp_path) as memory:
        first = memory.save("one one", title="One", kind="fix")
        assert memory.show(first.id).entry.text.strip() == "one one"
        assert memory.save("two two", title="Two", kind="fix").outcome == "created"
