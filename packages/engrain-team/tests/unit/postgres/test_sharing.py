"""What several devices of one namespace settle among themselves: who runs its jobs, and that
something has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.adapters.mcp.jobs import following_changes
from engrain.lifecycle.jobs.runner import run_jobs
from engrain.lifecycle.jobs.table import JOBS, Job
from engrain.model.errors import LockedError
from engrain_team.postgres import store as postgres
from support.vaults import FakeClock
from team.servers import OWNER, Server, shared_server
from unit.adapters.mcp.served import wait_until
from unit.lifecycle.jobs.sample_jobs import HERE, ran

TABLE = {
    "scan": Job("scan", "of the device", 30, f"{HERE}:first"),
    "dream": Job("dream", "of the store", 30, f"{HERE}:second", shared=True),
}


@pytest.fixture
def server() -> Server:
    return shared_server()


@pytest.fixture
def open_device(server: Server, tmp_path: Path) -> Iterator[Callable[[str], Memory]]:
    address = server.own_address(OWNER)
    ran.clear()
    with ExitStack() as opened:

        def open_device(name: str) -> Memory:
            return opened.enter_context(
                open_memory(
                    address, state_dir=tmp_path / name, create=True, clock=FakeClock(step=0.0)
                )
            )

        yield open_device


def run(memory: Memory, *names: str) -> list[tuple[str, str]]:
    done = run_jobs(memory._open_store(), names or None, table=TABLE)
    return [(one.name, one.outcome) for one in done]


def test_a_job_of_the_store_runs_on_one_device_and_one_of_a_device_on_each(
    open_device: Callable[[str], Memory],
) -> None:
    one, other = open_device("one"), open_device("other")
    assert run(one) == [("scan", "ok"), ("dream", "ok")]
    assert run(other) == [("scan", "ok")]
    assert [state.due for state in other.jobs.status() if state.job.name == "dream"] == [False]
    assert run(other, "dream") == [("dream", "ok")]
    assert run(one) == []


def test_while_one_device_runs_jobs_of_the_store_another_runs_its_own(
    open_device: Callable[[str], Memory],
) -> None:
    one, other = open_device("one"), open_device("other")
    with one._open_store().backend.claim_jobs():
        assert run(other) == [("scan", "ok")]
        with pytest.raises(LockedError, match="another device"):
            run(other, "dream")
    assert run(other) == [("dream", "ok")]


def test_a_claim_ends_with_its_connection_and_the_job_stops(
    server: Server, open_device: Callable[[str], Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_LOOK", 0.0)
    one, other = open_device("one"), open_device("other")
    idle = "state = 'idle in transaction'"
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {idle}"
    with one._open_store().backend.claim_jobs() as held:
        assert held()
        server.run("postgres", cut)
        assert not held()
        with other._open_store().backend.claim_jobs() as taken:
            assert taken()
    table = {"dream": Job("dream", "of the store", 30, f"{HERE}:greedy", shared=True)}

    def cut_in_the_middle() -> None:
        wait_until(lambda: ran == ["greedy"])
        server.run("postgres", cut)

    cutter = threading.Thread(target=cut_in_the_middle)
    cutter.start()
    (done,) = run_jobs(one._open_store(), table=table)
    cutter.join()
    assert done.outcome == "unfinished"


def test_a_job_that_failed_is_due_on_every_device(open_device: Callable[[str], Memory]) -> None:
    table = {"dream": Job("dream", "of the store", 30, f"{HERE}:fail", shared=True)}
    for device in ("one", "other"):
        (done,) = run_jobs(open_device(device)._open_store(), table=table)
        assert done.outcome == "failed"


def test_the_shared_jobs_are_those_that_work_on_the_store() -> None:
    assert {name for name, job in JOBS.items() if not job.shared} == {
        "scan", "sessions", "transcripts", "extract", "reflect", "learn", "calibrate",
    }  # fmt: skip


@pytest.mark.parametrize("noticed", [True, False])
def test_a_change_by_another_device_is_taken_in_without_a_call(
    open_device: Callable[[str], Memory], monkeypatch: pytest.MonkeyPatch, noticed: bool
) -> None:
    """By a notice; and where a pooler keeps it from us, by a look now and then."""
    monkeypatch.setattr(postgres, "_LOOK", 3600.0 if noticed else 0.1)
    monkeypatch.setattr(postgres, "_TURN", 0.1)
    if not noticed:
        monkeypatch.setattr(postgres.PostgresBackend, "_notify", lambda _: None)
    writer, reader = open_device("one"), open_device("other")
    reader.scan()
    index = reader._open_store().index
    with following_changes(lambda: open_device("other"), settling=0.01):
        for number in range(3):
            writer.save(f"The sluice has gate {number}.", kind="fix")
            wait_until(lambda: index.cursors() == writer.heads)


def test_nobody_but_members_knows_what_a_notice_is_called(
    server: Server, open_device: Callable[[str], Memory]
) -> None:
    memory = open_device("one")
    channel = memory._open_store().backend._channel  # type: ignore[attr-defined]
    assert memory.vault in channel
    assert memory._open_store().backend.describe().partition("namespace=")[2] not in channel
