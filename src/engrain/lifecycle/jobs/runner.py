"""Runs the jobs that are due, one runner at a time, and logs each (S1.23).

A job is due by the time since it started. A start in the future was noted before the clock was set
back, so the job is due. However many runs were missed, a job is due once. One that failed, was
killed or ran out of time is due at once, after the others. A requested job is due until it starts.
A job for the whole store runs on one device at a time, and is due on none while another device has
done it lately.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace

from engrain.engine.core.store import Store
from engrain.language.secrets.finding import redact
from engrain.lifecycle.jobs.table import JOBS, Job, Run
from engrain.model.errors import EngrainError, LockedError, NotFoundError
from engrain.model.run_result import RunResult
from engrain.seam.job_log import FAILED, INTERRUPTED, OK, RUNNING, UNFINISHED, JobRun
from engrain.state.job_log import JobLog

LEFT = "left"
"""There was no time to begin it: the next round does."""

_AGAIN = (FAILED, INTERRUPTED, UNFINISHED)
_SLACK = 5 * 60.0
"""Seconds, and at most a tenth of its interval, by which a job may start early: a scheduler that
comes every 30 minutes is not always on the second."""
_APART = 60.0
"""Seconds: the clocks of device and server differ, so the same run may seem a bit later there."""
_PAUSE = 0.05
_MOST_LINES = 100
_LONGEST = 300


@dataclass(slots=True, eq=False)
class JobState:
    """A job, how it went last (None: it never ran), whether it is due, and since when it is asked
    for (epoch seconds, None: it is not)."""

    job: Job
    status: JobRun | None
    due: bool
    asked: float | None = None


BUDGET_S = 300.0
"""Seconds that one round of jobs may take."""


def run_jobs(
    store: Store,
    names: Sequence[str] | None = None,
    *,
    due: bool | None = None,
    dry_run: bool = False,
    budget: float | None = None,
    table: Mapping[str, Job] = JOBS,
    monotonic: Callable[[], float] = time.monotonic,
    stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[JobRun], None] = lambda _: None,
) -> list[JobRun]:
    """Run the jobs that are due, or the jobs of these names whether due or not (`due` overrides
    both), and return their runs in order."""
    until = monotonic() + (BUDGET_S if budget is None else budget)
    claims: list[Callable[[], bool]] = []

    def is_over() -> bool:
        return stopped() or monotonic() >= until or not all(held() for held in claims)

    only_due = names is None if due is None else due
    run = Run(dry_run=dry_run, out_of_time=is_over, asked=not only_due)
    wanted = dict.fromkeys(table if names is None else names)
    jobs = [_find(name, table).as_set(store.settings) for name in wanted]
    account = _Account(store)
    runs: list[JobRun] = []
    if dry_run:
        for job in account.choose(jobs, only_due):
            runs.append(_run_one(store, job, run, monotonic))
            tell(runs[-1])
        return runs
    with store.device.job_log.claim(), ExitStack() as shared:
        if any(job.shared for job in jobs):
            try:
                claims.append(shared.enter_context(store.backend.claim_jobs()))
            except LockedError:
                if not only_due:
                    raise
                jobs = [job for job in jobs if not job.shared]
        account.note_interrupted()
        for job in account.turns(jobs, only_due):
            if run.out_of_time():
                done = JobRun(job.name, LEFT)
            else:
                account.begin(job)
                try:
                    done = _run_one(store, job, run, monotonic)
                except BaseException:
                    account.end(job, JobRun(job.name, INTERRUPTED))
                    raise
                account.end(job, done)
            runs.append(done)
            tell(done)
    return runs


@contextmanager
def wait_for_claim(log: JobLog, seconds: float = 60.0) -> Iterator[None]:
    """Hold the claim to run jobs for the length of a block, once its holder releases it. Raises
    LockedError when that takes longer than `seconds`."""
    until = time.monotonic() + seconds
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(log.claim())
                break
            except LockedError:
                if time.monotonic() >= until:
                    raise
                time.sleep(_PAUSE)
        yield


@contextmanager
def claimed(store: Store, dry_run: bool = False) -> Iterator[Store]:
    """Keep jobs from running on this device for the length of a block, except with `dry_run`.
    Raises LockedError."""
    if dry_run:
        yield store
        return
    with wait_for_claim(store.device.job_log), store.backend.claim_jobs():
        yield store


def list_states(store: Store, table: Mapping[str, Job] = JOBS) -> list[JobState]:
    """List each job with its last run; one whose runner has died counts as interrupted."""
    status, asked = _read_status(store), store.device.job_log.requests()
    now = store.clock.now()
    return [
        JobState(
            job,
            status.get(job.name),
            job.name in asked or _is_due(job, status.get(job.name), now),
            asked.get(job.name),
        )
        for job in (job.as_set(store.settings) for job in table.values())
    ]


class _Account:
    """The status and the log, kept as jobs begin and end."""

    def __init__(self, store: Store) -> None:
        self._log = store.device.job_log
        self._store = store
        self._clock = store.clock
        self._status = _read_status(store)
        self._begun: set[str] = set()

    def choose(self, jobs: Sequence[Job], only_due: bool) -> Iterable[Job]:
        """Choose the jobs to run; those that ran out of time before come last."""
        now = self._clock.now()
        asked = self._log.requests()

        def turn(job: Job) -> float:
            last = self._status.get(job.name)
            return last.started if last is not None and last.outcome in _AGAIN else 0.0

        found = [
            job
            for job in jobs
            if not only_due or job.name in asked or _is_due(job, self._status.get(job.name), now)
        ]
        return sorted(found, key=turn)

    def turns(self, jobs: Sequence[Job], only_due: bool) -> Iterator[Job]:
        """Yield these jobs in their order, and with `only_due` then those requested meanwhile."""
        chosen = list(self.choose(jobs, only_due))
        yield from chosen
        asked = self._log.requests() if only_due else {}
        left = {job.name for job in chosen}.difference(self._begun)
        yield from (job for job in jobs if job.name in asked and job.name not in left)

    def note_interrupted(self) -> None:
        """Mark jobs that stand as running as interrupted: their runner has died."""
        self._status = self._log.read_status()  # what the last holder left, until it left
        _add_done(self._status, self._store)
        for status in self._status.values():
            if status.outcome == RUNNING:
                status.outcome = INTERRUPTED
                status.due = status.ended = self._clock.now()
                self._log.append(status)
        self._log.write_status(self._status)

    def begin(self, job: Job) -> None:
        now = self._clock.now()
        self._begun.add(job.name)
        self._status[job.name] = JobRun(job.name, RUNNING, started=now, due=now)
        self._log.write_status(self._status)
        self._log.drop_request(job.name)  # once it stands as running, a crash makes it due again

    def end(self, job: Job, done: JobRun) -> None:
        now = self._clock.now()
        started = self._status[job.name].started
        due = now if done.outcome in _AGAIN else started + job.every * 60.0
        shown = [line[:_LONGEST] for line in done.lines[:_MOST_LINES]]
        if len(done.lines) > len(shown):
            shown.append(f"and {len(done.lines) - len(shown)} more")
        run = replace(done, lines=tuple(shown), started=started, ended=now, due=due)
        self._log.append(run)
        self._status[job.name] = replace(run, lines=())
        self._log.write_status(self._status)
        if job.shared and done.outcome == OK:
            with suppress(EngrainError):  # it is done again then, which changes nothing
                self._store.backend.note_job(job.name, now - started)


def _read_status(store: Store) -> dict[str, JobRun]:
    """Return each job's last run; one that stands as running without a runner was interrupted."""
    log = store.device.job_log
    status = log.read_status()
    _add_done(status, store)
    if log.holder() is None:
        for last in status.values():
            if last.outcome == RUNNING:
                last.outcome = INTERRUPTED
    return status


def _add_done(status: dict[str, JobRun], store: Store) -> None:
    for name, age in store.backend.jobs_done().items():
        began = store.clock.now() - age
        if name in JOBS and (name not in status or status[name].started < began - _APART):
            every = JOBS[name].as_set(store.settings).every
            status[name] = JobRun(name, OK, started=began, due=began + every * 60.0)


def _run_one(store: Store, job: Job, run: Run, monotonic: Callable[[], float]) -> JobRun:
    started = monotonic()
    report, error = None, ""
    try:
        store.require_index()
        report = job.load()(store, run)
    except EngrainError as failure:
        error = redact(" ".join(failure.message.split()))[0][:_LONGEST]
    except Exception as failure:  # a defect of one job is no reason to leave the others undone
        where = ""
        trace = failure.__traceback__
        while trace is not None:
            module = str(trace.tb_frame.f_globals.get("__name__"))
            if module.partition(".")[0] == "engrain":
                where = f" in {module}:{trace.tb_lineno}"
            trace = trace.tb_next
        error = f"{type(failure).__name__}{where}"
    outcome = FAILED if report is None else UNFINISHED if report.unfinished else OK
    done = report or RunResult()
    return JobRun(job.name, outcome, monotonic() - started, done.counts, done.lines, error)


def _is_due(job: Job, last: JobRun | None, now: float) -> bool:
    if last is None or last.outcome in _AGAIN:
        return True
    waited = now - last.started
    interval = job.every * 60.0
    return waited < 0 or waited >= interval - min(_SLACK, interval / 10)


def _find(name: str, table: Mapping[str, Job]) -> Job:
    if name not in table:
        raise NotFoundError(f"no job {name[:60]!r}", remedy="use one of " + ", ".join(table))
    return table[name]


AT_PHASE_END = ("consolidate", "crystallize")
"""Jobs that the end of a phase requests (DESIGN 10)."""


def request_jobs(store: Store, names: Sequence[str], table: Mapping[str, Job] = JOBS) -> None:
    """Request jobs: each is due until it starts. Raises NotFoundError for an unknown name."""
    for job in [_find(name, table) for name in dict.fromkeys(names)]:
        store.device.job_log.request(job.name, store.clock.now())
