"""Requests for jobs, as files: asked for by anyone, at any time."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from engrain.model.errors import StorageError
from engrain.state.job_log import JobLog


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "jobs"


@pytest.fixture
def log(folder: Path) -> JobLog:
    return JobLog(str(folder))


def test_what_was_asked_for_is_told_with_its_time(log: JobLog, folder: Path) -> None:
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


def test_where_nothing_can_be_kept_it_is_told(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    with pytest.raises(StorageError):
        JobLog(str(folder)).request("decay", 1.0)
