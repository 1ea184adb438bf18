"""What a device knows of its jobs, as files: the claim, the status, the log."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engrain.model.errors import LockedError, StorageError
from engrain.seam.job_log import OK, RUNNING, JobRun
from engrain.state.job_log import JobLog
from support.vaults import START

HOLD = """
import sys, time
from engrain.state.job_log import JobLog
with JobLog(sys.argv[1]).claim():
    print("held", flush=True)
    time.sleep(60)
"""
MIB = 1024 * 1024


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "jobs"


@pytest.fixture
def log(folder: Path) -> JobLog:
    return JobLog(str(folder))


def hold(folder: Path) -> subprocess.Popen[bytes]:
    """A process that has the claim."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE)
    assert holder.stdout
    assert holder.stdout.readline() == b"held\n"
    return holder


def test_looking_makes_nothing(log: JobLog, folder: Path) -> None:
    assert (log.holder(), log.read_status(), log.read_log(9)) == (None, {}, [])
    assert not folder.exists()


def test_while_one_process_has_the_claim_another_is_told_who(log: JobLog, folder: Path) -> None:
    holder = hold(folder)
    try:
        assert log.holder() == holder.pid
        with pytest.raises(LockedError, match=f"by process {holder.pid}$"), log.claim():
            pass
    finally:
        holder.kill()
        holder.communicate()


def test_a_claim_ends_with_its_holder_however_that_dies(log: JobLog, folder: Path) -> None:
    holder = hold(folder)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert log.holder() is None
    with log.claim():
        assert log.holder() == os.getpid()
    assert log.holder() is None


def test_two_threads_exclude_each_other(log: JobLog) -> None:
    told: list[str] = []

    def claim() -> None:
        try:
            with log.claim():
                told.append("both have it")
        except LockedError as error:
            told.append(error.message)

    with log.claim():
        thread = threading.Thread(target=claim)
        thread.start()
        thread.join()
    assert told == ["the jobs of this vault are being run by another thread of this process"]


def test_those_who_only_look_keep_nobody_from_the_claim(log: JobLog) -> None:
    with log.claim():
        pass
    ending = threading.Event()

    def look() -> None:
        while not ending.is_set():
            log.holder()

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(50):
            with log.claim():
                pass
    finally:
        ending.set()
        for looker in lookers:
            looker.join()


def test_status_is_kept_whole_and_for_nobody_else(log: JobLog, folder: Path) -> None:
    with log.claim():
        log.write_status(
            {
                "decay": JobRun(
                    "decay",
                    OK,
                    2.0,
                    {"archived": 3},
                    started=START,
                    ended=START + 2,
                    due=START + 86_400,
                ),
                "heat": JobRun("heat", RUNNING, error="é\n\u2028", started=START, due=START),
            }
        )
    status = log.read_status()
    decay, heat = status["decay"], status["heat"]
    assert (decay.started, decay.ended, decay.outcome) == (START, START + 2, OK)
    assert (decay.due, decay.counts, decay.error) == (START + 86_400, {"archived": 3}, "")
    assert (heat.ended, heat.outcome, heat.error) == (None, RUNNING, "é\n\u2028")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"claim": 0o600, "status.json": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "broken",
    [
        b"", b"{", b"null", b"[]", b'{"jobs": []}', b'{"jobs": {"decay": null}}', b"\xff",
        b'{"jobs": {"decay": {"started": "soon"}}}', b"[" * 100_000,
        b'{"jobs": {"decay": {"started": 1, "next_due": 1, "ended": 1, "outcome": "ok",'
        b' "counts": {"x": Infinity}, "error": null}}}',
    ],
    ids=lambda raw: ascii(raw[:30]),
)  # fmt: skip
def test_a_status_that_can_not_be_read_is_none(log: JobLog, folder: Path, broken: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / "status.json").write_bytes(broken)
    assert log.read_status() == {}
    log.write_status({"decay": JobRun("decay", OK, started=START, ended=START, due=START)})
    assert list(log.read_status()) == ["decay"]


def test_the_log_has_the_latest_last(log: JobLog) -> None:
    with log.claim():
        for number in range(5):
            log.append(
                JobRun(
                    f"job{number}",
                    OK,
                    0.5,
                    {"n": number},
                    ("a", "b"),
                    started=START,
                    ended=START + number,
                )
            )
    latest = log.read_log(2)
    assert [event.name for event in latest] == ["job3", "job4"]
    event = latest[-1]
    assert (event.ended, event.outcome, event.seconds, event.counts) == (
        START + 4,
        OK,
        0.5,
        {"n": 4},
    )
    assert (event.lines, event.error) == (("a", "b"), "")
    assert log.read_log(0) == []


def test_the_log_takes_a_mebibyte_at_most_and_keeps_the_latest(log: JobLog, folder: Path) -> None:
    with log.claim():
        for number in range(300):
            log.append(JobRun(str(number), OK, lines=("x" * 10_000,), ended=START))
    assert MIB * 0.4 < (folder / "log.jsonl").stat().st_size <= MIB
    kept = [event.name for event in log.read_log(1000)]
    assert kept == [str(number) for number in range(300 - len(kept), 300)]
    assert len(kept) > 40


@pytest.mark.parametrize("torn", [b'{"at": "2026-', b"\0" * 20, b"null", b'{"job": 1}', b"\xff"])
def test_a_line_that_was_torn_off_costs_no_later_one(
    log: JobLog, folder: Path, torn: bytes
) -> None:
    with log.claim():
        log.append(JobRun("before", OK, ended=START))
        with (folder / "log.jsonl").open("ab") as file:
            file.write(torn)
        log.append(JobRun("after", OK, ended=START))
    assert [event.name for event in log.read_log(9)] == ["before", "after"]


def test_where_nothing_can_be_kept_the_claim_says_so(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with (
        pytest.raises(StorageError, match="can't claim the jobs"),
        JobLog(str(tmp_path / "state" / "jobs")).claim(),
    ):
        pass


def test_a_status_that_cannot_be_read_is_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = JobLog(str(tmp_path))
    assert log.read_status() == {}
    (tmp_path / "status.json").mkdir()
    with pytest.raises(StorageError, match="read the status of the jobs"):
        log.read_status()


def test_what_was_asked_for_is_reported_with_its_time(log: JobLog, folder: Path) -> None:
    assert log.requests() == {}
    log.request("decay", 1000.0)
    log.request("heat", 2000.5)
    log.request("decay", 3000.0)
    assert JobLog(str(folder)).requests() == {"decay": 3000.0, "heat": 2000.5}


def test_what_has_started_is_no_longer_asked_for(log: JobLog) -> None:
    log.request("decay", 1000.0)
    log.drop_request("decay")
    log.drop_request("decay")
    assert log.requests() == {}


def test_many_ask_while_one_drops_and_nothing_fails(log: JobLog) -> None:
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            for at in range(200):
                log.request("decay", float(at))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        log.drop_request("decay")
    for thread in threads:
        thread.join()
    assert failed == []
    assert log.requests().keys() <= {"decay"}


def test_where_nothing_can_be_kept_it_is_reported(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    with pytest.raises(StorageError):
        JobLog(str(folder)).request("decay", 1.0)
