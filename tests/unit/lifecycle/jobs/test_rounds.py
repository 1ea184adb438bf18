"""Rounds of jobs, one each time the scheduler comes, on a clock that is set by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.store import Store
from engrain.lifecycle.jobs.runner import list_states, run_jobs
from engrain.lifecycle.jobs.table import JOBS, Job, Run
from engrain.model.run_result import RunResult
from support.vaults import START, FakeClock
from unit.lifecycle.experience import ids_of, todos
from unit.lifecycle.sessions.living import DAY, entry_of, store_of, with_settings

HALF_HOUR = 1800.0
BOTH = ("extract", "synthesize")
ran: list[str] = []


def note_extract(store: Store, run: Run) -> RunResult:
    """Stands for a job whose sources are not here."""
    ran.append("extract")
    return RunResult()


def note_synthesize(store: Store, run: Run) -> RunResult:
    ran.append("synthesize")
    return RunResult()


def both() -> dict[str, Job]:
    """The two jobs, due as they are, that only note that they ran."""
    return {
        name: Job(name, JOBS[name].meaning, JOBS[name].every, f"{__name__}:note_{name}", job.days)
        for name, job in JOBS.items()
        if name in BOTH
    }


def test_over_fifteen_days_facts_are_extracted_every_half_hour_and_synthesised_twice(
    memory: Memory, clock: FakeClock
) -> None:
    clock.step = 0.0
    store, jobs = store_of(memory), both()
    run_jobs(store, table=jobs)  # the first round, in which all is due
    ran.clear()
    began = clock.at
    synthesised = []
    for number in range(1, 15 * 48 + 1):
        clock.at = began + number * HALF_HOUR + (number * 7919 % 60)  # it is never on the second
        runs = run_jobs(store, table=jobs)
        synthesised += [clock.at - began for one in runs if one.name == "synthesize"]
    assert Counter(ran) == {"extract": 15 * 48, "synthesize": 2}
    assert [round(at / DAY) for at in synthesised] == [7, 14]


def test_a_machine_that_slept_makes_up_for_all_it_missed_by_one_run(
    memory: Memory, clock: FakeClock
) -> None:
    clock.step = 0.0
    store, jobs = store_of(memory), both()
    run_jobs(store, table=jobs)
    ran.clear()
    clock.at += 40 * DAY
    run_jobs(store, table=jobs)
    run_jobs(store, table=jobs)
    assert Counter(ran) == {"extract": 1, "synthesize": 1}


def test_how_often_synthesis_is_due_can_be_set(memory: Memory, clock: FakeClock) -> None:
    clock.step = 0.0
    store, jobs = with_settings(store_of(memory), {"synthesis.days": "2"}), both()
    run_jobs(store, table=jobs)
    ran.clear()
    for _ in range(3):
        clock.at += DAY
        run_jobs(store, table=jobs)
    assert Counter(ran) == {"extract": 3, "synthesize": 1}
    [state] = [one for one in list_states(store, jobs) if one.job.name == "synthesize"]
    assert state.job.every == 2 * 24 * 60
    assert state.status is not None
    assert state.status.due == START + 4 * DAY + (state.status.started - START - 2 * DAY)


@pytest.mark.parametrize("days", ["0", "often", "-1", "1e3"])
def test_a_setting_that_is_no_number_of_days_fails_the_job_and_stops_no_other(
    memory: Memory, days: str, tmp_path: Path
) -> None:
    store = with_settings(store_of(memory), {"synthesis.days": days})
    [done] = run_jobs(store, ["synthesize"])
    assert (done.outcome, "synthesis.days" in done.error) == ("failed", True)
    [state] = [one for one in list_states(store) if one.job.name == "synthesize"]
    assert state.job.every == 7 * 24 * 60


STEPS = ("read_file", "edit_schema", "write_migration", "run_seed", "call_route", "run_test")


def test_a_round_learns_from_old_episodes_before_it_summarises_them(
    memory: Memory, clock: FakeClock
) -> None:
    log = [{"t": n, "action": action} for n, action in enumerate(STEPS)]
    for number in (1, 2):
        at = clock.at - (7 + number) * DAY
        memory.episodes.save({**todos(f"ep-{number}", at), "action_log": log})
    clock.at += 8 * DAY
    run_jobs(store_of(memory))
    assert len(memory.episodes.read("ep-1")[1]["action_log"]) < len(STEPS), "it is summarised"
    [pattern] = ids_of(memory, "pattern")
    assert "`write_migration`" in entry_of(memory, pattern).text
