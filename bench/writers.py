"""Many writers of one vault: processes that wait for the lock, threads that share flushes.

The floor is what a save can't do without, by as many processes in a bare loop: the kernel lock, a
record appended and flushed, a file written, flushed and renamed, its folder flushed. Floor and
saves take turns, and both are told by their medians, so that a drifting machine drifts for both.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench.measure import percentile, timed
from engrain import open_memory

ROUNDS = 3
SAVES = 50
"""So many by each writer in each round."""

ROWS = (
    ("saves by {entries} processes", "{saves_per_s}/s"),
    ("… lock, write, flush in a bare loop", "{floor_per_s}/s"),
    ("… **ratio** (goal 0.5)", "**{ratio}**"),
    ("wait for the lock, p50 / longest", "{wait_p50_ms} / {wait_max_ms} ms"),
    ("… **ratio** (goal 5)", "**{wait_ratio}**"),
    ("… of the bare loop", "{floor_wait_ratio}"),
    ("saves by {entries} threads of one process", "{threads_per_s}/s"),
    ("… **ratio** to one thread", "**{threads_ratio}**"),
)

_SAVES = """
import sys, time
from engrain import open_memory
from engrain.backends import lock

waits = []
enter = lock._Block.__enter__
def timed(block):
    started = time.perf_counter()
    try:
        return enter(block)
    finally:
        waits.append(time.perf_counter() - started)
lock._Block.__enter__ = timed

vault, state, writer, saves = sys.argv[1:]
with open_memory(vault, state_dir=state, backend="device-local") as memory:
    memory.list()
    print(flush=True)
    sys.stdin.readline()
    for number in range(int(saves)):
        memory.save(f"Writer {writer} says {number}.", title=f"By {writer} no {number}")
    print(time.monotonic(), *waits, flush=True)
"""

_FLOOR = """
import fcntl, os, sys, time

folder, _, writer, saves = sys.argv[1:]
place = os.open(folder, os.O_RDONLY)
log = os.open(f"{folder}/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
temp = f"{folder}/temp-{writer}"
waits = []
print(flush=True)
sys.stdin.readline()
for number in range(int(saves)):
    started = time.perf_counter()
    fcntl.flock(place, fcntl.LOCK_EX)
    waits.append(time.perf_counter() - started)
    os.write(log, b"x" * 1000)
    os.fsync(log)
    file = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.write(file, b"x" * 500)
    os.fsync(file)
    os.close(file)
    os.rename(temp, f"{folder}/{writer}-{number}")
    os.fsync(place)
    fcntl.flock(place, fcntl.LOCK_UN)
print(time.monotonic(), *waits, flush=True)
"""


def run(sizes: list[int], folder: Path) -> list[dict[str, object]]:
    """The figures of each number of writers."""
    return [_measure(writers, folder / str(writers)) for writers in sizes]


def _measure(writers: int, folder: Path) -> dict[str, object]:
    rates: dict[str, list[float]] = {_SAVES: [], _FLOOR: []}
    waits: dict[str, list[float]] = {_SAVES: [], _FLOOR: []}
    ratios: dict[str, list[float]] = {_SAVES: [], _FLOOR: []}
    threads, alone = [], []
    for round_ in range(ROUNDS):
        place = folder / str(round_)
        place.mkdir(parents=True)
        bare, vault, state = place / "bare", place / "vault", place / "state"
        bare.mkdir()
        with open_memory(vault, state_dir=state, backend="device-local", create=True):
            pass
        for code, where in ((_FLOOR, bare), (_SAVES, vault)):
            rate, took = _race(code, writers, where, state)
            rates[code].append(rate)
            waits[code] += took
            ratios[code].append(max(took) / statistics.median(took))
        alone.append(_threads(1, place / "one"))
        threads.append(_threads(writers, place / "many"))
        shutil.rmtree(place)
    return {
        "entries": writers,
        "saves_per_s": round(statistics.median(rates[_SAVES])),
        "floor_per_s": round(statistics.median(rates[_FLOOR])),
        "ratio": _median_ratio(rates[_SAVES], rates[_FLOOR]),
        "wait_p50_ms": round(statistics.median(waits[_SAVES]) * 1000, 2),
        "wait_p99_ms": round(percentile(waits[_SAVES], 0.99) * 1000, 2),
        "wait_max_ms": round(max(waits[_SAVES]) * 1000, 2),
        "wait_ratio": round(statistics.median(ratios[_SAVES]), 1),
        "floor_wait_ratio": round(statistics.median(ratios[_FLOOR]), 1),
        "threads_per_s": round(statistics.median(threads)),
        "threads_ratio": _median_ratio(threads, alone),
    }


def _median_ratio(some: list[float], others: list[float]) -> float:
    return round(statistics.median(a / b for a, b in zip(some, others, strict=True)), 2)


def _race(code: str, writers: int, folder: Path, state: Path) -> tuple[float, list[float]]:
    """How many saves a second all of them made together, and how long each waited for the lock."""
    arguments = [str(folder), str(state)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, *arguments, str(number), str(SAVES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(writers)
    ]
    for process in running:
        assert process.stdout
        process.stdout.readline()
    started = time.monotonic()
    for process in running:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    told = [[float(word) for word in process.communicate()[0].split()] for process in running]
    seconds = max(end for end, *_ in told) - started
    return writers * SAVES / seconds, [wait for _, *waits in told for wait in waits]


def _threads(writers: int, folder: Path) -> float:
    """Saves a second by so many threads with one memory."""
    state = folder.with_name(f"{folder.name}-state")
    with (
        open_memory(folder, state_dir=state, backend="device-local", create=True) as memory,
        ThreadPoolExecutor(writers) as pool,
    ):

        def save(writer: int) -> None:
            for number in range(SAVES):
                memory.save(f"Writer {writer} says {number}.", title=f"By {writer} no {number}")

        return writers * SAVES / timed(partial(list, pool.map(save, range(writers))))
