"""The runner of jobs: what is due, one at a time, in its time, and kept account of (S1.23)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Memory
from engrain.engine.core.store import Store
from engrain.lifecycle.jobs.runner import list_states, run_jobs, wait_for_claim
from engrain.lifecycle.jobs.table import JOBS, Job
from engrain.model.errors import LockedError, NotFoundError
from engrain.seam.job_log import FAILED, INTERRUPTED, OK, RUNNING, UNFINISHED, JobRun
from support.examples import SHARED_FIXTURE
from support.vaults import START, FakeClock, make_memory
from unit.lifecycle.jobs.sample_jobs import ran, steady, table

MINUTE = 60.0
DAY = 86_400.0
YEAR = 365 * DAY
TESTS = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def forgotten() -> None:
    ran.clear()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(step=0.0)


@pytest.fixture
def store(tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    with make_memory(tmp_path, clock=clock) as memory:
        yield memory._open_store()


def told(runs: list[JobRun]) -> list[tuple[str, str]]:
    return [(run.name, run.outcome) for run in runs]


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@contextmanager
def child(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the middle of the job `linger` of the vault in `folder`."""
    paths = os.pathsep.join((str(TESTS), *filter(None, sys.path)))
    process = subprocess.Popen(
        [sys.executable, str(TESTS / "unit/lifecycle/jobs/job_child.py"), str(folder)],
        env={**os.environ, "PYTHONPATH": paths},
    )
    try:
        deadline = time.monotonic() + 20
        while not (folder / "begun").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


# -- what is due ---------------------------------------------------------------------------------


def test_every_job_is_due_once_and_then_after_its_interval(store: Store, clock: FakeClock) -> None:
    jobs = {**table("first", every=30), **table("second", every=1440)}
    assert told(run_jobs(store, table=jobs)) == [("first", OK), ("second", OK)]
    assert run_jobs(store, table=jobs) == []
    clock.at += 30 * MINUTE
    assert told(run_jobs(store, table=jobs)) == [("first", OK)]
    clock.at += DAY
    assert told(run_jobs(store, table=jobs)) == [("first", OK), ("second", OK)]


def test_a_scheduler_a_minute_early_is_not_sent_away(store: Store, clock: FakeClock) -> None:
    jobs = table("first", every=30)
    run_jobs(store, table=jobs)
    clock.at += 26 * MINUTE
    assert run_jobs(store, table=jobs) == []
    clock.at += 3 * MINUTE
    assert told(run_jobs(store, table=jobs)) == [("first", OK)]


def test_however_many_runs_were_missed_they_are_made_up_once(
    store: Store, clock: FakeClock
) -> None:
    jobs = table("first")
    run_jobs(store, table=jobs)
    clock.at += 100 * DAY
    assert told(run_jobs(store, table=jobs)) == [("first", OK)]
    assert run_jobs(store, table=jobs) == []


@pytest.mark.parametrize("jump", [-YEAR, YEAR])
def test_no_job_waits_for_a_clock_that_jumped_a_year(
    store: Store, clock: FakeClock, jump: float
) -> None:
    jobs = table("first")
    run_jobs(store, table=jobs)
    clock.at += jump
    assert told(run_jobs(store, table=jobs)) == [("first", OK)]
    assert run_jobs(store, table=jobs) == []
    clock.at -= jump
    assert told(run_jobs(store, table=jobs)) == [("first", OK)]
    assert run_jobs(store, table=jobs) == []


@settings(max_examples=30, suppress_health_check=SHARED_FIXTURE)
@given(jumps=st.lists(st.floats(-2 * YEAR, 2 * YEAR), max_size=5))
def test_wherever_the_clock_is_set_a_job_is_due_within_its_interval(
    store: Store, clock: FakeClock, jumps: list[float]
) -> None:
    jobs = table("first", every=30)
    for jump in jumps:
        clock.at = max(0.0, clock.at + jump)
        run_jobs(store, table=jobs)
        clock.at += 30 * MINUTE
        assert told(run_jobs(store, table=jobs)) == [("first", OK)]


def test_by_its_name_a_job_runs_whether_it_is_due_or_not(store: Store) -> None:
    jobs = table("first", "second")
    run_jobs(store, table=jobs)
    assert told(run_jobs(store, ["second", "second"], table=jobs)) == [("second", OK)]
    assert run_jobs(store, ["second"], due=True, table=jobs) == []
    assert told(run_jobs(store, due=False, table=jobs)) == [("first", OK), ("second", OK)]


def test_a_name_that_no_job_has_is_reported_before_anything_runs(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no job 'forth'") as raised:
        run_jobs(store, ["first", "forth"], table=table("first", "second"))
    assert raised.value.remedy == "use one of first, second"
    assert ran == []


# -- failing, time, being killed -----------------------------------------------------------------


def test_a_job_that_fails_stops_no_other_and_is_due_again(store: Store) -> None:
    jobs = table("fail", "stumble", "third")
    runs = run_jobs(store, table=jobs)
    assert told(runs) == [("fail", FAILED), ("stumble", FAILED), ("third", OK)]
    assert [state.due for state in list_states(store, jobs)] == [True, True, False]
    assert told(run_jobs(store, table=jobs)) == [("fail", FAILED), ("stumble", FAILED)]


def test_an_error_is_kept_on_one_line_without_secrets_or_text(store: Store) -> None:
    jobs = table("fail", "stumble")
    run_jobs(store, table=jobs)
    status = store.device.job_log.read_status()
    errors = [status["fail"].error, *(event.error for event in store.device.job_log.read_log(1))]
    assert errors[0].startswith("the disk is full of [redacted: ")
    assert errors[1].startswith("KeyError")
    assert "title" not in errors[1]


def test_a_long_report_is_cut_in_the_log(store: Store) -> None:
    (run,) = run_jobs(store, table=table("chatter"))
    assert len(run.lines) == 1000
    (event,) = store.device.job_log.read_log(9)
    assert len(event.lines) == 101
    assert event.lines[-1] == "and 900 more"
    assert sum(map(len, event.lines)) < 32_000


def test_all_jobs_share_one_budget(store: Store) -> None:
    jobs = table("first", "greedy", "second")
    runs = run_jobs(store, table=jobs, budget=100.0, monotonic=steady(1.0))
    assert told(runs) == [("first", OK), ("greedy", UNFINISHED), ("second", "left")]
    assert 80 < runs[1].counts["steps"] < 100
    assert [state.due for state in list_states(store, jobs)] == [False, True, True]


def test_one_that_took_all_the_time_comes_last_in_the_next_round(store: Store) -> None:
    jobs = table("greedy", "second", "third")
    run_jobs(store, table=jobs, budget=100.0, monotonic=steady(1.0))
    runs = run_jobs(store, table=jobs, budget=100.0, monotonic=steady(1.0))
    assert told(runs) == [("second", OK), ("third", OK), ("greedy", UNFINISHED)]


def test_what_is_told_to_stop_stops_between_two_steps(store: Store) -> None:
    stopping = iter([False] * 50)
    runs = run_jobs(store, table=table("greedy", "second"), stopped=lambda: next(stopping, True))
    assert told(runs) == [("greedy", UNFINISHED), ("second", "left")]


def test_one_that_is_interrupted_at_the_keyboard_is_due_again(store: Store) -> None:
    jobs = table("interrupt", "second")
    with pytest.raises(KeyboardInterrupt):
        run_jobs(store, table=jobs)
    state, _ = list_states(store, jobs)
    assert state.status is not None
    assert (state.status.outcome, state.due) == (INTERRUPTED, True)
    assert store.device.job_log.holder() is None


def test_a_runner_that_was_killed_is_seen_and_the_next_does_the_rest(tmp_path: Path) -> None:
    jobs = table("first", "linger", "third")
    with make_memory(tmp_path) as memory:
        store = memory._open_store()
        with child(tmp_path) as process:
            states = list_states(store, jobs)
            assert [state.status and state.status.outcome for state in states] == [
                OK, RUNNING, None,
            ]  # fmt: skip
            assert store.device.job_log.holder() == process.pid
            with pytest.raises(LockedError, match=f"by process {process.pid}$"):
                run_jobs(store, table=jobs)
            assert ran == []
            process.kill()
            process.wait()
        _, killed, _ = list_states(store, jobs)
        assert killed.status is not None
        assert (killed.status.outcome, killed.due) == (INTERRUPTED, True)
        dry = run_jobs(store, table=jobs, dry_run=True)
        assert told(dry) == [("third", OK), ("linger", OK)]
        assert told(run_jobs(store, table=jobs)) == [("third", OK), ("linger", OK)]
        assert [(event.name, event.outcome) for event in store.device.job_log.read_log(9)] == [
            ("first", OK), ("linger", INTERRUPTED), ("third", OK), ("linger", OK),
        ]  # fmt: skip


# -- account -------------------------------------------------------------------------------------


def test_each_run_is_reported_at_once_and_kept(store: Store, clock: FakeClock) -> None:
    heard: list[str] = []

    def hear(run: JobRun) -> None:
        assert run.name == ran[-1]
        heard.append(run.name)

    run_jobs(store, table=table("first", "second", every=60), tell=hear)
    assert heard == ["first", "second"]
    status = store.device.job_log.read_status()["first"]
    assert (status.started, status.ended, status.outcome) == (START, START, OK)
    assert (status.counts, status.error, status.due) == ({"done": 1}, "", START + 3600)
    event, _ = store.device.job_log.read_log(9)
    assert (event.name, event.lines) == ("first", ("01m8 done",))


def test_dry_nothing_is_changed_or_noted(tmp_path: Path, store: Store) -> None:
    jobs = table("note", "first")
    store.require_index()
    before = files_below(tmp_path)
    runs = run_jobs(store, table=jobs, dry_run=True)
    assert told(runs) == [("note", OK), ("first", OK)]
    assert runs[0].counts == {"noted": 1}
    assert files_below(tmp_path) == before
    run_jobs(store, table=jobs)
    assert "vault/noted" in files_below(tmp_path)


def test_a_status_from_another_version_is_no_obstacle(store: Store) -> None:
    with store.device.job_log.claim():
        store.device.job_log.write_status(
            {"gone": JobRun("gone", RUNNING, started=START, due=START)}
        )
    assert told(run_jobs(store, table=table("first"))) == [("first", OK)]
    assert store.device.job_log.read_status()["gone"].outcome == INTERRUPTED


# -- the jobs there are --------------------------------------------------------------------------


@pytest.mark.parametrize("job", JOBS.values(), ids=lambda job: job.name)
def test_a_job_of_the_table_is_there_and_done_twice_does_nothing_more(
    tmp_path: Path, job: Job
) -> None:
    with make_memory(tmp_path) as memory:
        memory.save("Rebase before you push.", kind="workflow")
        for _ in range(2):
            (run,) = memory.jobs.run([job.name])
            assert (run.outcome, run.error) == (OK, "")
        before = [change.change for change in memory.history()]
        memory.jobs.run([job.name])
        assert [change.change for change in memory.history()] == before


def test_the_scan_takes_in_what_other_programs_changed(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        saved = memory.save("Rebase before you push.", kind="workflow")
        memory.jobs.run(["scan"])
        note = tmp_path / "vault" / saved.locator
        note.write_text(note.read_text().replace("Rebase", "Always rebase"))
        (dry,) = memory.jobs.run(["scan"], dry_run=True)
        assert dry.counts == {"differ": 1}
        assert _ops(memory) == ["save"]
        (run,) = memory.jobs.run(["scan"])
        assert run.counts["taken in"] == 1
        assert _ops(memory) == ["external", "save"]


def _ops(memory: Memory) -> list[str]:
    store = memory._open_store()
    return [change.op for change in store.index.changes()]


def test_who_waits_for_the_claim_gets_it_when_it_is_free(store: Store) -> None:
    held, waited = threading.Event(), []

    def wait() -> None:
        held.wait(5)
        with wait_for_claim(store.device.job_log, 10):
            waited.append(True)

    thread = threading.Thread(target=wait)
    with store.device.job_log.claim():
        thread.start()
        held.set()
        thread.join(0.4)
        assert waited == []
    thread.join(10)
    assert waited == [True]


def test_who_waits_too_long_for_the_claim_is_told_who_has_it(store: Store) -> None:
    with (
        store.device.job_log.claim(),
        pytest.raises(LockedError, match="another thread"),
        wait_for_claim(store.device.job_log, 0.1),
    ):
        pass
