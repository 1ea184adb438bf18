"""jobs at the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain.lifecycle.jobs import table as jobs
from engrain.state.job_log import JobLog
from unit.adapters.shell import CommandLine
from unit.lifecycle.jobs.sample_jobs import table

FEW = table("first", "second")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of our own in the place of those there are."""
    for name in reversed(list(jobs.JOBS)):  # which puts them back in their order
        monkeypatch.delitem(jobs.JOBS, name)
    for name, job in FEW.items():
        monkeypatch.setitem(jobs.JOBS, name, job)


def ask(cli: CommandLine, *argv: str) -> Any:
    """The data of a JSON answer."""
    done = cli("jobs", *argv, "--json")
    assert done.code == 0, done.out
    return done.answer["data"]


def folder_of(cli: CommandLine) -> Path:
    (vault,) = (cli.state / "vaults").iterdir()
    return vault / "jobs"


def test_what_is_due_runs_once_and_a_named_one_whenever_asked(cli: CommandLine) -> None:
    done = cli("jobs", "run")
    assert done.code == 0
    first, line, second = done.out.splitlines()
    assert first.split() == ["ok", "first", "1", "done", "0.0", "s"]
    assert line.strip() == "01m8 done"
    assert second.split()[:2] == ["ok", "second"]
    assert "nothing is due" in cli("jobs", "run").out
    assert ask(cli, "run", "second", "--due")["jobs"] == []
    (run,) = ask(cli, "run", "second")["jobs"]
    assert run.pop("seconds") < 60
    assert run == {
        "job": "second", "outcome": "ok", "counts": {"done": 2}, "lines": [], "error": None,
    }  # fmt: skip


def test_a_dry_run_leaves_no_trace(cli: CommandLine) -> None:
    data = ask(cli, "run", "--dry-run")
    assert data["dry_run"] is True
    assert [run["outcome"] for run in data["jobs"]] == ["ok", "ok"]
    assert not folder_of(cli).exists()


def test_status_tells_how_each_went_last_and_when_it_is_due(cli: CommandLine) -> None:
    cli("jobs", "run", "first")
    first, second = ask(cli, "status")["jobs"]
    assert (first["outcome"], first["counts"], first["due"]) == ("ok", {"done": 1}, False)
    assert first["started"] <= first["ended"] < first["next_due"]
    assert (second["outcome"], second["started"], second["due"]) == (None, None, True)
    assert first["error"] is None
    kept = json.loads((folder_of(cli) / "status.json").read_text())["jobs"]
    assert list(kept) == ["first"]
    _, done, due = cli("jobs", "status").out.splitlines()
    assert done.split()[:2] == ["first", "ok"] and "due after" in done
    assert due.split()[:2] == ["second", "-"] and "due now" in due
    listed = cli("jobs", "list").out
    assert "30 minutes" in listed and "due now" in listed and "to first" in listed


def test_the_log_tells_the_latest_runs(cli: CommandLine) -> None:
    assert "No job has run" in cli("jobs", "log").out
    cli("jobs", "run")
    cli("jobs", "run", "first")
    assert [run["job"] for run in ask(cli, "log")["runs"]] == ["first", "second", "first"]
    assert [run["job"] for run in ask(cli, "log", "-n", "2")["runs"]] == ["second", "first"]
    assert len(cli("jobs", "log", "-n", "1").out.splitlines()) == 2


def test_a_job_that_failed_makes_it_leave_with_one(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, job in table("fail").items():
        monkeypatch.setitem(jobs.JOBS, name, job)
    done = cli("jobs", "run")
    assert done.code == 1
    assert done.out.splitlines()[-1].startswith("failed      fail")
    assert "AKIA" not in done.out
    answer = cli("jobs", "run", "--json")
    assert answer.code == 1
    assert "[redacted: " in answer.out


def test_a_second_runner_is_told_who_is_at_it(cli: CommandLine) -> None:
    cli("jobs", "run")
    with JobLog(str(folder_of(cli))).claim():
        done = cli("jobs", "run", "first")
        assert done.code == 1
        assert done.err.startswith("engrain: the jobs of this vault are being run by ")
        error = cli("jobs", "run", "--json").answer["error"]
        assert error["code"] == "locked"


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["run", "--budget", "0"], "--budget"),
        (["run", "--budget", "nan"], "--budget"),
        (["log", "-n", "0"], "--limit"),
    ],
)
def test_what_makes_no_sense_is_reported(cli: CommandLine, argv: list[str], told: str) -> None:
    done = cli("jobs", *argv)
    assert done.code == 2
    assert told in done.err


def test_a_job_that_is_not_there_is_not_found(cli: CommandLine) -> None:
    done = cli("jobs", "run", "firts")
    assert done.code == 3
    assert "one of first, second" in done.err
