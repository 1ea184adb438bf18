"""Jobs for tests, by the places under which a table names them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from engrain.engine.core.store import Store
from engrain.lifecycle.jobs.table import Job, Run
from engrain.model.errors import StorageError
from engrain.model.run_result import RunResult

HERE = __name__
ran: list[str] = []
"""The jobs that ran in this process, in order."""


def table(*names: str, every: int = 30) -> dict[str, Job]:
    """A table of these jobs; a name is that of a function here."""
    return {name: Job(name, f"to {name}", every, f"{HERE}:{name}") for name in names}


def first(store: Store, run: Run) -> RunResult:
    ran.append("first")
    return RunResult({"done": 1}, ["01m8 done"])


def second(store: Store, run: Run) -> RunResult:
    ran.append("second")
    return RunResult({"done": 2})


def third(store: Store, run: Run) -> RunResult:
    ran.append("third")
    return RunResult()


def fail(store: Store, run: Run) -> RunResult:
    ran.append("fail")
    secret = "AKIA" + "QYLPMN5HFIQR7XYA"  # in two, lest a scanner of this repository find one
    raise StorageError(f"the disk is full of\n{secret}")


def stumble(store: Store, run: Run) -> RunResult:
    ran.append("stumble")
    raise KeyError("a title of somebody's")


def greedy(store: Store, run: Run) -> RunResult:
    """Never done before its time is up."""
    ran.append("greedy")
    steps = 0
    while not run.out_of_time():
        steps += 1
    return RunResult({"steps": steps}, unfinished=True)


def interrupt(store: Store, run: Run) -> RunResult:
    raise KeyboardInterrupt


def chatter(store: Store, run: Run) -> RunResult:
    return RunResult(lines=["x" * 1000] * 1000)


def note(store: Store, run: Run) -> RunResult:
    """Leave a file in the vault; dry, only say so."""
    if not run.dry_run:
        _vault(store).joinpath("noted").touch()
    return RunResult({"noted": 1})


def linger(store: Store, run: Run) -> RunResult:
    """Begin work that is a minute long, and finish it where it was begun before."""
    begun = _vault(store).with_name("begun")
    if begun.exists():
        return RunResult({"finished": 1})
    begun.touch()
    time.sleep(60)
    return RunResult()


def _vault(store: Store) -> Path:
    return Path(store.backend.describe())


def steady(step: float) -> Callable[[], float]:
    """A monotonic clock that moves so many seconds at each look."""
    at = [0.0]

    def look() -> float:
        at[0] += step
        return at[0]

    return look
