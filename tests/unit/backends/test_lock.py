"""The write lock, held by real processes: the kernel's, and the fallback where there is none."""

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
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock, Thread

import pytest

from engrain.backends.lock import STALE_SECONDS, Held, hold_lock
from engrain.model.errors import LockedError, StorageError
from support.vaults import make_memory

# A file system without locks, as the processes under test see it.
WITHOUT_LOCKS = """
import errno, fcntl
def refuse(descriptor, operation):
    raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock = refuse
"""

HOLDER = """
import sys, time
from engrain.backends.lock import hold_lock
with hold_lock(*sys.argv[1:3]):
    print("held", flush=True)
    time.sleep(60)
"""

# Counts in a file the way a store writes: read, write beside, check, rename, acknowledge. One in
# `odds` counts ends with the death of the process, before the rename or after the acknowledgement.
COUNTER = """
import os, random, signal, sys, time
from engrain.backends.lock import hold_lock
folder, notes, counter, acknowledged, times, odds = sys.argv[1:]
temp = f"{counter}-{os.getpid()}"
for _ in range(int(times)):
    dies = int(odds) and random.randrange(int(odds)) == 0
    late = random.randrange(2)
    with hold_lock(folder, notes, 60) as held:
        with open(counter) as file:
            count = int(file.read())
        time.sleep(0.0005)  # long enough for the processes to meet
        with open(temp, "w") as file:
            file.write(str(count + 1))
        if dies and not late:
            os.kill(os.getpid(), signal.SIGKILL)
        held.check()
        os.rename(temp, counter)
        with open(acknowledged, "a") as file:
            file.write(".")
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
"""

KINDS = pytest.mark.parametrize("prelude", ["", WITHOUT_LOCKS], ids=["kernel", "fallback"])


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

    def __init__(self, prelude: str, folder: str, notes: str) -> None:
        self._process = run(prelude + HOLDER, folder, notes)
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


def lock_files(notes: str) -> list[str]:
    return os.listdir(os.path.join(notes, "lock"))


def age(notes: str, seconds: float) -> None:
    """Make the holder of the fallback look as if it had not been heard of for so long."""
    [name] = lock_files(notes)
    then = time.time() - seconds
    os.utime(os.path.join(notes, "lock", name), (then, then))


def count(prelude: str, folder: str, notes: str, counter: Path, odds: int) -> int:
    """Count 200 times, in as many processes as it takes; how many of them died."""
    acknowledged = counter.with_name(f"acknowledged-{os.urandom(4).hex()}")
    acknowledged.touch()
    deaths = 0
    while (left := 200 - acknowledged.stat().st_size) > 0:
        process = run(prelude + COUNTER, folder, notes, counter, acknowledged, left, odds)
        process.communicate()
        assert process.returncode in ((0, -signal.SIGKILL) if odds else (0,))
        deaths += process.returncode != 0
    return deaths


@KINDS
@pytest.mark.parametrize("odds", [0, 80], ids=["all-live", "some-die"])
def test_eight_processes_that_count_lose_no_count(
    prelude: str, odds: int, folder: str, notes: str, tmp_path: Path
) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(count, prelude, folder, notes, counter, odds) for _ in range(8)]
        deaths = sum(job.result() for job in jobs)
    assert counter.read_text() == "1600"
    assert bool(deaths) == bool(odds)
    assert os.listdir(folder) == []


@KINDS
def test_a_killed_holder_frees_the_lock_at_once(
    prelude: str, folder: str, notes: str, holders: list[Holder], request: pytest.FixtureRequest
) -> None:
    if prelude:
        request.getfixturevalue("no_locks")
    for _ in range(3):
        holder = Holder(prelude, folder, notes)
        holders.append(holder)
        holder.kill()
        started = time.monotonic()
        with hold_lock(folder, notes):
            assert time.monotonic() - started < 2


@KINDS
def test_a_suspended_holder_is_waited_for_and_then_named(
    prelude: str, folder: str, notes: str, holders: list[Holder], request: pytest.FixtureRequest
) -> None:
    if prelude:
        request.getfixturevalue("no_locks")
    holder = Holder(prelude, folder, notes)
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
    holders.append(Holder("", folder, notes))
    started = time.monotonic()
    with pytest.raises(LockedError), hold_lock(folder, notes, 0):
        pass
    assert time.monotonic() - started < 0.1
    holders[0].kill()
    with hold_lock(folder, notes, 0):
        pass


@KINDS
def test_two_threads_exclude_each_other(
    prelude: str, folder: str, notes: str, request: pytest.FixtureRequest
) -> None:
    if prelude:
        request.getfixturevalue("no_locks")
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
    holders.append(Holder("", folder, notes))
    Path(notes, "writer.json").write_bytes(note)
    with pytest.raises(LockedError) as caught, hold_lock(folder, notes, 0):
        pass
    assert caught.value.message == "the vault is held by an unknown process"


def test_the_note_of_a_dead_writer_blames_nobody(
    folder: str, notes: str, holders: list[Holder]
) -> None:
    dead = run("pass")
    dead.communicate()
    holders.append(Holder("", folder, notes))
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
    with hold_lock(folder, str(tmp_path / "no" / "such" / "folder")) as held:
        held.check()


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


def test_other_errors_of_the_kernel_do_not_lead_to_the_fallback(
    folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int, operation: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(OSError, match="Input/output error"), hold_lock(folder, notes):
        pass
    assert os.listdir(notes) == []


# The fallback


@pytest.mark.usefixtures("no_locks")
class TestFallback:
    def test_a_holder_heard_of_in_time_is_not_taken_over(self, folder: str, notes: str) -> None:
        with hold_lock(folder, notes) as held:
            for seconds in (0, STALE_SECONDS - 5, 5 - STALE_SECONDS):
                age(notes, seconds)
                with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                    pass
            held.check()

    @pytest.mark.parametrize("seconds", [STALE_SECONDS + 1, -STALE_SECONDS - 1, 1e9])
    def test_a_holder_that_wakes_up_too_late_is_told(
        self, folder: str, notes: str, seconds: float
    ) -> None:
        with hold_lock(folder, notes) as late:
            late.check()
            age(notes, seconds)
            with hold_lock(folder, notes, 0) as taker:
                with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                    pass
                for _ in range(2):
                    with pytest.raises(LockedError) as caught:
                        late.check()
                    taker.check()
                assert caught.value.path == folder
                with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                    pass
        with hold_lock(folder, notes, 0):
            pass

    def test_a_late_holder_does_not_give_away_the_lock_of_another(
        self, folder: str, notes: str
    ) -> None:
        late = hold_lock(folder, notes)
        late.__enter__()
        age(notes, STALE_SECONDS + 1)
        with hold_lock(folder, notes, 0) as taker:
            late.__exit__(None, None, None)
            taker.check()
            with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                pass

    def test_a_check_is_a_sign_of_life(self, folder: str, notes: str) -> None:
        with hold_lock(folder, notes) as held:
            age(notes, STALE_SECONDS - 1)
            held.check()
            [name] = lock_files(notes)
            assert time.time() - os.stat(os.path.join(notes, "lock", name)).st_mtime < 5

    def test_a_holder_that_wakes_up_just_before_it_is_taken_over_keeps_the_lock(
        self, folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real, renames = os.rename, []

        def wake_first(source: str, target: str) -> None:
            renames.append(target)
            if len(renames) == 1:
                held.check()
            real(source, target)

        with hold_lock(folder, notes) as held:
            age(notes, STALE_SECONDS + 1)
            with monkeypatch.context() as patch:
                patch.setattr(os, "rename", wake_first)
                with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                    pass
            assert len(renames) == 2
            held.check()

    def test_of_two_that_take_over_one_holder_one_wins(
        self, folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.rename
        renames: list[str] = []
        winners: list[Held] = []
        blocks: list[AbstractContextManager[Held]] = []

        def let_another_win(source: str, target: str) -> None:
            if not renames:
                renames.append(target)
                blocks.append(hold_lock(folder, notes, 0))
                winners.append(blocks[0].__enter__())
            real(source, target)

        late = hold_lock(folder, notes)
        late.__enter__()
        age(notes, STALE_SECONDS + 1)
        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", let_another_win)
            with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                pass
        winners[0].check()

    def test_a_lock_just_claimed_is_not_stale(
        self, folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with hold_lock(folder, notes):
            pass
        age(notes, 3600)
        real = os.rename
        refused: list[bool] = []

        def contend_after(source: str, target: str) -> None:
            real(source, target)
            if not refused:
                refused.append(True)
                with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                    pass

        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", contend_after)
            with hold_lock(folder, notes, 0) as held:
                held.check()
        assert refused

    def test_a_process_of_another_machine_is_judged_by_its_signs_of_life(
        self, folder: str, notes: str
    ) -> None:
        dead = run("pass")
        dead.communicate()
        with hold_lock(folder, notes):
            pass
        place = os.path.join(notes, "lock")
        elsewhere = os.path.join(place, f"held-0123456789ab-{dead.pid}-00")
        os.rename(os.path.join(place, "free"), elsewhere)
        with pytest.raises(LockedError), hold_lock(folder, notes, 0):
            pass
        age(notes, STALE_SECONDS + 1)
        with hold_lock(folder, notes, 0):
            pass

    @pytest.mark.parametrize("name", ["held", "held-", "held-a-b", "held-a-b-c-d", "what"])
    def test_a_name_nobody_made_is_judged_by_its_age(
        self, folder: str, notes: str, name: str
    ) -> None:
        place = Path(notes, "lock")
        place.mkdir()
        (place / name).touch()
        with pytest.raises(LockedError), hold_lock(folder, notes, 0):
            pass
        age(notes, STALE_SECONDS + 1)
        with hold_lock(folder, notes, 0):
            pass
        assert lock_files(notes) == ["free"]

    def test_an_empty_lock_folder_left_by_a_power_cut_is_replaced(
        self, folder: str, notes: str
    ) -> None:
        Path(notes, "lock").mkdir()
        with hold_lock(folder, notes, 0):
            pass
        assert sorted(os.listdir(notes)) == ["lock", "writer.json"]

    def test_of_two_that_put_the_lock_in_place_one_does(
        self, folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.rename
        renames: list[str] = []
        first = hold_lock(folder, notes, 0)

        def let_another_be_first(source: str, target: str) -> None:
            renames.append(target)
            if len(renames) == 1:
                first.__enter__()
            real(source, target)

        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", let_another_be_first)
            with pytest.raises(LockedError), hold_lock(folder, notes, 0):
                pass
        assert sorted(os.listdir(notes)) == ["lock", "writer.json"]
        first.__exit__(None, None, None)
        assert lock_files(notes) == ["free"]

    def test_notes_that_cannot_be_written_are_an_error_of_the_file_system(
        self, folder: str, tmp_path: Path
    ) -> None:
        blocked = tmp_path / "file"
        blocked.touch()
        with pytest.raises(OSError), hold_lock(folder, str(blocked)):
            pass


def test_a_system_without_locks_is_named(
    folder: str, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain.backends.lock.fcntl", None)
    with pytest.raises(StorageError, match="no locks of files") as caught, hold_lock(folder, notes):
        pass
    assert "WSL" in (caught.value.remedy or "")
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
