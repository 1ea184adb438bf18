"""Jobs that are asked for: due until they start, whatever happens between (S1.22, S1.23)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.store import Store
from engrain.lifecycle.jobs.runner import AT_PHASE_END, list_states, request_jobs, run_jobs
from engrain.model.errors import NotFoundError
from support.vaults import FakeClock, make_memory
from unit.lifecycle.jobs.sample_jobs import ran, table

NAMES = ("first", "second")


def asked(store: Store) -> list[str]:
    """The jobs that were requested and have not started since."""
    return sorted(store.device.job_log.requests())


@pytest.fixture(autouse=True)
def forgotten() -> None:
    ran.clear()


@pytest.fixture
def store(memory: Memory) -> Store:
    store = memory._open_store()
    run_jobs(store, table=table(*NAMES))
    ran.clear()
    assert run_jobs(store, table=table(*NAMES)) == [], "nothing is due any more"
    return store


def test_a_job_that_is_asked_for_runs_in_the_next_round_and_once(store: Store) -> None:
    request_jobs(store, ["second"], table(*NAMES))
    assert asked(store) == ["second"]
    assert [run.name for run in run_jobs(store, table=table(*NAMES))] == ["second"]
    assert run_jobs(store, table=table(*NAMES)) == []
    assert asked(store) == []


def test_asking_again_is_asking_once(store: Store) -> None:
    for _ in range(3):
        request_jobs(store, ["second", "second"], table(*NAMES))
    assert len(asked(store)) == 1
    run_jobs(store, table=table(*NAMES))
    assert asked(store) == []


def test_the_status_tells_what_is_asked_for(store: Store, clock: FakeClock) -> None:
    clock.step = 0.0
    request_jobs(store, ["second"], table(*NAMES))
    states = {state.job.name: state for state in list_states(store, table(*NAMES))}
    assert (states["second"].due, states["second"].asked) == (True, clock.at)
    assert (states["first"].due, states["first"].asked) == (False, None)


def test_a_request_survives_a_restart(tmp_path: Path, memory: Memory) -> None:
    memory.jobs.request(AT_PHASE_END)
    memory.close()
    with make_memory(tmp_path) as again:
        assert asked(again._open_store()) == list(AT_PHASE_END)


def test_a_dry_run_leaves_it_asked_for(store: Store) -> None:
    request_jobs(store, ["second"], table(*NAMES))
    assert [r.name for r in run_jobs(store, dry_run=True, table=table(*NAMES))] == ["second"]
    assert len(asked(store)) == 1


def test_one_for_which_there_was_no_time_stays_asked_for(store: Store) -> None:
    request_jobs(store, ["second"], table(*NAMES))
    assert [r.outcome for r in run_jobs(store, table=table(*NAMES), stopped=lambda: True)] == [
        "left"
    ]
    assert len(asked(store)) == 1


@pytest.mark.parametrize("name", ["", "../up", "third"])
def test_a_job_that_there_is_not_is_refused(store: Store, name: str) -> None:
    with pytest.raises(NotFoundError):
        request_jobs(store, ["second", name], table(*NAMES))
    assert asked(store) == []
