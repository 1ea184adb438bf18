"""What was begun from a page and takes its time, jobs and erasures: how far it is, and what came of
it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock, Thread

from engrain.api.memory import Memory
from engrain.lifecycle.jobs.runner import JobRun
from engrain.model.errors import EngrainError, LockedError


@dataclass(slots=True, eq=False)
class Progress:
    """How far a round of jobs is: the job that is at work, how many of how many are done, and how
    many steps the job has done; what came of those before. Anything else is a round of one."""

    job: str = ""
    done: int = 0
    total: int = 0
    steps: int = 0
    lines: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        place = f"job {min(self.done + 1, self.total)} of {self.total}"
        steps = f", {self.steps} steps done" if self.steps else ""
        return f"{self.job or 'jobs'}: {place}{steps}"


class Work:
    """The work of one console, a round of jobs or one thing else at a time. Pages and the live
    stream look at it from their own threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None
        self._progress = Progress()
        self._steps = 0
        self._failed: EngrainError | None = None
        self.result: object = None
        """What the last thing that was no job gave."""

    @property
    def busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def begin(self, memory: Memory, name: str) -> None:
        """Run one job now, or with "" all that are due. Raises LockedError while a round is at
        work, NotFoundError for a name that no job has."""
        with self._lock:
            total = 1 if name else sum(state.due for state in memory.jobs.status())
            self._start(Progress(total=total), partial(self._run, memory, name))

    def do(self, name: str, action: Callable[[Callable[[int, int | None], None]], object]) -> None:
        """Do something that is no job: `action` gets what it tells its steps to, and gives the
        `result`. Raises LockedError while anything is at work."""
        with self._lock:
            self._start(Progress(name, total=1), lambda: self._keep(action(self._count)))

    def _start(self, progress: Progress, action: Callable[[], None]) -> None:
        if self.busy:
            raise LockedError("jobs are at work already", remedy="wait until they are done")
        self._progress, self._failed, self._steps, self.result = progress, None, 0, None
        self._thread = Thread(target=self._try, args=(action,), name="jobs", daemon=True)
        self._thread.start()

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except EngrainError as error:
            self._failed = error

    def _keep(self, result: object) -> None:
        self.result = result

    def _count(self, steps: int, _: int | None) -> None:
        self._steps = steps

    def wait(self, seconds: float) -> Progress:
        """What came of the round, or how far it is after so many seconds. Raises EngrainError."""
        if self._thread is not None:
            self._thread.join(seconds)
        if self._failed is not None:
            raise self._failed
        return self._progress

    def look(self, memory: Memory) -> Progress | None:
        """How far the round is, None where none is at work."""
        if not self.busy:
            return None
        states = memory.jobs.status()
        running = [one.job.name for one in states if one.status and one.status.ended is None]
        found = self._progress
        job = found.job or (running[0] if running else "")
        return Progress(job, found.done, found.total, self._steps)

    def _run(self, memory: Memory, name: str) -> None:
        memory.jobs.run(
            [name] if name else None,
            due=None if name else True,
            stopped=self._step,
            tell=self._tell,
        )

    def _step(self) -> bool:
        """Asked between two steps of a job whether it is to stop."""
        self._steps += 1
        return False

    def _tell(self, run: JobRun) -> None:
        before = self._progress
        lines = (*before.lines, f"{run.name}: {run.error or run.outcome}")
        self._progress, self._steps = Progress("", before.done + 1, before.total, lines=lines), 0
