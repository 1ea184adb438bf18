"""The queue of those that wait for the write lock: its order, and that nobody stops others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from engrain.backends.lock import hold_lock
from engrain.backends.waiting import join_queue
from engrain.model.errors import LockedError

WAITER = """
import sys
from engrain.backends import waiting
from engrain.backends.lock import hold_lock
folder, notes, order, name, looks = sys.argv[1:]
waiting._LOOKS = int(looks)
sleep = waiting.Place._sleep
def sleep_seen(place, seconds):
    open(order + name, "w").close()
    return sleep(place, seconds)
waiting.Place._sleep = sleep_seen
with hold_lock(folder, notes, 600):
    with open(order, "a") as file:
        file.write(name + "\\n")
"""


class Place:
    """A vault's folder and notes, and the processes that wait for its lock, oldest first."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = str(tmp_path / "vault")
        self.notes = str(tmp_path / "notes")
        self.order = tmp_path / "order"
        self.queue = tmp_path / "notes" / "queue"
        self.waiters: list[subprocess.Popen[bytes]] = []
        for made in (self.folder, self.notes):
            os.mkdir(made)
        self.order.touch()
        self.looks = (
            sys.maxsize
        )  # on a busy machine a slow waiter would be taken for a suspended one

    def line_up(self, count: int) -> None:
        """Let so many more wait, each behind those before it."""
        for _ in range(count):
            name = str(len(self.waiters))
            arguments = [self.folder, self.notes, str(self.order), name, str(self.looks)]
            self.waiters.append(subprocess.Popen([sys.executable, "-c", WAITER, *arguments]))
            asleep = Path(f"{self.order}{name}")
            wait_for(asleep.exists)

    def places(self) -> list[str]:
        return sorted(os.listdir(self.queue)) if self.queue.exists() else []

    def entered(self) -> list[int]:
        """Who has had the lock, in order."""
        return [int(name) for name in self.order.read_text().split()]


def wait_for(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.002)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    for waiter in made.waiters:
        waiter.kill()
        waiter.wait()


def test_the_lock_goes_to_those_that_wait_in_order_of_arrival(place: Place) -> None:
    with hold_lock(place.folder, place.notes):
        place.line_up(10)
    for waiter in place.waiters:
        assert waiter.wait() == 0
    assert place.entered() == list(range(10))
    assert place.places() == []


def test_who_has_just_written_goes_behind_those_that_wait(place: Place) -> None:
    with hold_lock(place.folder, place.notes):
        place.line_up(2)
    with hold_lock(place.folder, place.notes, 300):
        assert place.entered() == [0, 1]


def test_a_waiter_that_died_holds_up_nobody(place: Place) -> None:
    with hold_lock(place.folder, place.notes):
        place.line_up(3)
        for waiter in place.waiters[:2]:
            waiter.kill()
            waiter.wait()
        freed = time.monotonic()
    assert place.waiters[2].wait() == 0
    assert time.monotonic() - freed < 120
    assert place.entered() == [2]


def test_a_holder_that_dies_lets_the_first_waiter_in(place: Place) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from engrain.backends.lock import hold_lock\n"
            "with hold_lock(*sys.argv[1:]): print(flush=True); time.sleep(60)",
            place.folder,
            place.notes,
        ],
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        place.line_up(2)
        holder.kill()
    for waiter in place.waiters:
        assert waiter.wait() == 0
    assert place.entered() == [0, 1]


def test_a_suspended_waiter_holds_up_nobody_for_long_and_comes_first_when_it_wakes(
    place: Place,
) -> None:
    place.looks = 5
    with hold_lock(place.folder, place.notes):
        place.line_up(3)
        suspended = place.waiters[0]
        suspended.send_signal(signal.SIGSTOP)
        os.waitpid(suspended.pid, os.WUNTRACED)
        freed = time.monotonic()
    for waiter in place.waiters[1:]:
        assert waiter.wait() == 0
    assert time.monotonic() - freed < 120
    assert place.entered() == [1, 2]
    with hold_lock(place.folder, place.notes):
        place.line_up(1)
        suspended.send_signal(signal.SIGCONT)
        wait_for(lambda: len(place.places()) == 2)
    for waiter in place.waiters:
        assert waiter.wait() == 0
    assert place.entered() == [1, 2, 0, 3]


def test_who_gives_up_leaves_the_queue_to_the_others(place: Place) -> None:
    gave_up: list[LockedError] = []

    def give_up() -> None:
        try:
            with hold_lock(place.folder, place.notes, 2):
                pass
        except LockedError as error:
            gave_up.append(error)

    with hold_lock(place.folder, place.notes):
        impatient = Thread(target=give_up)
        impatient.start()
        wait_for(lambda: bool(place.places() or gave_up))
        place.line_up(1)
        impatient.join()
        assert len(place.places()) == 1
    assert len(gave_up) == 1
    assert place.waiters[0].wait() == 0


def test_who_cannot_wait_tries_once_and_does_not_join_the_queue(place: Place) -> None:
    with hold_lock(place.folder, place.notes):
        with pytest.raises(LockedError), hold_lock(place.folder, place.notes, 0):
            pass
        assert place.places() == []


def test_an_interrupted_waiter_leaves_nothing_behind(place: Place) -> None:
    with hold_lock(place.folder, place.notes):
        place.line_up(1)
        place.waiters[0].send_signal(signal.SIGINT)
        assert place.waiters[0].wait() != 0
        assert place.places() == []


@pytest.mark.parametrize(
    "name", ["desktop.ini", "00000000000000000001-dead", ".00000000000000000001-dead"]
)
def test_what_else_lies_in_the_queue_holds_up_nobody(place: Place, name: str) -> None:
    place.queue.mkdir()
    (place.queue / name).write_text("stray")
    with hold_lock(place.folder, place.notes):
        place.line_up(2)
    for waiter in place.waiters:
        assert waiter.wait() == 0
    assert place.entered() == [0, 1]
    with hold_lock(place.folder, place.notes, 5):
        pass


def test_without_named_pipes_it_is_tried_again_and_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "mkfifo")
    assert join_queue(str(place.queue)) is None
    entered: list[bool] = []

    def enter() -> None:
        with hold_lock(place.folder, place.notes, 300):
            entered.append(True)

    with hold_lock(place.folder, place.notes):
        waiting = Thread(target=enter)
        waiting.start()
        time.sleep(0.05)
        assert not entered
    waiting.join()
    assert entered


def test_a_file_in_the_place_of_the_queue_is_only_no_queue(place: Place) -> None:
    place.queue.write_text("a file")
    assert join_queue(str(place.queue)) is None
    with (
        hold_lock(place.folder, place.notes, 1),
        pytest.raises(LockedError),
        hold_lock(place.folder, place.notes, 0.05),
    ):
        pass
