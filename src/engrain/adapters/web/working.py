"""Jobs and erasures that a page began: their progress and results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock, Thread

from engrain.api.memory import Memory
from engrain.model.errors import EngrainError, LockedError
from engrain.seam.job_log import JobRun


@dataclass(slots=True, eq=False)
class RoundProgress:
    """The progress of a round of jobs: the running job, the number of jobs done and in all, the
    steps of the running one, and the outcomes of those before. An erasure is a round of one."""

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


class ConsoleWork:
    """The work of one console: one round of jobs or one erasure at a time. Pages and the live
    stream read it from their own threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None
        self._progress = RoundProgress()
        self._steps = 0
        self._failed: EngrainError | None = None
        self.result: object = None
        """The result of the last action that was no job."""

    @property
    def busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def begin(self, memory: Memory, name: str) -> None:
        """Run one job now, or with "" all that are due. Raises LockedError while work is running,
        NotFoundError for an unknown job."""
        with self._lock:
            total = 1 if name else sum(state.due for state in memory.jobs.status())
            self._start(RoundProgress(total=total), partial(self._run, memory, name))

    def do(self, name: str, action: Callable[[Callable[[int, int | None], None]], object]) -> None:
        """Do something that is no job: `action` gets the function that it reports its steps to, and
        returns the `result`. Raises LockedError while work is running."""

        def act() -> None:
            self.result = action(self._count)

        with self._lock:
            self._start(RoundProgress(name, total=1), act)

    def _start(self, progress: RoundProgress, action: Callable[[], None]) -> None:
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

    def _count(self, steps: int, _: int | None) -> None:
        self._steps = steps

    def wait(self, seconds: float) -> RoundProgress:
        """Wait at most so many seconds, and return the progress. Raises the error of the work."""
        if self._thread is not None:
            self._thread.join(seconds)
        if self._failed is not None:
            raise self._failed
        return self._progress

    def look(self, memory: Memory) -> RoundProgress | None:
        """Return the progress of running work, None if there is none."""
        if not self.busy:
            return None
        states = memory.jobs.status()
        running = [one.job.name for one in states if one.status and one.status.ended is None]
        found = self._progress
        job = found.job or (running[0] if running else "")
        return RoundProgress(job, found.done, found.total, self._steps)

    def _run(self, memory: Memory, name: str) -> None:
        memory.jobs.run(
            [name] if name else None,
            due=None if name else True,
            stopped=self._step,
            tell=self._report,
        )

    def _step(self) -> bool:
        """Count a step; a job asks after each whether it must stop, which it never must."""
        self._steps += 1
        return False

    def _report(self, run: JobRun) -> None:
        before = self._progress
        lines = (*before.lines, f"{run.name}: {run.error or run.outcome}")
        self._progress, self._steps = (
            RoundProgress("", before.done + 1, before.total, lines=lines),
            0,
        )
