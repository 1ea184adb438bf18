"""A process that forks while its threads write: both go on."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from engrain import open_memory

WRITERS, FORKS = 4, 6
DEADLINE = 60.0


def ends_well(child: int) -> bool:
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        pid, code = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(code) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_beside_writing_threads_writes_as_its_parent_does(tmp_path: Path) -> None:
    memory = open_memory(
        tmp_path / "vault", state_dir=tmp_path / "state", backend="device-local", create=True
    )
    memory.save("It is there before.", title="first", kind="fix")
    memory.list()
    done, wrong = threading.Event(), []

    def write(writer: int) -> None:
        n = 0
        while not done.is_set():
            try:
                memory.save(f"{writer} wrote {n}.", title=f"w{writer} n{n}", kind="fix")
            except Exception as error:
                wrong.append(error)
                return
            n += 1

    threads = [threading.Thread(target=write, args=(n,)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    good = []
    for number in range(FORKS):
        if not (child := os.fork()):
            code = 1
            try:
                memory.save(f"A child wrote {number}.", title=f"child {number}", kind="fix")
                code = int("child" not in memory.recall(f"child {number}").results[0].row.title)
            finally:
                os._exit(code)
        good.append(ends_well(child))
    done.set()
    for thread in threads:
        thread.join(DEADLINE)
    assert (good, wrong) == ([True] * FORKS, [])
    titles = {str(row.title) for row in memory.list().rows}
    assert {f"child {number}" for number in range(FORKS)} <= titles
    assert [report.wrong for report in memory.trust.survey().chains] == [None]
    memory.close()


def test_a_killed_parent_leaves_its_lock_to_no_child(tmp_path: Path) -> None:
    from engrain.backends.lock import hold_lock

    vault, notes = tmp_path / "vault", tmp_path / "notes"
    vault.mkdir()
    notes.mkdir()
    told, tells = os.pipe()
    if not (parent := os.fork()):
        with hold_lock(str(vault), str(notes)):
            if not os.fork():
                os.write(tells, b"%d" % os.getpid())
                time.sleep(DEADLINE)
                os._exit(0)
            time.sleep(DEADLINE)
        os._exit(0)
    child = int(os.read(told, 20))
    try:
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        with hold_lock(str(vault), str(notes), 5.0):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
